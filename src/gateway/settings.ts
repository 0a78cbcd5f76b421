import type { ClientSubject } from '../checks/client-ip.ts'
import { type CapProduct, RATE_LIMIT_GROUPS, type RateLimitGroup } from '../config/contract.ts'
import { effectiveCaps, limitFor } from '../config/limits.ts'
import type { Partner } from '../config/partners.ts'
import type { Config } from '../config/schema.ts'
import { getOrMake } from '../map-entries.ts'
import type { Simulation } from '../operations/operation.ts'
import type { Ids } from '../simulator/ids.ts'
import { compileRules } from '../simulator/rules.ts'
import type { Cap, RateWindow, Store } from '../store/store.ts'
import { createRegistry, type Registry } from '../tokens/registry.ts'

/**
 * What a configuration means to the pipeline, worked out once per load and replaced as a whole on reload, so
 * that a request sees one configuration from beginning to end.
 */
export type Settings = {
  readonly config: Config
  readonly registry: Registry
  /** What the simulator lends to the operations. */
  readonly simulation: Simulation
  /** The window of a partner in a group. */
  readonly partnerWindow: (partner: Partner, group: RateLimitGroup) => RateWindow
  /** The window of what a gateway in front has counted already: it is never full. */
  readonly frontWindow: (issuer: string, group: RateLimitGroup) => RateWindow
  /** The window of a client address in a group. */
  readonly clientWindow: (client: ClientSubject, group: RateLimitGroup) => RateWindow
  readonly capsOf: (partner: Partner) => readonly Cap[]
  readonly capsFor: (partner: Partner, product: CapProduct) => readonly Cap[]
}

/** What every configuration of one gateway shares. */
export type SharedParts = { readonly store: Store; readonly ids: Ids; readonly publicUrl: () => string }

const UNLIMITED = 1_000_000_000_000

export function deriveSettings(
  config: Config,
  shared: SharedParts,
  registry: Registry = createRegistry(config.partners),
): Settings {
  const windowMs = config.rateLimits.windowSeconds * 1000
  const groups = Object.keys(RATE_LIMIT_GROUPS) as RateLimitGroup[]
  const windows = new Map<string, Map<RateLimitGroup, RateWindow>>()
  const caps = new Map<string, readonly Cap[]>()
  const commonLimits = new Map(groups.map((group) => [group, limitFor(config, undefined, group)]))
  /** Worked out when a partner is first met: a reload takes no longer for all the others. */
  const windowsOf = (partner: Partner): Map<RateLimitGroup, RateWindow> => {
    if (registry.partner(partner.id) === undefined)
      throw new TypeError(`the partner ${partner.id} is not in the configuration`)
    const subject = `partner:${partner.id}`
    return new Map(
      groups.map((group) => [group, { group, subject, limit: limitFor(config, partner, group), windowMs }]),
    )
  }
  const capsOf = (partner: Partner): readonly Cap[] =>
    registry.partner(partner.id) ? getOrMake(caps, partner.id, () => effectiveCaps(config, partner)) : []
  const partnerWindow = (partner: Partner, group: RateLimitGroup): RateWindow => {
    const window = getOrMake(windows, partner.id, () => windowsOf(partner)).get(group)
    if (!window) throw new TypeError(`there is no group ${group}`)
    return window
  }
  return {
    config,
    registry,
    simulation: {
      config,
      rules: compileRules(config.outcomes),
      ids: shared.ids,
      publicUrl: shared.publicUrl,
      records: shared.store,
      resetData: (owner, kinds) => shared.store.resetData(owner, kinds),
      usage: (partner, now) => shared.store.usage(partner.id, capsOf(partner), now),
      peek: (window, now) => shared.store.peek(window, now),
      history: shared.store,
    },
    partnerWindow,
    frontWindow: (issuer, group) => ({
      group,
      subject: `front:${issuer}`,
      limit: UNLIMITED,
      windowMs,
    }),
    clientWindow: ({ subject, shared }, group) => ({
      group,
      subject,
      shared,
      limit: commonLimits.get(group) ?? 0,
      windowMs,
    }),
    capsOf,
    capsFor: (partner, product) => capsOf(partner).filter((cap) => cap.product === product),
  }
}
