import { instant } from '../clock.ts'
import type { Partner } from '../config/partners.ts'
import type { HistoryResolution, UsageCounts } from '../store/store.ts'
import type { Simulation, UsageWindow } from './operation.ts'

/** What a partner has used and what is left: the JSON of /portal/usage, and what every other view of it is made of. */
export type UsageView = {
  readonly partner: string
  readonly tenant: string
  readonly asOf: string
  readonly caps: readonly CapView[]
  readonly rateLimits: readonly RateLimitView[]
}

export type CapView = {
  readonly product: string
  readonly period: 'day' | 'month'
  readonly unit: 'calls' | 'amount'
  readonly limit: number
  readonly used: number
  readonly reserved: number
  readonly remaining: number
  readonly resetAt: string
}

export type RateLimitView = {
  readonly group: string
  readonly scope: UsageWindow['scope']
  readonly limit: number
  readonly remaining: number
  readonly resetAt: string
}

/** One operation in one hour or UTC day, which begins at `start`. */
export type HistoryView = UsageCounts & { readonly start: string; readonly operation: string }

export type RefusalView = {
  readonly at: string
  readonly requestId: string
  readonly operation: string
  readonly status: number
  readonly code: string
}

/** Who is asked about, by whose windows, and when. */
export type UsageSubject = {
  readonly partner: Partner
  readonly tenant: string
  /** The windows that the asker is counted against. */
  readonly windows: readonly UsageWindow[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

export type UsageSources = Pick<Simulation, 'usage' | 'peek' | 'history'>

/** Caps and rate windows as they are now. */
export async function usageView(
  { usage, peek }: UsageSources,
  { partner, tenant, windows, now }: UsageSubject,
): Promise<UsageView> {
  const caps = (await usage(partner, now)).map(
    ({ product, period, unit, limit, used, reserved, resetAt }) => ({
      product,
      period,
      unit,
      limit,
      used,
      reserved,
      remaining: Math.max(0, limit - used - reserved),
      resetAt: instant(resetAt),
    }),
  )
  const rateLimits: RateLimitView[] = []
  for (const { scope, window } of windows) {
    const { limit, remaining, resetAt } = await peek(window, now)
    rateLimits.push({ group: window.group, scope, limit, remaining, resetAt: instant(resetAt) })
  }
  return { partner: partner.id, tenant, asOf: instant(now), caps, rateLimits }
}

/** What a partner did in the last 48 hours, or in the last 31 days, oldest first. */
export async function historyView(
  { history }: UsageSources,
  partner: string,
  resolution: HistoryResolution,
  now: number,
): Promise<readonly HistoryView[]> {
  return (await history.history(partner, resolution, now)).map(({ start, operation, ...counts }) => ({
    start: instant(start),
    operation,
    ...counts,
  }))
}

/** A partner's last refusals, newest first: at most 200, of the last seven days. */
export async function refusalsView(
  { history }: UsageSources,
  partner: string,
  now: number,
): Promise<readonly RefusalView[]> {
  return (await history.refusals(partner, now)).map(({ at, ...refusal }) => ({ at: instant(at), ...refusal }))
}

/** Everything at once, for a page or a terminal. */
export type WholeUsage = UsageView & {
  readonly history: readonly HistoryView[]
  readonly refusals: readonly RefusalView[]
}

export async function wholeUsage(
  sources: UsageSources,
  subject: UsageSubject,
  resolution: HistoryResolution,
): Promise<WholeUsage> {
  const { partner, now } = subject
  return {
    ...(await usageView(sources, subject)),
    history: await historyView(sources, partner.id, resolution, now),
    refusals: await refusalsView(sources, partner.id, now),
  }
}
