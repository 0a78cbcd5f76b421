import { PAID, REVIEWED } from '../../config/contract.ts'
import type { HistoryView } from '../../operations/usage-view.ts'
import type { Resolution } from './addresses.ts'

/** What happened in one span of the chart, all operations together. */
export type Slot = {
  /** Milliseconds since the epoch. */
  readonly start: number
  readonly requests: number
  readonly rateLimited: number
  /** Refused otherwise. */
  readonly refused: number
  /** Decisions that went the caller's way, and the others. */
  readonly accepted: number
  readonly declined: number
}

const SPAN = { hours: { ms: 3_600_000, count: 48 }, days: { ms: 86_400_000, count: 31 } } as const

const ACCEPTED: ReadonlySet<string> = new Set([REVIEWED.good, PAID.good])

/** Every span up to now, oldest first, those in which nothing happened included. */
export function slotsOf(
  history: readonly HistoryView[],
  resolution: Resolution,
  now: number,
): readonly Slot[] {
  const { ms, count } = SPAN[resolution]
  const last = Math.floor(now / ms) * ms
  const byStart = groupBy(history, ({ start }) => Date.parse(start))
  return Array.from({ length: count }, (_, index) => {
    const start = last - (count - 1 - index) * ms
    return slotOf(start, byStart.get(start) ?? [])
  })
}

function slotOf(start: number, buckets: readonly HistoryView[]): Slot {
  const decided = (isAccepted: boolean) =>
    sum(buckets, ({ decisions }) =>
      sum(Object.entries(decisions), ([outcome, count]) =>
        ACCEPTED.has(outcome) === isAccepted ? count : 0,
      ),
    )
  return {
    start,
    requests: sum(buckets, ({ requests }) => requests),
    rateLimited: sum(buckets, ({ rateLimited }) => rateLimited),
    refused: sum(buckets, ({ refusals }) => sum(Object.values(refusals), (count) => count)),
    accepted: decided(true),
    declined: decided(false),
  }
}

export type OperationTotal = {
  readonly operation: string
  readonly requests: number
  readonly rateLimited: number
  readonly refused: number
}

/** The whole history by operation, the busiest first. */
export function byOperation(history: readonly HistoryView[]): readonly OperationTotal[] {
  const groups = groupBy(history, ({ operation }) => operation)
  const totals = [...groups].map(([operation, buckets]) => {
    const { requests, rateLimited, refused } = slotOf(0, buckets)
    return { operation, requests, rateLimited, refused }
  })
  return totals.toSorted((one, other) => other.requests - one.requests)
}

export function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}
