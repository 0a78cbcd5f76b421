import type { Socket } from 'node:net'
import { createClientIp } from '../checks/client-ip.ts'
import { controllableClock, systemClock } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import { type Deciders, decidedBy } from '../decisions/decide.ts'
import { createSimulator } from '../decisions/simulator.ts'
import type { Edge } from '../gateway/context.ts'
import { createLifecycle } from '../gateway/lifecycle.ts'
import { portalSessions } from '../gateway/portal-session.ts'
import { createRecordings, type Recordings } from '../gateway/recordings.ts'
import { createUnfinishedRequests } from '../gateway/unfinished.ts'
import { createMetrics } from '../observe/metrics.ts'
import { createProcessMetrics } from '../observe/process-metrics.ts'
import { createUsageHistory } from '../observe/usage-history.ts'
import type { Sessions } from '../portal/sign-in/sessions.ts'
import { createIds } from '../simulator/ids.ts'
import { type EmbeddedStoreOptions, openEmbeddedStore } from '../store/embedded.ts'
import { createMemoryStore } from '../store/memory.ts'
import type { Awaitable, Store } from '../store/store.ts'
import { createSigningKeys } from '../tokens/signing-keys.ts'
import { createVerifier } from '../tokens/verify.ts'
import { createDeciders, type LiveDeciders } from './deciders.ts'
import { createLiveSettings, type LiveSettings } from './live-settings.ts'
import { type ConfigurationState, partnerReads, whatIsRead } from './metric-sources.ts'
import type { StartOptions } from './options.ts'
import { createTrust, type Trust } from './trust.ts'

/** What is known, or answers, only once the listeners are there. */
export type Doors = {
  /** Where the partner listener is bound. */
  boundUrl: string
  /** Serves a connection to the socket of the data directory; a gateway that is starting is asked again. */
  operator: (socket: Socket) => void
  /** Connections of partners, and those that were refused. */
  connections: () => Awaitable<number>
  refused: () => number
}

/** Everything of a gateway but its listeners. */
export type Parts = {
  readonly edge: Edge
  readonly settings: LiveSettings
  readonly recordings: Recordings
  readonly sessions: Sessions
  readonly live: LiveDeciders
  readonly deciders: Deciders
  readonly trusted: Trust
  readonly configuration: () => ConfigurationState
  readonly doors: Doors
}

/** Opens the store, and makes what works behind both listeners. */
export async function openParts(options: StartOptions): Promise<Parts> {
  const { config, logger } = options
  const clock = config.clock.controllable ? controllableClock(options.clock) : (options.clock ?? systemClock)
  const doors: Doors = {
    boundUrl: '',
    operator: (socket) => void socket.destroy(),
    connections: () => 0,
    refused: () => 0,
  }
  const store = await openStore(config, {
    onCommit: (ms) => metrics.observe('sandgate_store_commit_duration_seconds', {}, ms / 1000),
    onConnection: (socket) => doors.operator(socket),
  })
  const ids = options.ids ?? createIds(clock)
  const lifecycle = createLifecycle(config.server)
  const publicUrl = () => config.listen.publicUrl ?? doors.boundUrl
  const issuer = () => config.tokens.issuer ?? publicUrl()
  const settings = createLiveSettings(config, { store, ids, publicUrl })
  const configuration = options.configuration ?? (() => ({ ok: true }))
  const unfinished = createUnfinishedRequests(config.server)
  const signingKeys = createSigningKeys({
    directory: config.store.engine === 'embedded' ? config.store.path : null,
    clock,
    lifetimeSeconds: config.tokens.lifetimeSeconds,
    publishSeconds: config.tokens.publishSeconds,
    ...(options.firstKey && { first: options.firstKey }),
  })
  const recordings = createRecordings({
    config: () => settings.current().config,
    origin: publicUrl,
    ...{ clock, logger },
  })
  const ownMetrics = () =>
    createMetrics({
      reads: {
        ...whatIsRead({ config, clock, store, lifecycle, signingKeys, recordings, configuration }),
        sandgate_requests_unfinished: unfinished.count,
        sandgate_connections: () => doors.connections(),
        sandgate_connections_refused_total: () => doors.refused(),
        sandgate_upstream_breaker_open: () => Number(live.upstream()?.breaker === 'open'),
        sandgate_upstream_breaker_opened_total: () => live.opened(),
        sandgate_configuration_generation: settings.generation,
      },
      partners: partnerReads(store, clock, settings.current),
      processMetrics: createProcessMetrics(),
    })
  const metrics = options.counts?.metrics ?? ownMetrics()
  metrics.configured(config)
  const live = createDeciders(
    createSimulator(() => settings.current().simulation),
    config,
    {
      ...{ signingKeys, publicUrl, issuer, logger, metrics },
      ...(options.lookup && { lookup: options.lookup }),
    },
  )
  const trusted = createTrust(config, { publicUrl, boundUrl: () => doors.boundUrl, logger })
  const history = options.counts?.history ?? createUsageHistory({ store, now: clock.now, logger })
  const sessions = portalSessions(store)
  const edge: Edge = {
    ...{ clock, store, ids, signingKeys, lifecycle, unfinished, logger, metrics, history, sessions },
    ...{ publicUrl, issuer, settings: settings.current },
    clientOf: createClientIp(config.listen.trustedProxies),
    verifier: createVerifier({
      ...{ signingKeys, issuer, audience: config.tokens.audience, clock },
      assertions: trusted.current,
    }),
    recorder: options.observer ?? recordings,
  }
  const deciders = options.decider ? decidedBy(options.decider) : live
  return {
    ...{ edge, settings, recordings, sessions },
    ...{ live, deciders, trusted, configuration, doors },
  }
}

type StoreEvents = Required<Pick<EmbeddedStoreOptions, 'onCommit' | 'onConnection'>>

async function openStore({ store }: Config, events: StoreEvents): Promise<Store> {
  if (store.engine === 'memory') return createMemoryStore({ onCommit: events.onCommit })
  return openEmbeddedStore({ path: store.path, reserveBytes: store.reserveBytes, ...events })
}
