import { parentPort, workerData } from 'node:worker_threads'
import type { CassetteError } from '../cassette-error.ts'
import type { FromRecorder, RecorderSettings, SentError, ToRecorder } from './messages.ts'
import { createRedactingRecorder, describeFault, type RedactingRecorder } from './redacting-recorder.ts'

/**
 * The thread in which redaction, the journal and the scan run, off the event loop that carries the traffic: see
 * docs/performance.md for what recording costs a request. It loads neither the contract nor its schemas. It serves one
 * recording after the other, and knows nothing of one that has ended.
 */
const port = parentPort
let recording: { readonly recorder: RedactingRecorder; readonly path: string } | undefined

port?.on('message', (message: ToRecorder) => {
  if (message.kind === 'leave') port.close()
  else if (message.kind === 'start') start(message.settings)
  else if (recording !== undefined) handle(message, recording)
})
if (port) start(workerData as RecorderSettings)

function send(message: FromRecorder): void {
  port?.postMessage(message)
}

function fail(cause: unknown, path: string): void {
  send({ kind: 'failed', error: sentError(describeFault(cause, path)) })
}

function start(settings: RecorderSettings): void {
  const { path } = settings
  try {
    const recorder = createRedactingRecorder(settings)
    recording = { recorder, path }
    const { nextId, setAside } = recorder
    send({ kind: 'ready', nextId, ...(setAside !== undefined && { setAside }) })
  } catch (cause) {
    fail(cause, path)
  }
}

function handle(
  message: Exclude<ToRecorder, { readonly kind: 'start' | 'leave' }>,
  { recorder, path }: NonNullable<typeof recording>,
): void {
  switch (message.kind) {
    case 'batch':
      try {
        recorder.take(message.items, message.bytes)
      } catch (cause) {
        recorder.markBad()
        send({ kind: 'bad', error: sentError(describeFault(cause, path)) })
      }
      send({ kind: 'written', number: message.number })
      return
    case 'mark-bad':
      recorder.markBad()
      return
    case 'finish':
      recording = undefined
      try {
        send({ kind: 'finished', finished: recorder.finish(message.continuations, message.isPartial) })
      } catch (cause) {
        fail(cause, path)
      }
      return
    case 'close':
      recording = undefined
      recorder.close()
      send({ kind: 'closed' })
  }
}

function sentError({ reason, path, detail, place }: CassetteError): SentError {
  return { reason, path, detail, place }
}
