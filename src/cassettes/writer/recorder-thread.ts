// Those of Node: a recording in a test may have begun among timers that the test moves.
import { clearTimeout, setTimeout } from 'node:timers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { startProgramThread } from '../../program-thread.ts'
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
  /** After its last answer: it ends, or waits for the next recording of this process. */
  readonly end: () => Promise<void>
}

const THREAD = 'cassettes/writer/thread.js'

/** How long a thread without a recording waits for the next one. */
const SPARE_MS = 10_000

const spare = createSpare()

/**
 * A thread whose recording has ended, for the next one: a start costs 100 ms of processor time, and its code is slow at
 * first. The first thread of a process is not kept, since its compiled code is written when it ends.
 */
function createSpare() {
  let kept: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let isFirst = true
  const forget = (worker: Worker) => {
    if (worker === kept) kept = undefined
  }
  return {
    take: (): Worker | undefined => {
      const worker = kept
      kept = undefined
      clearTimeout(timer)
      if (worker) {
        stopListening(worker)
        worker.ref()
      }
      return worker
    },
    keep: (worker: Worker): boolean => {
      const isKept = !isFirst && kept === undefined
      isFirst = false
      if (!isKept) return false
      kept = worker
      stopListening(worker)
      worker.on('error', () => forget(worker)).on('exit', () => forget(worker))
      timer = setTimeout(() => {
        forget(worker)
        worker.postMessage({ kind: 'leave' } satisfies ToRecorder)
      }, SPARE_MS).unref()
      worker.unref()
      return true
    },
  }
}

/** Node listens to some events of a thread itself: those that it does not name here have to stay. */
function stopListening(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
}

/** What a thread takes to end that has nothing left to do; generous, since it may keep its compiled code then. */
const ENDING_MS = 2000

/** Resolves when the recorder is ready to write. @throws CassetteError when it cannot. */
export async function startThread(settings: RecorderSettings): Promise<RecorderThread> {
  const { threadMegabytes, ...data } = settings
  const limits = threadMegabytes !== undefined && {
    resourceLimits: { maxOldGenerationSizeMb: threadMegabytes },
  }
  const kept = limits ? undefined : spare.take()
  const worker = kept ?? startProgramThread(THREAD, { workerData: data, ...limits })
  kept?.postMessage({ kind: 'start', settings: data } satisfies ToRecorder)
  try {
    return threadOf(worker, await ready(worker), !limits)
  } catch (cause) {
    await worker.terminate()
    throw cause
  }
}

function threadOf(
  worker: Worker,
  { nextId: firstId, setAside }: Ready,
  isLikeOthers: boolean,
): RecorderThread {
  let answer: ((message: FromRecorder) => void) | undefined
  /** What whoever asks a thread that has ended is told. */
  let died: CassetteError | undefined
  /** It has answered, or will not be asked any more. */
  let isEnding = false
  /** It has said that nothing is left of the recording. */
  let isFree = false
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
          isFree = message.kind === 'finished' || message.kind === 'closed'
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
      if (isFree && isLikeOthers && spare.keep(worker)) return
      send({ kind: 'leave' })
      await during(Promise.race([exited, pause(ENDING_MS, undefined, { ref: false })]))
      await worker.terminate()
    },
  }
}

type Ready = FromRecorder & { readonly kind: 'ready' }

function ready(worker: Worker): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const hasEnded = (code: number) => reject(new Error(`the recorder ended with ${code}`))
    worker.once('error', reject).once('exit', hasEnded)
    worker.once('message', (message: FromRecorder) => {
      worker.off('error', reject).off('exit', hasEnded)
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
