import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { createClientIp, createProxyCheck } from '../checks/client-ip.ts'
import { type Clock, type ControllableClock, controllableClock, instant, systemClock } from '../clock.ts'
import { demoCredentials } from '../config/demo.ts'
import { lameDuckMs } from '../config/reach.ts'
import type { Config } from '../config/schema.ts'
import { type Decider, decidedBy } from '../decisions/decide.ts'
import { createSimulator } from '../decisions/simulator.ts'
import type { Edge, Gateway } from '../gateway/context.ts'
import { createDeciding } from '../gateway/deciding.ts'
import { createEndpoints } from '../gateway/endpoint.ts'
import { createLifecycle } from '../gateway/lifecycle.ts'
import type { ConfigurationControl } from '../gateway/operator-configuration.ts'
import { createOperatorServer } from '../gateway/operator-server.ts'
import { operatorUsage } from '../gateway/operator-usage.ts'
import { readOverview } from '../gateway/overview.ts'
import { createPartnerServer } from '../gateway/partner-server.ts'
import { portalParts } from '../gateway/portal-parts.ts'
import { portalSessions } from '../gateway/portal-session.ts'
import { createRecordings, type Recordings } from '../gateway/recordings.ts'
import { createRevocations } from '../gateway/revocations.ts'
import { deriveSettings } from '../gateway/settings.ts'
import { createUnfinishedRequests } from '../gateway/unfinished.ts'
import { widgetParts } from '../gateway/widget-decision.ts'
import { boundConnections } from '../gateway/wire/connections.ts'
import type { Logger } from '../observe/logger.ts'
import { createMetrics, type Metrics } from '../observe/metrics.ts'
import { createProcessMetrics } from '../observe/process-metrics.ts'
import { createUsageHistory, type UsageHistory } from '../observe/usage-history.ts'
import { authToken } from '../operations/auth-token.ts'
import { buildOpenApi } from '../operations/openapi.ts'
import { OPERATIONS } from '../operations/operations.ts'
import { docsPages } from '../portal/docs-page.ts'
import { portalPages } from '../portal/portal.ts'
import { publicDocuments } from '../portal/public-documents.ts'
import { startPage } from '../portal/start-page.ts'
import { widgetPages } from '../portal/widget.ts'
import { createIds, type Ids } from '../simulator/ids.ts'
import { publishOutcomes } from '../simulator/published-outcomes.ts'
import { type EmbeddedStoreOptions, openEmbeddedStore } from '../store/embedded.ts'
import { createMemoryStore } from '../store/memory.ts'
import type { Store } from '../store/store.ts'
import { createRegistryInSlices } from '../tokens/registry.ts'
import { createSigningKeys } from '../tokens/signing-keys.ts'
import { createVerifier } from '../tokens/verify.ts'
import { createDeciders, type UpstreamParts } from './deciders.ts'
import { type ConfigurationState, connectionsOf, partnerReads, whatIsRead } from './metric-sources.ts'
import { stop } from './shutdown.ts'
import { startSweeping } from './sweeping.ts'
import { createTrust } from './trust.ts'

export type StartOptions = {
  readonly config: Config
  readonly logger: Logger
  /** The state of the files on disk, for /readyz and the metrics. */
  readonly configuration?: () => ConfigurationState
  /** The files themselves, for commands that have changed them. */
  readonly files?: Pick<ConfigurationControl, 'files' | 'reload'>
  /** The clock to run on; by default the system's. */
  readonly clock?: Clock
  /** Where identifiers come from; by default random. */
  readonly ids?: Ids
  /** Sees every exchange in place of the recordings that an operator starts. */
  readonly observer?: Pick<Recordings, 'isActive' | 'record'>
  /** Who decides; by default the simulator. */
  readonly decider?: Decider
  /** How names of an upstream are looked up; by default as the system does. */
  readonly lookup?: UpstreamParts['lookup']
  /** Who counts; by default metrics and usage history of its own. */
  readonly counts?: { readonly metrics: Metrics; readonly history: UsageHistory }
}

export type RunningGateway = {
  readonly partnerUrl: string
  readonly operatorUrl: string
  /** Takes a new configuration into use; resolves when requests see it. Counters survive. */
  readonly reconfigure: (config: Config) => Promise<void>
  /** Serves for the lame-duck time, finishes what is in flight within the deadline, flushes and closes. */
  readonly close: () => Promise<void>
}

/** Opens the store and both listeners. Resolves when both answer. */
export async function startGateway(options: StartOptions): Promise<RunningGateway> {
  const { config, logger } = options
  const clock = config.clock.controllable ? controllableClock(options.clock) : (options.clock ?? systemClock)
  // A gateway that is starting is asked again.
  let takeOperator = (socket: Socket): void => void socket.destroy()
  const store = await openStore(config, {
    onCommit: (ms) => metrics.observe('sandgate_store_commit_duration_seconds', {}, ms / 1000),
    onConnection: (socket) => takeOperator(socket),
  })
  const ids = options.ids ?? createIds(clock)
  const lifecycle = createLifecycle(config.server)
  // Known once the partner listener is bound; nothing is answered before.
  let boundUrl = ''
  const publicUrl = () => config.listen.publicUrl ?? boundUrl
  const issuer = () => config.tokens.issuer ?? publicUrl()
  const shared = { store, ids, publicUrl }
  const revocations = createRevocations()
  let settings = deriveSettings(config, shared)
  const configuration = options.configuration ?? (() => ({ ok: true }))
  let generation = 1
  let reconfiguring: Promise<void> = Promise.resolve()
  const unfinished = createUnfinishedRequests(config.server)
  const clientOf = createClientIp(config.listen.trustedProxies)
  const signingKeys = createSigningKeys({
    directory: config.store.engine === 'embedded' ? config.store.path : null,
    clock,
    lifetimeSeconds: config.tokens.lifetimeSeconds,
    publishSeconds: config.tokens.publishSeconds,
  })
  const recordings = createRecordings(() => settings.config, publicUrl, clock, logger)
  const ownMetrics = () =>
    createMetrics({
      reads: {
        ...whatIsRead({ config, clock, store, lifecycle, signingKeys, recordings, configuration }),
        sandgate_requests_unfinished: unfinished.count,
        sandgate_connections: () => connectionsOf(partner),
        sandgate_connections_refused_total: () => connections.refused(),
        sandgate_upstream_breaker_open: () => Number(live.upstream()?.breaker === 'open'),
        sandgate_upstream_breaker_opened_total: () => live.opened(),
        sandgate_configuration_generation: () => generation,
      },
      partners: partnerReads(store, clock, () => settings),
      processMetrics: createProcessMetrics(),
    })
  const metrics = options.counts?.metrics ?? ownMetrics()
  metrics.configured(config)
  const live = createDeciders(
    createSimulator(() => settings.simulation),
    config,
    {
      ...{ signingKeys, publicUrl, issuer, logger, metrics },
      ...(options.lookup && { lookup: options.lookup }),
    },
  )
  const trusted = createTrust(config, { publicUrl, boundUrl: () => boundUrl, logger })
  const history = options.counts?.history ?? createUsageHistory({ store, now: clock.now, logger })
  const sessions = portalSessions(store)
  const edge: Edge = {
    clock,
    store,
    ids,
    signingKeys,
    verifier: createVerifier({
      ...{ signingKeys, issuer, audience: config.tokens.audience, clock },
      assertions: trusted.current,
    }),
    clientOf,
    lifecycle,
    unfinished,
    logger,
    metrics,
    history,
    settings: () => settings,
    publicUrl,
    issuer,
    sessions,
    recorder: options.observer ?? recordings,
  }
  const deciders = options.decider ? decidedBy(options.decider) : live
  const gateway: Gateway = { ...edge, answerer: createDeciding(edge, deciders) }
  const documents = publicDocuments({
    signingKeys,
    jwksMaxAgeSeconds: Math.min(300, config.tokens.publishSeconds),
    issuer,
    publicUrl,
    openApi: () => buildOpenApi({ publicUrl: publicUrl() }),
    outcomes: () => publishOutcomes(settings.config.outcomes, settings.config.scores),
  })
  const demo = () => demoCredentials(settings.config)
  const pages = [
    startPage({ publicUrl, demo, hasPortal: true }),
    ...documents,
    ...docsPages({ demo }),
    ...widgetPages(widgetParts(edge, deciders)),
    ...portalPages(portalParts(edge, sessions)),
  ]
  const partner = createPartnerServer(gateway, createEndpoints(OPERATIONS, authToken, pages))
  const bounds = {
    perAddress: config.server.connectionsPerAddress,
    ownerOf: (address: string) => clientOf(address, undefined).subject,
    isProxy: createProxyCheck(config.listen.trustedProxies),
  }
  const connections = boundConnections(partner.server, bounds)
  const ready = () => {
    const draining = lifecycle.leaving()
    const health = store.health()
    const upstream = live.upstream()
    return {
      ready: !draining && health.writable && !lifecycle.stuck(),
      draining,
      overloaded: lifecycle.overloaded(),
      store: health,
      configuration: configuration(),
      ...(upstream && { upstream: { breaker: upstream.breaker } }),
    }
  }
  const operator = createOperatorServer({
    config,
    clientOf,
    logger,
    data: { config: () => settings.config, store },
    metrics,
    signingKeys,
    recordings,
    usage: (id, resolution) => operatorUsage(settings, id, resolution, clock.now()),
    clock: config.clock.controllable ? (clock as ControllableClock) : undefined,
    control: {
      files: options.files?.files ?? (() => []),
      reload: options.files?.reload ?? (async () => configuration()),
      revoke: (keyId) => {
        settings = revocations.revoke(settings, keyId)
      },
    },
    ready,
    overview: () => readOverview({ edge, ready, recordings, decides: live.upstream() ? 'remote' : 'local' }),
  })
  boundConnections(operator.server, bounds)
  const close = async (lameDuckMs: number) => {
    await stop({
      partner,
      operator,
      store,
      lifecycle,
      recordings,
      deciders: live,
      history,
      sweeping,
      lameDuckMs,
      drainMs: config.server.drainMs,
    })
    trusted.stop()
  }
  const sweeping = startSweeping(store, clock, logger)
  try {
    boundUrl = await listen(partner, config.listen)
    const operatorUrl = await listen(operator, config.operator)
    takeOperator = operator.take
    if (config.recording.mode === 'all') await recordings.start(nameOf(clock.now()), null)
    return {
      partnerUrl: boundUrl,
      operatorUrl,
      reconfigure: (next) => {
        // One after the other, in the order in which they were asked for.
        reconfiguring = reconfiguring.then(async () => {
          live.use(next)
          trusted.use(next)
          const { outcomes, scores } = settings.config
          const registry = await createRegistryInSlices(next.partners)
          settings = revocations.reapply(deriveSettings(next, shared, registry))
          metrics.configured(next)
          generation++
          if (!isDeepStrictEqual([outcomes, scores], [next.outcomes, next.scores])) recordings.rulesChanged()
        })
        return reconfiguring
      },
      close: () => close(lameDuckMs(config)),
    }
  } catch (error) {
    await close(0)
    throw error
  }
}

type StoreEvents = Required<Pick<EmbeddedStoreOptions, 'onCommit' | 'onConnection'>>

async function openStore({ store }: Config, events: StoreEvents): Promise<Store> {
  if (store.engine === 'memory') return createMemoryStore({ onCommit: events.onCommit })
  return openEmbeddedStore({ path: store.path, reserveBytes: store.reserveBytes, ...events })
}

async function listen(app: FastifyInstance, at: { host: string; port: number }): Promise<string> {
  await app.ready()
  app.server.listen(at.port, at.host)
  await once(app.server, 'listening')
  const { port } = app.server.address() as AddressInfo
  return `http://${at.host.includes(':') ? `[${at.host}]` : at.host}:${port}`
}

/** `sandgate-2026-01-15t09-30-00`: a cassette of its own for every start. */
function nameOf(now: number): string {
  return `sandgate-${instant(now).slice(0, 19).replaceAll(':', '-').toLowerCase()}`
}
