import { BUILT_IN, decidingOf } from '../cassettes/bindings/deciding.ts'
import { withVolatile } from '../cassettes/bindings/volatile.ts'
import type { Cassette } from '../cassettes/interaction.ts'
import { refuseOtherKey } from '../cassettes/redaction/cassette-key.ts'
import { CONTRACT_FIELDS, redactionPolicy } from '../cassettes/redaction/contract.ts'
import { createRedactor, keyedDigest, type Redactor } from '../cassettes/redaction/redactor.ts'
import { createSecrets } from '../cassettes/redaction/secrets/secrets.ts'
import { choosingNames, createTape, type Tape, type TapeOptions } from '../cassettes/tape/tape.ts'
import { createClientIp } from '../checks/client-ip.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import { type Decider, decidedBy } from '../decisions/decide.ts'
import type { Edge, Gateway } from '../gateway/context.ts'
import { createEndpoints } from '../gateway/endpoint.ts'
import { createLifecycle } from '../gateway/lifecycle.ts'
import { createPartnerServer } from '../gateway/partner-server.ts'
import { createReplay, type ReplayOptions } from '../gateway/replay.ts'
import { deriveSettings } from '../gateway/settings.ts'
import { createUnfinishedRequests } from '../gateway/unfinished.ts'
import { widgetParts } from '../gateway/widget-decision.ts'
import { unrefServer } from '../http/unref-server.ts'
import type { Logger } from '../observe/logger.ts'
import { createMetrics } from '../observe/metrics.ts'
import { NO_HISTORY } from '../observe/usage-history.ts'
import { authToken } from '../operations/auth-token.ts'
import { buildOpenApi } from '../operations/openapi.ts'
import { OPERATIONS } from '../operations/operations.ts'
import { widgetPages } from '../portal/widget.ts'
import { createCaptureRoom, DEFAULT_BOUNDS } from '../recorder/capture.ts'
import { createIds } from '../simulator/ids.ts'
import { publishOutcomes } from '../simulator/published-outcomes.ts'
import { createMemoryStore } from '../store/memory.ts'
import type { RateWindow, Store, WindowState } from '../store/store.ts'
import { cachedKey } from '../tokens/cached-key.ts'
import type { Registry } from '../tokens/registry.ts'
import { createSigningKeys } from '../tokens/signing-keys.ts'
import { createVerifier } from '../tokens/verify.ts'
import { withCleanMisses } from './clean-misses.ts'
import { listen } from './listen.ts'
import { isForOneOf, livePages, startPages } from './replay-pages.ts'
import { createPairDigests } from './replay-pairs.ts'
import { anySecret, REPLAY_PARTNER } from './replay-partner.ts'

export type ReplayGatewayOptions = {
  /** Called once, while the signing key is being made, where none is kept of an earlier replay. */
  readonly load: () => readonly Cassette[]
  /** Edge rules, but for what decides, which is the cassette's; its partners count only with `partners: 'configured'`. */
  readonly config: Config
  /** `any`: every client of the tape gets its token, whatever its secret. */
  readonly partners: 'any' | 'configured'
  /** By default a free one. */
  readonly port?: number
  readonly logger: Logger
  readonly clock?: Clock
  readonly profile?: TapeOptions['profile']
  readonly time?: TapeOptions['time']
  /** Names and pointers of values that the client makes up, beside those that the cassettes know of. */
  readonly volatile?: readonly string[]
  readonly onMiss?: ReplayOptions['onMiss']
  readonly onNewExchange?: ReplayOptions['onNewExchange']
  /** What its clients type to reach it; by default where it listens. */
  readonly publicUrl?: () => string
  /** The key of the recording: redacted values are then compared. */
  readonly cassetteKey?: string
  /** `false`: a gateway that nobody has closed lets its process end. */
  readonly ref?: boolean
}

export type ReplayGateway = Pick<Tape, 'ledger' | 'loaded' | 'misses' | 'forwarded' | 'continuations'> & {
  readonly url: string
  readonly close: () => Promise<void>
}

/** The widget's pages have their routes; their answers are on the tape. */
const NOBODY_DECIDES: Decider = {
  effect: 'local',
  decide: () => {
    throw new TypeError('a tape decides nothing')
  },
}

/** What a recorder takes, so that everything that was recorded can be asked for. */
const MAX_HEADER_BYTES = 64 * 1024

/** Whatever the configuration says: a tape is for the tests of this machine. */
const HOST = '127.0.0.1'

/**
 * A gateway whose decisions come from the tape. It keeps nothing, opens no other socket, and enforces the rules of
 * the edge that follow from a request alone.
 *
 * @throws VolatileRuleError, or CassetteError
 */
export async function startReplay(options: ReplayGatewayOptions): Promise<ReplayGateway> {
  const { config, logger, cassetteKey, onMiss = () => {}, onNewExchange } = options
  const clock = options.clock ?? systemClock
  const signingKeys = createSigningKeys({
    directory: null,
    clock,
    lifetimeSeconds: config.tokens.lifetimeSeconds,
    publishSeconds: config.tokens.publishSeconds,
    first: cachedKey,
  })
  // The key is made by another thread, which takes about as long as loading a cassette does.
  const cassettes = options.load()
  for (const cassette of cassettes) refuseOtherKey(cassette, cassetteKey)
  let url = ''
  const publicUrl = options.publicUrl ?? (() => url)
  const [first] = cassettes
  const { rules, scores } = first ? decidingOf(first) : BUILT_IN
  const outcomes = () => publishOutcomes(rules, scores)
  const ownPages = [
    ...livePages({
      publishSeconds: config.tokens.publishSeconds,
      signingKeys,
      issuer: publicUrl,
      publicUrl,
      config: () => config,
      openApi: () => buildOpenApi({ publicUrl: publicUrl(), answerer: 'tape', config }),
      outcomes,
    }),
    ...startPages(cassettes, publicUrl),
  ]
  const pairs = createPairDigests(cassettes, cassetteKey)
  const redactor = redactorOf(cassettes)
  const loaded = loadTape(options, cassettes, {
    prepare: (request) => redactor.redactRequest(request).request,
    isLive: isForOneOf(ownPages),
    knowsPair: pairs.knowsPair,
  })
  const tape = withCleanMisses(loaded, redactor.redactText)
  const recordedLanes = new Set(cassettes.flatMap(({ interactions }) => interactions.map(({ lane }) => lane)))
  const anyone = anySecret(tape.callers, recordedLanes)
  const edge = createEdge({
    ...{ config, clock, logger, signingKeys, publicUrl },
    anyone: options.partners === 'any' ? anyone : undefined,
  })
  const answerer = createReplay({
    edge,
    tape,
    laneName: remembered(redactor.redactText),
    recordedOrigin: cassettes[0]?.origin,
    openLong: createCaptureRoom(DEFAULT_BOUNDS, () => {}).capture,
    onMiss,
    ...(onNewExchange && { onNewExchange }),
    // With partners of its own, the edge itself knows whose secret is right.
    ...(pairs.pairsOf && options.partners === 'any' && { pairsOf: pairs.pairsOf }),
    anyClient: anyone.anyClient,
  })
  const gateway: Gateway = { ...edge, answerer }
  const pages = [...ownPages, ...widgetPages(widgetParts(edge, decidedBy(NOBODY_DECIDES)))]
  const app = createPartnerServer(gateway, createEndpoints(OPERATIONS, authToken, pages))
  url = await listen(app, { host: HOST, port: options.port ?? 0 })
  if (options.ref === false) unrefServer(app.server)
  return {
    url,
    ledger: tape.ledger,
    loaded: tape.loaded,
    misses: tape.misses,
    forwarded: tape.forwarded,
    continuations: tape.continuations,
    close: async () => {
      // Fastify closes only what it has opened itself.
      app.server.close()
      app.server.closeAllConnections()
      await app.close()
      edge.lifecycle.close()
      await edge.store.close()
    },
  }
}

/**
 * What decides has travelled with the cassettes. Each is matched by its own rules; a value that is magic to one of them is
 * left as it is, so that it can be compared.
 */
function redactorOf(cassettes: readonly Cassette[]): Redactor {
  const decidings = cassettes.map(decidingOf)
  return createRedactor({
    policy: redactionPolicy({ allowHeaders: [...choosingNames(cassettes)] }),
    secrets: createSecrets(CONTRACT_FIELDS.words),
    rules: decidings.flatMap(({ rules }) => rules),
    configuredTestValues: decidings.flatMap(({ scores }) => Object.keys(scores)),
  })
}

function loadTape(
  { volatile = [], profile, time, cassetteKey }: ReplayGatewayOptions,
  cassettes: readonly Cassette[],
  parts: Pick<TapeOptions, 'prepare' | 'isLive' | 'knowsPair'>,
): Tape {
  return createTape(withVolatile(cassettes, volatile, decidingOf), {
    ...parts,
    volatile,
    ...(profile && { profile }),
    ...(time && { time }),
    ...(cassetteKey !== undefined && {
      digest: (rule: string, value: string) => keyedDigest(cassetteKey, rule, value),
    }),
  })
}

type EdgeParts = Pick<Edge, 'clock' | 'logger' | 'signingKeys' | 'publicUrl'> & {
  readonly config: Config
  /** Stands for the partners of the configuration. */
  readonly anyone: Registry | undefined
}

/** The edge with nothing in it that follows from load, or from what was done before. */
function createEdge({ config, anyone, ...parts }: EdgeParts): Edge {
  const { clock, signingKeys, publicUrl } = parts
  const store = unlimited(createMemoryStore())
  const ids = createIds(clock)
  const shared = { store, ids, publicUrl }
  const server = { ...config.server, headerBytes: MAX_HEADER_BYTES }
  const settings = anyone
    ? { ...deriveSettings({ ...config, server, partners: [REPLAY_PARTNER] }, shared), registry: anyone }
    : deriveSettings({ ...config, server }, shared)
  return {
    ...parts,
    ...{ store, ids, issuer: publicUrl, settings: () => settings, history: NO_HISTORY },
    verifier: createVerifier({ signingKeys, issuer: publicUrl, audience: config.tokens.audience, clock }),
    clientOf: createClientIp([]),
    // Finding the first answer of a large operation takes seconds; a 503 meanwhile was never recorded.
    lifecycle: createLifecycle({
      ...config.server,
      maxInFlight: Number.POSITIVE_INFINITY,
      maxLoopDelayMs: Number.POSITIVE_INFINITY,
    }),
    unfinished: createUnfinishedRequests(config.server),
    // A replay has no operator listener; its ledger counts.
    metrics: createMetrics({ reads: {}, partners: { capsOf: () => [], quotasOf: () => [] } }),
  }
}

const MAX_LANES = 1000

/** A run has few lanes, and asks for the name of one with every request. */
function remembered(nameOf: (lane: string) => string): (lane: string) => string {
  const names = new Map<string, string>()
  return (lane) => {
    const known = names.get(lane)
    if (known !== undefined) return known
    const name = nameOf(lane)
    if (names.size < MAX_LANES) names.set(lane, name)
    return name
  }
}

/** Nobody is limited at replay: a window is always whole, and what was refused then is on the tape. */
function unlimited(store: Store): Store {
  const whole = ({ limit, windowMs }: RateWindow, now: number): WindowState => ({
    limit,
    remaining: limit,
    resetAt: now + windowMs,
    full: false,
  })
  return { ...store, take: whole, peek: whole }
}
