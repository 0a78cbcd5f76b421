import type { FastifyInstance, FastifyReply } from 'fastify'
import { CassetteError } from '../cassettes/cassette-error.ts'
import type { Config } from '../config/schema.ts'
import type { DataParts } from './operator-data.ts'
import { fieldsOf, refuse } from './operator-reply.ts'
import { RECORDING_NAME, type Recordings } from './recordings.ts'

type RecordingParts = { readonly recordings: Recordings; readonly data: Pick<DataParts, 'config'> }

/** `GET /recordings`, `POST /recordings {"name": NAME, "partner": ID}` and `DELETE /recordings/NAME`. */
export function addRecordingRoutes(app: FastifyInstance, parts: RecordingParts): void {
  app.get('/recordings', async () => ({ recordings: parts.recordings.list() }))
  app.post('/recordings', async (request, reply) => {
    const wanted = recordingOf(request.body, parts.data.config())
    if (typeof wanted === 'string') return refuse(reply, 400, wanted)
    try {
      return reply.status(201).send(await parts.recordings.start(wanted.name, wanted.partner))
    } catch (error) {
      return refuseRecording(reply, error)
    }
  })
  app.delete<{ Params: { name: string } }>('/recordings/:name', async (request, reply) => {
    try {
      const finished = await parts.recordings.stop(request.params.name)
      return finished ?? refuse(reply, 404, 'There is no recording of this name.')
    } catch (error) {
      return refuseRecording(reply, error)
    }
  })
}

/** What a recording is asked for, or what is wrong about it. */
function recordingOf(body: unknown, config: Config): { name: string; partner: string | null } | string {
  const { name, partner = null, ...rest } = fieldsOf(body)
  if (typeof name !== 'string' || !RECORDING_NAME.test(name) || Object.keys(rest).length > 0) {
    return 'Send {"name": NAME, "partner": ID} with a name of a-z 0-9 . _ - (the partner may be left out).'
  }
  if (partner !== null && !config.partners.some(({ id }) => id === partner))
    return 'There is no such partner.'
  return { name, partner: partner as string | null }
}

/** 507 where the disk has failed; everything else is about what stands under the name, or in the recording. */
function refuseRecording(reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof CassetteError)) throw error
  const hasDiskFailed = error.reason === 'unwritable' || error.reason === 'incomplete-recording'
  return refuse(reply, hasDiskFailed ? 507 : 409, error.message)
}
