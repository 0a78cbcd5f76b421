import { realpathSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { fieldsOf, refuse } from './operator-reply.ts'

/** What an operator's command may do about the configuration of a running gateway. */
export type ConfigurationControl = {
  /** The files that the configuration is read from; none where it comes from elsewhere. */
  readonly files: () => readonly string[]
  /** Reads them now, and resolves when what they say counts, or when their mistakes are known. */
  readonly reload: () => Promise<{ readonly ok: boolean; readonly errors?: readonly string[] }>
  /** Refuses a key and its tokens from now on, whatever an older reading of the files still says. */
  readonly revoke: (keyId: string) => void
}

/**
 * A command that has changed a file says so here, so that it need not guess when the gateway will have read it. It
 * names the file: a gateway that reads others is left alone.
 */
export function addConfigurationRoutes(app: FastifyInstance, control: ConfigurationControl): void {
  const isOurs = (file: unknown) =>
    typeof file === 'string' && control.files().some((ours) => realPath(ours) === realPath(file))

  app.post('/configuration/reload', async (request, reply) => {
    const { file } = fieldsOf(request.body)
    if (!isOurs(file)) return refuse(reply, 409, ELSEWHERE)
    return control.reload()
  })
  app.post('/keys/revoke', async (request, reply) => {
    const { file, keyId } = fieldsOf(request.body)
    if (typeof keyId !== 'string') return refuse(reply, 400, 'Send {"keyId": ID, "file": PATH}.')
    if (!isOurs(file)) return refuse(reply, 409, ELSEWHERE)
    control.revoke(keyId)
    return { revoked: keyId }
  })
}

const ELSEWHERE = 'This gateway does not read that file.'

function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
