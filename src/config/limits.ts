import type { RateLimitGroup } from './contract.ts'
import type { Cap, Partner } from './partners.ts'
import type { Config } from './schema.ts'

/** The caps of a partner: the common ones, those it overrides (same product, period and unit), and its own. */
export function effectiveCaps(config: Pick<Config, 'caps'>, partner: Pick<Partner, 'caps'>): Cap[] {
  const own = new Map((partner.caps ?? []).map((cap) => [capName(cap), cap]))
  const common = config.caps.map((cap) => {
    const override = own.get(capName(cap))
    own.delete(capName(cap))
    return override ?? cap
  })
  return [...common, ...own.values()]
}

/** What two caps share when one overrides the other. */
export function capName(cap: Cap): string {
  return `${cap.product} ${cap.unit} per ${cap.period}`
}

/** Requests per window: the partner's own limit of the group, else the common one. */
export function limitFor(
  config: Pick<Config, 'rateLimits'>,
  partner: Pick<Partner, 'rateLimits'> | undefined,
  group: RateLimitGroup,
): number {
  return partner?.rateLimits?.[group] ?? config.rateLimits.groups[group]
}
