import { isDeepStrictEqual } from 'node:util'
import { type Backups, createBackups } from '../backup/backups.ts'
import { createProxyCheck } from '../checks/client-ip.ts'
import { type ControllableClock, instant } from '../clock.ts'
import { lameDuckMs } from '../config/reach.ts'
import type { Config } from '../config/schema.ts'
import type { Gateway } from '../gateway/context.ts'
import { createDeciding } from '../gateway/deciding.ts'
import { createEndpoints } from '../gateway/endpoint.ts'
import { createOperatorServer, type OperatorServer } from '../gateway/operator-server.ts'
import { operatorUsage } from '../gateway/operator-usage.ts'
import { readOverview } from '../gateway/overview.ts'
import { createPartnerServer } from '../gateway/partner-server.ts'
import { boundConnections } from '../gateway/wire/connections.ts'
import { authToken } from '../operations/auth-token.ts'
import { OPERATIONS } from '../operations/operations.ts'
import { frontDoorPages } from './front-door-pages.ts'
import { listen } from './listen.ts'
import { connectionsOf } from './metric-sources.ts'
import type { StartOptions } from './options.ts'
import { openParts, type Parts } from './parts.ts'
import { readiness } from './readiness.ts'
import { stop } from './shutdown.ts'
import { startSweeping } from './sweeping.ts'

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
  const parts = await openParts(options)
  const { edge, settings, recordings, live, deciders, trusted, doors } = parts
  const { clock, store, history, lifecycle, metrics } = edge
  const gateway: Gateway = { ...edge, answerer: createDeciding(edge, deciders) }
  const pages = frontDoorPages(edge, deciders, parts.sessions)
  const partner = createPartnerServer(gateway, createEndpoints(OPERATIONS, authToken, pages))
  const {
    store: { path: dataDirectory, reserveBytes },
  } = config
  const backups = createBackups({ store, clock, dataDirectory, reserveBytes })
  const operator = operatorServer(options, parts, backups)
  const bounds = {
    perAddress: config.server.connectionsPerAddress,
    ownerOf: (address: string) => edge.clientOf(address, undefined).subject,
    isProxy: createProxyCheck(config.listen.trustedProxies),
  }
  doors.refused = boundConnections(partner.server, bounds).refused
  doors.connections = () => connectionsOf(partner)
  boundConnections(operator.server, bounds)
  const sweeping = startSweeping(store, clock, logger)
  const { drainMs } = config.server
  const close = async (lameDuckMs: number) => {
    await stop({
      ...{ partner, operator, store, lifecycle, recordings, deciders: live, history, sweeping, backups },
      ...{ lameDuckMs, drainMs },
    })
    trusted.stop()
  }
  const followers = {
    before: (next: Config) => {
      live.use(next)
      trusted.use(next)
    },
    after: (next: Config, previous: Config) => {
      metrics.configured(next)
      if (!isDeepStrictEqual(rulesOf(next), rulesOf(previous))) recordings.rulesChanged()
    },
  }
  try {
    doors.boundUrl = await listen(partner, config.listen)
    const operatorUrl = await listen(operator, config.operator)
    doors.operator = operator.take
    if (config.recording.mode === 'all') await recordings.start(nameOf(clock.now()), null)
    return {
      partnerUrl: doors.boundUrl,
      operatorUrl,
      reconfigure: (next) => settings.use(next, followers),
      close: () => close(lameDuckMs(config)),
    }
  } catch (error) {
    await close(0)
    throw error
  }
}

function operatorServer(
  { config, files, logger }: StartOptions,
  parts: Parts,
  backups: Backups,
): OperatorServer {
  const { edge, settings, recordings, live, configuration } = parts
  const { clock, store, clientOf, lifecycle, metrics, signingKeys } = edge
  const ready = readiness({ lifecycle, store, configuration, deciders: live })
  return createOperatorServer({
    ...{ config, clientOf, logger, metrics, signingKeys, recordings, ready, backups },
    data: { config: () => settings.current().config, store },
    usage: (id, resolution) => operatorUsage(settings.current(), id, resolution, clock.now()),
    clock: config.clock.controllable ? (clock as ControllableClock) : undefined,
    control: {
      files: files?.files ?? (() => []),
      reload: files?.reload ?? (async () => configuration()),
      revoke: settings.revoke,
    },
    overview: () => readOverview({ edge, ready, recordings, decides: live.upstream() ? 'remote' : 'local' }),
  })
}

/** What decides, so that a recording under other rules is another one. */
function rulesOf({ outcomes, scores }: Config): unknown {
  return [outcomes, scores]
}

/** `sandgate-2026-01-15t09-30-00`: a cassette of its own for every start. */
function nameOf(now: number): string {
  return `sandgate-${instant(now).slice(0, 19).replaceAll(':', '-').toLowerCase()}`
}
