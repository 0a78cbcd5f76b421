/// <reference lib="esnext.disposable" preserve="true" />
import { CassetteError } from './cassettes/cassette-error.ts'
import type { MissReport } from './cassettes/miss/report.ts'
import type { Ledger } from './cassettes/tape/ledger.ts'
import type { Config } from './config/schema.ts'
import { once } from './once.ts'
import type { Recorded } from './recorder/recorded.ts'
import { defaultMode, doingOf, RECORD_MODES, type RecordMode } from './start/record-mode.ts'

export type { Ledger, MissReport, Recorded, RecordMode }
export { CassetteError }

export type ReplayOptions = {
  /** A configuration, for the rules of the edge; what decides is in the cassette. By default the built-in ones. */
  readonly config?: string
  /** `shift` (default): instants around now. `freeze`: as recorded. */
  readonly time?: 'shift' | 'freeze'
  /** `contract` (default): order chooses among equal requests. `strict`: it must be kept. */
  readonly profile?: 'contract' | 'strict'
  /** Further values that the client makes up in every run, as a miss names them: `['/metadata/step']`. */
  readonly volatile?: readonly string[]
  /** `true`: it keeps the process alive until it is closed. By default a program that forgets to close it ends. */
  readonly ref?: boolean
}

export type Tape = {
  /** Where to send the requests: `http://127.0.0.1:PORT`. */
  readonly url: string
  /** Why requests were not answered, so far. */
  readonly misses: () => readonly MissReport[]
  /** Stops, and tells what became of the recording: a test asserts on `missed` and `unused`. */
  readonly close: () => Promise<Ledger>
  /** Closes it at the end of a block: `await using tape = await replay(…)`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Answers from one or several cassettes on a free port of this machine, for use in a test file:
 *
 *     const tape = await replay('recordings/payments.har')
 *     …
 *     const { missed } = await tape.close()
 *
 * @throws CassetteError when a file is missing or cannot be read; its `reason` says which.
 */
export async function replay(files: string | readonly string[], options: ReplayOptions = {}): Promise<Tape> {
  refuseUnknown('replay', options, REPLAY_OPTIONS)
  refuseValue('replay', 'time', options.time, ['shift', 'freeze'])
  refuseValue('replay', 'profile', options.profile, ['contract', 'strict'])
  refuseValue('replay', 'ref', options.ref, [true, false])
  const cassetteKey = process.env.SANDGATE_CASSETTE_KEY
  const [{ startReplay }, { loadSound }, { createLogger }] = await Promise.all([
    import('./start/replay.ts'),
    import('./cassettes/file/load.ts'),
    import('./observe/logger.ts'),
  ])
  const gateway = await startReplay({
    load: () => (typeof files === 'string' ? [files] : files).map((file) => loadSound(file)),
    config: await configOf(options.config),
    partners: 'any',
    logger: createLogger({ requests: false, format: 'off' }),
    ...(options.profile && { profile: options.profile }),
    ...(options.time && { time: options.time }),
    ...(options.volatile && { volatile: options.volatile }),
    ...(cassetteKey && { cassetteKey }),
    ref: options.ref === true,
  })
  const close = once(async () => {
    await gateway.close()
    return gateway.ledger()
  })
  return { url: gateway.url, misses: gateway.misses, close, ...disposedBy(close) }
}

export type RecordOptions = {
  /** The sandbox that is recorded. Not needed, and not asked for anything, where the cassette is only replayed. */
  readonly upstream?: string
  /** `name.har`. */
  readonly out: string
  /**
   * What happens when the file is there and when it is not: `none` only replays, `once` records what is absent and
   * replays what is there, `new_episodes` replays and adds what misses, `all` records anew. By default `none` where
   * `CI` is set, else `once`.
   */
  readonly mode?: RecordMode
  /** A configuration, for what decides where the sandbox does not tell it; by default the built-in one. */
  readonly config?: string
  /** Leaves URLs as the sandbox has them; those that lead past the recorder are named at the end. */
  readonly keepUrls?: boolean
  /** Takes a recording whose answers are not all whole; else the cassette that is there stays. */
  readonly allowIncomplete?: boolean
  /** `true`: it keeps the process alive until it is finished. */
  readonly ref?: boolean
}

export type Recording = {
  /** Where to send the requests. */
  readonly url: string
  /** Why requests were not answered, so far. */
  readonly misses: () => readonly MissReport[]
  /** Stops, and writes the cassette when there is something to write. @throws CassetteError */
  readonly finish: () => Promise<{
    /** Undefined when nothing was recorded. */
    readonly recorded: Recorded | undefined
    /** Undefined when nothing was replayed. */
    readonly ledger: Ledger | undefined
    /** With `keepUrls`: the URLs that lead past the recorder, without their queries. */
    readonly urlsPast: readonly string[]
  }>
  /** Finishes it at the end of a block: `await using sandbox = await record(…)`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Records what passes to a sandbox and back, or replays it, as `sandgate record` does. @throws CassetteError */
export async function record(options: RecordOptions): Promise<Recording> {
  refuseUnknown('record', options, RECORD_OPTIONS)
  const { out, mode = defaultMode(process.env), upstream, config } = options
  const { keepUrls = false, allowIncomplete = false } = options
  if (upstream === undefined && doingOf(mode, out) !== 'replay')
    throw new TypeError(`record: ${out} is to be recorded, so name the upstream`)
  refuseValue('record', 'mode', mode, RECORD_MODES)
  for (const name of ['keepUrls', 'allowIncomplete', 'ref'] as const)
    refuseValue('record', name, options[name], [true, false])
  const key = process.env.SANDGATE_CASSETTE_KEY
  const { startSession } = await import('./start/recording.ts')
  const read = await configOf(config)
  const deciding = config === undefined ? undefined : { rules: read.outcomes, scores: read.scores }
  const urlsPast: string[] = []
  const session = await startSession({
    ...{ mode, out, keepUrls, allowsIncomplete: allowIncomplete },
    onPast: (url) => urlsPast.push(url),
    upstream: upstream === undefined ? undefined : new URL(upstream),
    port: 0,
    config: read,
    ...(deciding && { deciding }),
    ...(key && { cassetteKey: key }),
    ref: options.ref === true,
  })
  const finish = once(async () => {
    const recorded = await session.finish()
    return { recorded, ledger: session.ledger(), urlsPast }
  })
  return { url: session.url, misses: session.misses, finish, ...disposedBy(finish) }
}

const REPLAY_OPTIONS = [
  'config',
  'time',
  'profile',
  'volatile',
  'ref',
] as const satisfies (keyof ReplayOptions)[]
const RECORD_OPTIONS = [
  'upstream',
  'out',
  'mode',
  'config',
  'keepUrls',
  'allowIncomplete',
  'ref',
] as const satisfies (keyof RecordOptions)[]

/** A test file in JavaScript has nobody else who would tell it: an option that is not read would change nothing. */
function refuseUnknown(name: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((option) => !known.includes(option))
  if (unknown === undefined) return
  throw new TypeError(`${name}: there is no option ${unknown}; there are ${known.join(', ')}`)
}

function refuseValue(name: string, option: string, value: unknown, known: readonly unknown[]): void {
  if (value === undefined || known.includes(value)) return
  throw new TypeError(`${name}: ${option} is one of ${known.join(', ')}, not ${String(value)}`)
}

/** A test runner's own globals may lack the symbol, which would then name the member `undefined`. */
function disposedBy(end: () => Promise<unknown>): Pick<Tape, typeof Symbol.asyncDispose> {
  const dispose = { [Symbol.asyncDispose]: async () => void (await end()) }
  return (Symbol.asyncDispose as symbol | undefined) === undefined ? ({} as typeof dispose) : dispose
}

/** @throws Error with every mistake of the file. */
async function configOf(file: string | undefined): Promise<Config> {
  const { loadConfig } = await import('./config/load.ts')
  const result = loadConfig({ file: file ?? null })
  if (!result.ok) throw new Error(result.errors.map(({ path, message }) => `${path}: ${message}`).join('\n'))
  return result.config
}
