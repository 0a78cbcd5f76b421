import { isAbsolute } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Backups } from '../backup/backups.ts'
import { fieldsOf, refuse } from './operator-reply.ts'

/**
 * `POST /backup {"directory": PATH}`. It writes where it is told, with everything in it: only for who may read the data
 * directory, and so came through its socket.
 */
export function addBackupRoute(
  app: FastifyInstance,
  backups: Pick<Backups, 'run'>,
  isOwner: (request: FastifyRequest) => boolean,
): void {
  app.post('/backup', async (request, reply) => {
    if (!isOwner(request))
      return refuse(reply, 403, 'A backup is taken through the socket of the data directory alone.')
    const directory = directoryOf(request.body)
    if (directory === undefined) return refuse(reply, 400, 'Send {"directory": PATH} with an absolute path.')
    const outcome = await backups.run(directory)
    return outcome.ok
      ? { directory: outcome.directory, ...outcome.manifest }
      : refuse(reply, 409, outcome.message)
  })
}

function directoryOf(body: unknown): string | undefined {
  const { directory } = fieldsOf(body)
  return typeof directory === 'string' && isAbsolute(directory) && !directory.includes('\0')
    ? directory
    : undefined
}
