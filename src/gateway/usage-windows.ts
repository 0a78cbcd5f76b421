import { GROUPS_NOT_PER_PARTNER, RATE_LIMIT_GROUPS, type RateLimitGroup } from '../config/contract.ts'
import type { UsageWindow } from '../operations/operation.ts'
import { callerOf, type Exchange } from './exchange.ts'
import { keyWindow } from './token-windows.ts'

/** The windows that the caller of an exchange is counted against: its partner's, its key's, its address's. */
export function usageWindows(exchange: Exchange): readonly UsageWindow[] {
  const { settings, client } = exchange
  const caller = callerOf(exchange)
  if (!caller) return []
  const groups = Object.keys(RATE_LIMIT_GROUPS) as RateLimitGroup[]
  return groups.map((group) => {
    if (group === 'token') return { scope: 'client', window: keyWindow(settings, caller.keyId) }
    if (GROUPS_NOT_PER_PARTNER.some((other) => other === group)) {
      return { scope: 'ip', window: settings.clientWindow(client, group) }
    }
    return { scope: 'partner', window: settings.partnerWindow(caller.partner, group) }
  })
}
