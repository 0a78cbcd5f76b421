import type { HistoryView, WholeUsage } from '../../operations/usage-view.ts'
import type { Resolution } from './addresses.ts'

/** All that the page shows of a partner, at one moment. */
export type PortalView = {
  /** What the partner is called. */
  readonly name: string
  readonly resolution: Resolution
  /** Its history has that resolution. */
  readonly usage: WholeUsage
  /** Answers that were 429 in this hour and the one before. */
  readonly recentlyLimited: number
}

const HOUR_MS = 3_600_000

/** How many of these hours' answers were 429 in the hour of `now` and the one before. */
export function limitedLately(hours: readonly HistoryView[], now: number): number {
  const from = now - (now % HOUR_MS) - HOUR_MS
  return hours.reduce((sum, { start, rateLimited }) => sum + (Date.parse(start) >= from ? rateLimited : 0), 0)
}
