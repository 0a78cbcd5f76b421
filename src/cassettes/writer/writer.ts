import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { packageRoot } from '../../product.ts'
import { CassetteError, unwritable } from '../cassette-error.ts'
import { acquireLock } from '../file/lock.ts'
import { cassettePaths } from '../file/paths.ts'
import type { CapturedExchange, CapturedReply } from '../interaction.ts'
import { CONTRACT_FIELDS } from '../redaction/contract.ts'
import type { Continuation } from '../tape/continuation.ts'
import type { Finished, FromRecorder, RecorderSettings, SentError, ToRecorder } from './messages.ts'
import { createQueue } from './queue.ts'

export type RecordingStatus = {
  /** `bad`: something that passed is missing, and the recording will not be finished. */
  readonly state: 'recording' | 'bad' | 'finished' | 'closed'
  /** Exchanges that were handed over, and those whose end is on the disk. */
  readonly exchanges: number
  readonly written: number
  readonly queuedBytes: number
  /** Why it is bad. */
  readonly fault?: CassetteError
}

export type WriterOptions = Omit<RecorderSettings, 'fields'> & {
  /** Called when the recording turns bad, once. It must not throw. */
  readonly onBad?: (status: RecordingStatus) => void
  /** What may wait for the recorder; beyond it the recording is bad. 32 MiB by default. */
  readonly maxQueuedBytes?: number
}

type StartedExchange = Pick<CapturedExchange, 'startedAt' | 'lane' | 'operation' | 'request'>
type EndedExchange = Pick<CapturedExchange, 'durationMs' | 'origin' | 'reply'>

/**
 * Hands exchanges to the recorder's thread. Every function returns at once and none throws into the traffic: an
 * overflow or a full disk marks the recording bad and says so.
 */
export type Writer = {
  /** The request is complete. Returns the ticket for its end. */
  readonly open: (request: StartedExchange) => number
  /** The reply is complete, or (without one) the exchange was aborted. */
  readonly end: (ticket: number, end: EndedExchange) => void
  /** An exchange as a whole. */
  readonly record: (exchange: CapturedExchange) => void
  /** A secret that this process has seen. What is recorded from now on is searched for it, and the whole file at the end. */
  readonly learn: (secret: string) => void
  /** Something that passed is missing, and `detail` says why: the recording is bad from now on. */
  readonly markBad: (detail: string) => void
  readonly status: () => RecordingStatus
  /** Resolves when everything that was handed over is on the disk, or the recording is bad. */
  readonly flush: () => Promise<void>
  /**
   * Writes `name.har` and removes the journal. `continuations` tell what a run that went on with a cassette has from
   * it. @throws CassetteError; what was there before then stands.
   */
  readonly finish: (continuations?: readonly Continuation[]) => Promise<Finished>
  /** Leaves the journal as it is: a later recorder can resume it. */
  readonly close: () => Promise<void>
}

const MAX_QUEUED_BYTES = 32 * 1024 * 1024
/** One batch is being written while the next is on its way; the rest waits here, where it is counted. */
const MAX_IN_FLIGHT = 2

/** @throws CassetteError `busy` when somebody records this cassette, `unfinished`, `unwritable`, or what a loader finds. */
export async function createWriter(options: WriterOptions): Promise<Writer> {
  const { onBad = () => {}, maxQueuedBytes = MAX_QUEUED_BYTES, ...settings } = options
  const paths = cassettePaths(settings.path)
  try {
    mkdirSync(dirname(paths.har), { recursive: true })
  } catch (cause) {
    throw unwritable(paths.har, cause, 'its directory cannot be made')
  }
  const release = acquireLock(paths.lock)
  // The thread is given the contract's fields as data: loading the contract would be most of its start.
  const workerData: RecorderSettings = { ...settings, fields: CONTRACT_FIELDS }
  const worker = new Worker(workerUrl(), { workerData })
  try {
    const nextId = await ready(worker)
    return run(worker, nextId, paths.har, { release, onBad, maxQueuedBytes })
  } catch (cause) {
    release()
    await worker.terminate()
    throw cause
  }
}

function run(
  worker: Worker,
  firstId: number,
  path: string,
  lifetime: { release: () => void; onBad: (status: RecordingStatus) => void; maxQueuedBytes: number },
): Writer {
  const queue = createQueue(lifetime.maxQueuedBytes)
  const ends = new Map<number, number>()
  let state: RecordingStatus['state'] = 'recording'
  let fault: CassetteError | undefined
  let nextId = firstId
  let exchanges = 0
  let written = 0
  let scheduled = false
  let idle: (() => void)[] = []
  let answered: ((message: FromRecorder) => void) | undefined

  const send = (message: ToRecorder, transfer: ArrayBuffer[] = []) => worker.postMessage(message, transfer)
  const status = (): RecordingStatus => ({
    state,
    exchanges,
    written,
    queuedBytes: queue.bytes(),
    ...(fault && { fault }),
  })
  const settle = () => {
    if (state === 'recording' && (queue.waiting() > 0 || queue.inFlight() > 0)) return
    for (const resolve of idle) resolve()
    idle = []
  }
  const spoil = (cause: CassetteError) => {
    if (state !== 'recording') return
    state = 'bad'
    fault = cause
    queue.clear()
    send({ kind: 'spoil' })
    settle()
    lifetime.onBad(status())
  }
  const pump = () => {
    scheduled = false
    while (state === 'recording' && queue.inFlight() < MAX_IN_FLIGHT) {
      const batch = queue.next()
      if (batch === undefined) return
      ends.set(batch.number, batch.items.filter((item) => 'end' in item).length)
      send(batch, [batch.bytes.buffer as ArrayBuffer])
    }
  }
  const taken = (room: boolean) => {
    if (!room) {
      spoil(
        new CassetteError(
          'incomplete-recording',
          path,
          `the recorder could not keep up (${lifetime.maxQueuedBytes} bytes were waiting).`,
        ),
      )
    } else if (!scheduled) {
      scheduled = true
      setImmediate(pump)
    }
  }

  worker.on('message', (message: FromRecorder) => {
    if (message.kind === 'written') {
      queue.release(message.number)
      if (state === 'recording') written += ends.get(message.number) ?? 0
      ends.delete(message.number)
      pump()
      settle()
    } else if (message.kind === 'bad') spoil(errorOf(message.failure))
    else answered?.(message)
  })
  worker.on('error', (cause) => {
    const error = new CassetteError(
      'incomplete-recording',
      path,
      'the recorder ended unexpectedly.',
      {},
      { cause },
    )
    spoil(error)
    answered?.({ kind: 'failed', failure: error })
  })
  // A process that has nothing else to do may end; what was acknowledged is on the disk.
  worker.unref()

  const flush = () =>
    new Promise<void>((resolve) => {
      // The thread holds the process only while somebody waits for it.
      worker.ref()
      idle.push(() => {
        worker.unref()
        resolve()
      })
      pump()
      settle()
    })
  const ask = (message: ToRecorder) =>
    new Promise<FromRecorder>((resolve) => {
      worker.ref()
      answered = resolve
      send(message)
    })
  const end = async (last: 'finished' | 'closed') => {
    state = last
    await worker.terminate()
    lifetime.release()
  }

  const open = ({ startedAt, lane, operation, request }: StartedExchange): number => {
    const id = nextId++
    exchanges++
    if (state !== 'recording') return id
    const { method, target, httpVersion, headers, body } = request
    taken(queue.open({ id, startedAt, lane, operation, method, target, httpVersion, headers }, body))
    return id
  }
  const endOf = (id: number, { durationMs, origin, reply }: EndedExchange) => {
    if (state === 'recording')
      taken(queue.end({ id, durationMs, origin }, reply satisfies CapturedReply | undefined))
  }

  return {
    open,
    end: endOf,
    record: (exchange) => endOf(open(exchange), exchange),
    learn: (secret) => {
      if (state === 'recording') taken(queue.learn(secret))
    },
    markBad: (detail) => spoil(new CassetteError('incomplete-recording', path, detail)),
    status,
    flush,
    finish: async (continuations = []) => {
      if (state === 'finished' || state === 'closed')
        throw new CassetteError('incomplete-recording', path, 'the recording has ended already.')
      await flush()
      const answer = await ask({ kind: 'finish', continuations })
      const bad = fault
      await end('finished')
      if (bad) throw bad
      if (answer.kind === 'failed') throw errorOf(answer.failure)
      if (answer.kind !== 'finished') throw new Error(`unexpected answer ${answer.kind}`)
      return answer.finished
    },
    close: async () => {
      if (state === 'finished' || state === 'closed') return
      await flush()
      await ask({ kind: 'close' })
      await end('closed')
    },
  }
}

function ready(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (message: FromRecorder) => {
      worker.off('error', reject)
      if (message.kind === 'ready') resolve(message.nextId)
      else
        reject(message.kind === 'failed' ? errorOf(message.failure) : new Error('the recorder did not start'))
    })
  })
}

function errorOf({ reason, path, detail, place }: SentError): CassetteError {
  return new CassetteError(reason, path, detail, place)
}

/**
 * Where the recorder's thread starts: always the compiled file. Node 20 runs no TypeScript in a thread, so the build
 * is needed also when the sources themselves are imported, as the tests do.
 */
export function workerUrl(): URL {
  return new URL('dist/cassettes/writer/thread.js', packageRoot())
}
