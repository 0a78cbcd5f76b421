import type { FastifyInstance } from 'fastify'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import type { Lifecycle } from '../gateway/lifecycle.ts'
import type { Recordings } from '../gateway/recordings.ts'
import type { Settings } from '../gateway/settings.ts'
import type { PartnerReads } from '../observe/partner-series.ts'
import type { Reads } from '../observe/series.ts'
import type { Store } from '../store/store.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'

/** What the gateway knows of its configuration files. */
export type ConfigurationState = {
  readonly ok: boolean
  readonly errors?: readonly string[]
  /** Settings that the files have changed and that count only after a restart. */
  readonly needsRestart?: readonly string[]
  /** Reloads that mistakes have stopped since the start. */
  readonly failures?: number
  /** How long the last reload took. */
  readonly reloadMs?: number | undefined
}

export type MetricSources = {
  readonly config: Config
  readonly clock: Clock
  readonly store: Store
  readonly lifecycle: Lifecycle
  readonly signingKeys: SigningKeys
  readonly recordings: Recordings
  readonly configuration: () => ConfigurationState
}

/** Where the metrics that are read when Prometheus asks come from. */
export function whatIsRead(sources: MetricSources): Reads {
  const { config, clock, store, lifecycle, signingKeys, recordings, configuration } = sources
  const stats = () => store.stats(clock.now())
  return {
    sandgate_requests_in_flight: lifecycle.inFlight,
    sandgate_requests_in_flight_limit: () => config.server.maxInFlight,
    sandgate_overloaded: () => Number(lifecycle.overloaded()),
    sandgate_cap_overshoots_total: () => stats().overshoots,
    sandgate_store_writable: () => Number(store.health().writable),
    sandgate_store_errors_total: () => stats().failures,
    sandgate_store_waiting: () => stats().waiting,
    sandgate_store_bytes: () => stats().disk?.bytes,
    sandgate_store_free_bytes: () => stats().disk?.freeBytes,
    sandgate_store_reusable_bytes: () => stats().disk?.reusableBytes,
    sandgate_store_sweep_backlog_seconds: () => stats().sweepBacklogMs / 1000,
    sandgate_recordings: () => recordings.counts().active,
    sandgate_recordings_bad: () => recordings.counts().bad,
    sandgate_recorded_exchanges_total: () => recordings.counts().recorded,
    sandgate_recording_dropped_exchanges_total: () => recordings.counts().dropped,
    sandgate_signing_key_age_seconds: () => keyAgeSeconds(signingKeys, clock),
    sandgate_configuration_good: () => Number(configuration().ok),
    sandgate_configuration_reload_duration_seconds: () => (configuration().reloadMs ?? 0) / 1000,
    sandgate_configuration_reload_failures_total: () => configuration().failures ?? 0,
    sandgate_configuration_needs_restart: () => configuration().needsRestart?.length ?? 0,
  }
}

export function connectionsOf({ server }: FastifyInstance): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

async function keyAgeSeconds(keys: SigningKeys, clock: Clock): Promise<number | undefined> {
  const active = (await keys.list()).find(({ state }) => state === 'active')
  return active && Math.max(0, clock.now() - Date.parse(active.createdAt)) / 1000
}

/** What is read of a partner: its caps and what it holds. */
export function partnerReads(store: Store, clock: Clock, settings: () => Settings): PartnerReads {
  return {
    capsOf: (id) => {
      const { registry, capsOf } = settings()
      const partner = registry.partner(id)
      return partner ? store.usage(id, capsOf(partner), clock.now()) : []
    },
    quotasOf: async (id) => {
      const { registry, config } = settings()
      const { answerBytes, ...records } = config.store.quotas
      const partner = registry.partner(id)
      if (!partner) return []
      const held = await store.dataUsage({ partner: id, tenant: partner.tenant })
      return held.map(({ kind, used }) => ({
        kind,
        used,
        limit: kind === 'keys' ? answerBytes : records[kind],
      }))
    },
  }
}
