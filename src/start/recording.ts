import { annotate } from '../cassettes/bindings/annotate.ts'
import { decidingOf } from '../cassettes/bindings/deciding.ts'
import { CassetteError } from '../cassettes/cassette-error.ts'
import { loadCassette, loadSound } from '../cassettes/file/load.ts'
import { cassettePaths } from '../cassettes/file/paths.ts'
import type { Cassette, Deciding } from '../cassettes/interaction.ts'
import { appended } from '../cassettes/merging/append.ts'
import type { MissReport } from '../cassettes/miss/report.ts'
import type { Ledger } from '../cassettes/tape/ledger.ts'
import type { Config } from '../config/schema.ts'
import { createLogger } from '../observe/logger.ts'
import type { AskedOutcomes } from '../recorder/ask-outcomes.ts'
import { DEFAULT_BOUNDS } from '../recorder/capture.ts'
import type { Player, Verdict } from '../recorder/player.ts'
import type { Recorded } from '../recorder/recorded.ts'
import { type RecorderOptions, startRecorder } from '../recorder/recorder.ts'
import { type Doing, doingOf, type RecordMode } from './record-mode.ts'
import { type ReplayGateway, startReplay } from './replay.ts'

export type SessionOptions = Pick<
  RecorderOptions,
  | 'out'
  | 'port'
  | 'secrets'
  | 'cassetteKey'
  | 'headersMs'
  | 'clock'
  | 'keepUrls'
  | 'allowsIncomplete'
  | 'onBad'
  | 'onFailure'
  | 'onPast'
  | 'onSetAside'
  | 'ref'
> & {
  readonly mode: RecordMode
  /** Not needed, and not asked for anything, where the cassette is only replayed. */
  readonly upstream: URL | undefined
  /** Edge rules of a replay. */
  readonly config: Config
  /** What decides where the sandbox does not tell it: of a configuration that somebody has named. */
  readonly deciding?: Deciding
  /** A request that got no answer. `reason`: why it was not passed on, where such requests are. */
  readonly onMiss?: (report: MissReport, reason: string | undefined) => void
}

/** Clients are answered by what the mode says: the upstream, the cassette, or both. */
export type Session = {
  readonly url: string
  readonly doing: Doing
  /** How many interactions are replayed. */
  readonly loaded: number
  /** What decides in the sandbox, and who says so; undefined where nothing is recorded. */
  readonly outcomes: AskedOutcomes | undefined
  /** What became of the cassette that was there; undefined when it was not replayed. */
  readonly ledger: () => Ledger | undefined
  readonly misses: () => readonly MissReport[]
  /**
   * Stops, and writes what was recorded; undefined when nothing was. `isPartial`: the tests failed, so a cassette that
   * would have been replaced stays. @throws CassetteError
   */
  readonly finish: (isPartial?: boolean) => Promise<Recorded | undefined>
}

/** @throws CassetteError, or the error of listening. */
export function startSession(options: SessionOptions): Promise<Session> {
  const doing = doingOf(options.mode, options.out)
  if (doing === 'replay') return replaySession(options)
  return doing === 'record' ? recordSession(options) : continueSession(options)
}

async function replaySession(options: SessionOptions): Promise<Session> {
  const { mode, out, port, onMiss } = options
  const cassette = load(out, mode)
  const gateway = await startReplay({
    ...replayOptions(options, cassette),
    port,
    onMiss: (report) => onMiss?.(report, undefined),
  })
  return {
    url: gateway.url,
    doing: 'replay',
    loaded: cassette.interactions.length,
    outcomes: undefined,
    ledger: gateway.ledger,
    misses: gateway.misses,
    finish: async () => {
      await gateway.close()
      return undefined
    },
  }
}

async function recordSession(options: SessionOptions): Promise<Session> {
  const leftover = options.mode === 'all' ? 'discard' : 'resume'
  const { url, finish, outcomes } = await startRecorder({ ...recorderOptions(options), leftover })
  return { url, doing: 'record', loaded: 0, outcomes, ledger: () => undefined, misses: () => [], finish }
}

async function continueSession(options: SessionOptions): Promise<Session> {
  const { out, mode, onMiss } = options
  // What cannot be replayed is said before a recorder begins.
  const old = load(out, mode)
  const outcomes: AskedOutcomes = { from: old.outcomes?.from ?? 'built-in', ...decidingOf(old) }
  const misses: MissReport[] = []
  let gateway: ReplayGateway | undefined
  let loaded = 0
  const player = async (url: () => string): Promise<Player> => {
    const cassette = withLeftover(options, load(out, mode))
    loaded = cassette.interactions.length
    const verdicts = new Map<string, Verdict>()
    const started = await startReplay({
      ...replayOptions({ ...options, config: forAnyBody(options.config) }, cassette),
      publicUrl: url,
      onMiss: (report, requestId) =>
        verdicts.set(requestId, {
          kind: 'miss',
          forwarded: started.forwarded,
          stays: (reason) => {
            misses.push(report)
            onMiss?.(report, reason)
          },
        }),
      onNewExchange: (requestId) => verdicts.set(requestId, { kind: 'new-exchange' }),
    })
    gateway = started
    const verdict = (requestId: string) => {
      const found = verdicts.get(requestId)
      verdicts.delete(requestId)
      return found
    }
    return { ...started, verdict }
  }
  const { url, finish } = await startRecorder({
    ...recorderOptions(options),
    outcomes,
    leftover: 'resume',
    player,
  })
  return {
    url,
    doing: 'continue',
    loaded,
    outcomes,
    ledger: () => gateway?.ledger(),
    misses: () => misses,
    finish,
  }
}

/** @throws CassetteError */
function load(out: string, mode: RecordMode): Cassette {
  const { har } = cassettePaths(out)
  try {
    return loadSound(har)
  } catch (cause) {
    if (!(cause instanceof CassetteError) || cause.reason !== 'missing') throw cause
    const detail = `${cause.detail} Mode ${mode} records nothing; mode once records what is absent.`
    throw new CassetteError('missing', har, detail, {}, { cause })
  }
}

/** What a recorder that ended without finishing had added, so that it is not asked for again. */
function withLeftover({ out }: SessionOptions, cassette: Cassette): Cassette {
  const { interactions } = loadCassette(cassettePaths(out).journal)
  if (interactions.length === 0) return cassette
  const all = appended(cassette, interactions)
  const { rules, scores } = decidingOf(cassette)
  const options = { rules, testValues: Object.keys(scores), volatile: cassette.volatile }
  return { ...all, interactions: annotate(all.interactions, options) }
}

/** Whether a body is too long is for the sandbox to say, to which it is passed on. */
function forAnyBody(config: Config): Config {
  return { ...config, server: { ...config.server, bodyBytes: DEFAULT_BOUNDS.bodyBytes } }
}

function replayOptions({ config, cassetteKey, ref = true }: SessionOptions, cassette: Cassette) {
  return {
    load: () => [cassette],
    config,
    partners: 'any',
    logger: createLogger({ requests: false, format: 'off' }),
    ref,
    ...(cassetteKey && { cassetteKey }),
  } as const
}

function recorderOptions({ mode: _, upstream, config: __, onMiss: ___, ...options }: SessionOptions) {
  if (!upstream) throw new TypeError('a recording has an upstream')
  return { ...options, upstream }
}
