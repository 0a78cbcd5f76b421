import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { packageRoot } from '../../product.ts'
import { CassetteError } from '../cassette-error.ts'
import type { FromRecorder, RecorderSettings, SentError, ToRecorder } from './messages.ts'

/** What the thread says without being asked. */
export type ThreadListener = {
  readonly onWritten: (batch: number) => void
  readonly onBad: (error: CassetteError) => void
  /** It has ended by itself. Returns what whoever waits for an answer is told. */
  readonly onDied: (cause: unknown) => CassetteError
}

/** The recorder's thread, as its owner talks to it. It keeps the process alive only while somebody waits for it. */
export type RecorderThread = {
  /** The first ticket that no exchange of a resumed journal has. */
  readonly firstId: number
  /** Where the journal of another recording stands that was in the way. */
  readonly setAside: string | undefined
  readonly listen: (listener: ThreadListener) => void
  readonly send: (message: ToRecorder, transfer?: ArrayBuffer[]) => void
  /** Sends the last message, whose answer is the last one as well. */
  readonly ask: (message: ToRecorder) => Promise<FromRecorder>
  /** Keeps the process alive until the promise is settled. */
  readonly during: <T>(work: Promise<T>) => Promise<T>
  /** After its last answer it ends by itself; one that does not is ended. */
  readonly end: () => Promise<void>
}

/** What a thread takes to end that has nothing left to do; generous, since it may keep its compiled code then. */
const ENDING_MS = 2000

/** Resolves when the recorder is ready to write. @throws CassetteError when it cannot. */
export async function startThread(settings: RecorderSettings): Promise<RecorderThread> {
  const { threadMegabytes, ...data } = settings
  const limits =
    threadMegabytes === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: threadMegabytes } }
  const worker = new Worker(workerUrl(), { workerData: data, ...limits })
  try {
    return threadOf(worker, await ready(worker))
  } catch (cause) {
    await worker.terminate()
    throw cause
  }
}

function threadOf(worker: Worker, { nextId: firstId, setAside }: Ready): RecorderThread {
  let answer: ((message: FromRecorder) => void) | undefined
  /** What whoever asks a thread that has ended is told. */
  let died: CassetteError | undefined
  /** It has answered, or will not be asked any more. */
  let isEnding = false
  const exited = new Promise((resolve) => worker.once('exit', resolve))
  const send: RecorderThread['send'] = (message, transfer = []) => worker.postMessage(message, transfer)
  const during = async <T>(work: Promise<T>): Promise<T> => {
    worker.ref()
    return work.finally(() => worker.unref())
  }
  worker.unref()
  return {
    firstId,
    setAside,
    send,
    during,
    listen: ({ onWritten, onBad, onDied }) => {
      worker.on('message', (message: FromRecorder) => {
        if (message.kind === 'written') onWritten(message.number)
        else if (message.kind === 'bad') onBad(errorOf(message.error))
        else {
          isEnding = true
          answer?.(message)
        }
      })
      const die = (cause: unknown) => {
        if (isEnding || died) return
        died = onDied(cause)
        answer?.({ kind: 'failed', error: died })
      }
      worker.on('error', die)
      // A thread can also end without an error of its own: by `process.exit`, or for want of memory.
      worker.on('exit', (code) => die(new Error(`the thread ended with ${code}`)))
      // A listener for messages is a reason for Node to wait for them.
      worker.unref()
    },
    ask: (message) =>
      during(
        new Promise((resolve) => {
          if (died) return resolve({ kind: 'failed', error: died })
          answer = resolve
          send(message)
        }),
      ),
    end: async () => {
      isEnding = true
      await during(Promise.race([exited, setTimeout(ENDING_MS, undefined, { ref: false })]))
      await worker.terminate()
    },
  }
}

type Ready = FromRecorder & { readonly kind: 'ready' }

function ready(worker: Worker): Promise<Ready> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (message: FromRecorder) => {
      worker.off('error', reject)
      if (message.kind === 'ready') resolve(message)
      else
        reject(message.kind === 'failed' ? errorOf(message.error) : new Error('the recorder did not start'))
    })
  })
}

/** An error that the thread has sent. */
export function errorOf({ reason, path, detail, place }: SentError): CassetteError {
  return new CassetteError(reason, path, detail, place)
}

/**
 * Where the recorder's thread starts: always the compiled file. Node 20 runs no TypeScript in a thread, so the build
 * is needed also when the sources themselves are imported, as the tests do.
 */
function workerUrl(): URL {
  return new URL('dist/cassettes/writer/thread.js', packageRoot())
}
