/// <reference lib="esnext.disposable" preserve="true" />
import { CassetteError } from './cassettes/cassette-error.ts'
import type { MissReport } from './cassettes/miss/report.ts'
import type { Ledger } from './cassettes/tape/ledger.ts'
import type { Config } from './config/schema.ts'
import type { Recorded } from './recorder/recorded.ts'
import { defaultMode, doingOf, type RecordMode } from './start/record-mode.ts'

export type { Ledger, MissReport, Recorded, RecordMode }
export { CassetteError }

export type ReplayOptions = {
  /** A configuration, for its outcome rules and seeded scores; by default the built-in ones. */
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
  /** A configuration, for its outcome rules and seeded scores; by default the built-in ones. */
  readonly config?: string
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
  }>
  /** Finishes it at the end of a block: `await using sandbox = await record(…)`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Records what passes to a sandbox and back, or replays it, as `sandgate record` does. @throws CassetteError */
export async function record(options: RecordOptions): Promise<Recording> {
  const { out, mode = defaultMode(process.env), upstream, config } = options
  if (upstream === undefined && doingOf(mode, out) !== 'replay')
    throw new TypeError(`record: ${out} is to be recorded, so name the upstream`)
  const key = process.env.SANDGATE_CASSETTE_KEY
  const { startSession } = await import('./start/recording.ts')
  const session = await startSession({
    mode,
    out,
    upstream: upstream === undefined ? undefined : new URL(upstream),
    port: 0,
    config: await configOf(config),
    ...(key && { cassetteKey: key }),
    ref: options.ref === true,
  })
  const finish = once(async () => {
    const recorded = await session.finish()
    return { recorded, ledger: session.ledger() }
  })
  return { url: session.url, misses: session.misses, finish, ...disposedBy(finish) }
}

/** A second call gets what the first one got. */
function once<T>(end: () => Promise<T>): () => Promise<T> {
  let ended: Promise<T> | undefined
  return () => {
    ended ??= end()
    return ended
  }
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
