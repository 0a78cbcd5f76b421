import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from '../../make-directory.ts'
import { authToken } from '../../operations/auth-token.ts'
import { CassetteError, unwritable } from '../cassette-error.ts'
import { acquireLock } from '../file/lock.ts'
import { type CassettePaths, cassettePaths, followedPath, setAside } from '../file/paths.ts'
import type { CapturedExchange } from '../interaction.ts'
import { CONTRACT_FIELDS } from '../redaction/contract.ts'
import type { Continuation } from '../tape/continuation.ts'
import type { Finished, RecorderSettings } from './messages.ts'
import { createPump, type Pump } from './pump.ts'
import { errorOf, type RecorderThread, startThread } from './recorder-thread.ts'

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

export type WriterOptions = Omit<RecorderSettings, 'fields' | 'tokenOperation'> & {
  /** Called when the recording turns bad, once. It must not throw. */
  readonly onBad?: (status: RecordingStatus) => void
  /** What may wait for the recorder; beyond it the recording is bad. 32 MiB by default. */
  readonly maxQueuedBytes?: number
}

type StartedExchange = Pick<CapturedExchange, 'startedAt' | 'lane' | 'operation' | 'request'>
type EndedExchange = Pick<CapturedExchange, 'durationMs' | 'origin' | 'reply' | 'noReply'>

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
   * it. `isPartial`: a finished cassette stays, and this one is written beside it as `name.partial.har`.
   * @throws CassetteError; what was there before then stands.
   */
  readonly finish: (continuations?: readonly Continuation[], isPartial?: boolean) => Promise<Finished>
  /** Where the journal of another recording stands that was in the way. */
  readonly setAside: string | undefined
  /** Leaves the journal as it is: a later recorder can resume it. */
  readonly close: () => Promise<void>
}

const MAX_QUEUED_BYTES = 32 * 1024 * 1024

/** @throws CassetteError `busy` when somebody records this cassette, `unfinished`, `unwritable`, or what a loader finds. */
export async function createWriter(options: WriterOptions): Promise<Writer> {
  const { onBad = () => {}, maxQueuedBytes = MAX_QUEUED_BYTES, ...settings } = options
  const paths = cassettePaths(settings.path)
  prepareTarget(paths)
  const release = acquireLock(paths.lock)
  try {
    // The contract's fields go over as data, so that the thread need not load the contract.
    const thread = await startThread({ ...settings, fields: CONTRACT_FIELDS, tokenOperation: authToken.id })
    return writeThrough(thread, paths, { release, onBad, maxQueuedBytes })
  } catch (cause) {
    release()
    throw cause
  }
}

/** What would fail at the end of a recording fails before it begins. @throws CassetteError */
function prepareTarget({ har }: CassettePaths): void {
  let target: string
  try {
    target = followedPath(har)
  } catch (cause) {
    throw unwritable(har, cause)
  }
  try {
    for (const path of [har, target]) makeDirectory(dirname(path))
  } catch (cause) {
    throw unwritable(har, cause, 'its directory cannot be made')
  }
  if (statSync(target, { throwIfNoEntry: false })?.isDirectory())
    throw new CassetteError('unwritable', har, 'is a directory, not a file.')
}

type Lifetime = {
  /** Gives up the lock. */
  readonly release: () => void
  readonly onBad: (status: RecordingStatus) => void
  readonly maxQueuedBytes: number
}

/** One recording, from its first exchange to its end. */
type Recording = {
  readonly path: string
  state: RecordingStatus['state']
  fault: CassetteError | undefined
  exchanges: number
}

function writeThrough(
  thread: RecorderThread,
  { har: path, journal }: CassettePaths,
  { release, onBad, maxQueuedBytes }: Lifetime,
): Writer {
  const pump = createPump(maxQueuedBytes, thread.send)
  const recording: Recording = { path, state: 'recording', fault: undefined, exchanges: 0 }

  const status = (): RecordingStatus => {
    const { state, exchanges, fault } = recording
    return { state, exchanges, ...pump.counts(), ...(fault && { fault }) }
  }
  const markBad = (fault: CassetteError) => {
    if (recording.state !== 'recording') return
    recording.state = 'bad'
    recording.fault = fault
    pump.drop()
    thread.send({ kind: 'mark-bad' })
    onBad(status())
  }
  const incomplete = (detail: string, options?: ErrorOptions) =>
    new CassetteError('incomplete-recording', path, detail, {}, options)
  thread.listen({
    onWritten: pump.written,
    onBad: markBad,
    onDied: (cause) => {
      // Nobody else can do it any more, and under its own name somebody would go on with it.
      const aside = setAsideQuietly(journal)
      const where = aside === undefined ? '' : ` What was recorded stands in ${aside}.`
      const error = incomplete(`the recorder ended unexpectedly.${where}`, { cause })
      markBad(error)
      return error
    },
  })
  const flush = () => thread.during(pump.idle())

  return {
    ...handOver(recording, thread.firstId, pump, () =>
      markBad(incomplete(`the recorder could not keep up (${maxQueuedBytes} bytes were waiting).`)),
    ),
    ...ending(recording, thread, flush, release),
    setAside: thread.setAside,
    status,
    flush,
    markBad: (detail) => markBad(incomplete(detail)),
  }
}

function setAsideQuietly(journal: string): string | undefined {
  try {
    return setAside(journal, 'incomplete')
  } catch {
    // The disk may be what has ended the recorder.
    return undefined
  }
}

/** What the traffic calls: everything goes into the queue, as long as the recording is good. */
function handOver(
  recording: Recording,
  firstId: number,
  pump: Pump,
  onOverflow: () => void,
): Pick<Writer, 'open' | 'end' | 'record' | 'learn'> {
  let nextId = firstId
  const offer: Pump['offer'] = (put) => {
    if (recording.state !== 'recording') return false
    const isTaken = pump.offer(put)
    if (!isTaken) onOverflow()
    return isTaken
  }
  const open: Writer['open'] = ({ startedAt, lane, operation, request }) => {
    const id = nextId++
    recording.exchanges++
    const { method, target, httpVersion, headers, body } = request
    const head = { id, startedAt, lane, operation, method, target, httpVersion, headers }
    offer((queue) => queue.open(head, body))
    return id
  }
  const end: Writer['end'] = (id, { durationMs, origin, reply, noReply }) => {
    offer((queue) => queue.end({ id, durationMs, origin, ...(noReply && { noReply }) }, reply))
  }
  return {
    open,
    end,
    record: (exchange) => end(open(exchange), exchange),
    learn: (secret) => void offer((queue) => queue.learn(secret)),
  }
}

function ending(
  recording: Recording,
  thread: RecorderThread,
  flush: () => Promise<void>,
  release: () => void,
): Pick<Writer, 'finish' | 'close'> {
  const hasEnded = () => recording.state === 'finished' || recording.state === 'closed'
  const leave = async (last: 'finished' | 'closed') => {
    recording.state = last
    await thread.end()
    release()
  }
  return {
    finish: async (continuations = [], isPartial = false) => {
      const { path } = recording
      if (hasEnded())
        throw new CassetteError('incomplete-recording', path, 'the recording has ended already.')
      await flush()
      const answer = await thread.ask({ kind: 'finish', continuations, isPartial })
      const { fault } = recording
      await leave('finished')
      if (fault) throw fault
      if (answer.kind === 'failed') throw errorOf(answer.error)
      if (answer.kind !== 'finished') throw new Error(`unexpected answer ${answer.kind}`)
      return answer.finished
    },
    close: async () => {
      if (hasEnded()) return
      await flush()
      await thread.ask({ kind: 'close' })
      await leave('closed')
    },
  }
}
