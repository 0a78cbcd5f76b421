import { parentPort, workerData } from 'node:worker_threads'
import type { CassetteError } from '../cassette-error.ts'
import type { FromRecorder, RecorderSettings, SentError, ToRecorder } from './messages.ts'
import { createRedactingRecorder, describeFault, type RedactingRecorder } from './redacting-recorder.ts'

/**
 * The thread in which redaction, the journal and the scan run, off the event loop that carries the traffic: see
 * docs/performance.md for what recording costs a request. It loads neither the contract nor its schemas.
 */
const port = parentPort
const settings = workerData as RecorderSettings

if (port) {
  const send = (message: FromRecorder) => port.postMessage(message)
  const fail = (cause: unknown) =>
    send({ kind: 'failed', error: sentError(describeFault(cause, settings.path)) })
  try {
    const recorder = createRedactingRecorder(settings)
    port.on('message', (message: ToRecorder) => handle(message, recorder, send, fail))
    const { nextId, setAside } = recorder
    send({ kind: 'ready', nextId, ...(setAside !== undefined && { setAside }) })
  } catch (cause) {
    fail(cause)
  }
}

function handle(
  message: ToRecorder,
  recorder: RedactingRecorder,
  send: (message: FromRecorder) => void,
  fail: (cause: unknown) => void,
): void {
  switch (message.kind) {
    case 'batch':
      try {
        recorder.take(message.items, message.bytes)
      } catch (cause) {
        recorder.markBad()
        send({ kind: 'bad', error: sentError(describeFault(cause, settings.path)) })
      }
      send({ kind: 'written', number: message.number })
      return
    case 'mark-bad':
      recorder.markBad()
      return
    case 'finish':
      try {
        send({ kind: 'finished', finished: recorder.finish(message.continuations, message.isPartial) })
      } catch (cause) {
        fail(cause)
      }
      port?.close()
      return
    case 'close':
      recorder.close()
      send({ kind: 'closed' })
      port?.close()
  }
}

function sentError({ reason, path, detail, place }: CassetteError): SentError {
  return { reason, path, detail, place }
}
