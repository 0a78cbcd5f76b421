import { GROUPS_NOT_PER_PARTNER, RATE_LIMIT_GROUPS, type RateLimitGroup } from '../config/contract.ts'
import type { UsageWindow } from '../operations/operation.ts'
import { type WholeUsage, wholeUsage } from '../operations/usage-view.ts'
import type { HistoryResolution } from '../store/store.ts'
import type { Settings } from './settings.ts'

const GROUPS = (Object.keys(RATE_LIMIT_GROUPS) as RateLimitGroup[]).filter(
  (group) => !GROUPS_NOT_PER_PARTNER.some((other) => other === group),
)

/** What a partner has used, as its own portal shows it, without the windows of its addresses and keys. */
export async function operatorUsage(
  { registry, simulation, partnerWindow }: Settings,
  id: string,
  resolution: HistoryResolution,
  now: number,
): Promise<WholeUsage | undefined> {
  const partner = registry.partner(id)
  if (!partner) return undefined
  const windows = GROUPS.map(
    (group): UsageWindow => ({ scope: 'partner', window: partnerWindow(partner, group) }),
  )
  return wholeUsage(simulation, { partner, tenant: partner.tenant, windows, now }, resolution)
}
