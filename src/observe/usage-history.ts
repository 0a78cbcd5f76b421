import {
  type HistoryAddition,
  type RecentRefusal,
  type Store,
  StoreUnavailable,
  type UsageBucket,
} from '../store/store.ts'
import type { Logger } from './logger.ts'

/** One answered request of a partner. */
export type PartnerAnswer = {
  readonly partner: string
  readonly operation: string
  readonly status: number
  /** The error code of a refusal. */
  readonly code: string | undefined
  readonly requestId: string
  /** When it arrived, by the gateway's clock: milliseconds since the epoch. */
  readonly at: number
}

/**
 * What partners have done, on its way to the store. Counting touches memory alone; once a second what was counted is
 * added to the store, so that a storm costs the disk no more than a request a second does.
 */
export type UsageHistory = {
  readonly answered: (answer: PartnerAnswer) => void
  /** A decision that was made and settled. */
  readonly decided: (partner: string, operation: string, outcome: string, at: number) => void
  /** Adds what has been counted. A store that cannot write now keeps nobody waiting: it is tried again later. */
  readonly flush: () => Promise<void>
  /** Flushes for the last time. */
  readonly stop: () => Promise<void>
}

export type UsageHistoryParts = {
  readonly store: Pick<Store, 'addHistory'>
  readonly now: () => number
  readonly logger: Pick<Logger, 'warn'>
}

const EVERY_MS = 1000
/** After a failure; each attempt on a full disk costs two lines on stderr, which LMDB's binding writes. */
const RETRY_MS = 10_000
const HOUR_MS = 3_600_000
/** What the store could not take is kept for this long, so that memory stays bounded on a disk that stays full. */
const KEPT_MS = 2 * HOUR_MS
/** The store keeps no more of a partner. */
const MAX_REFUSALS = 200
/** A commit of its own each, so that settlements never wait long for one. */
const PARTNERS_PER_COMMIT = 100

type Counts = {
  requests: number
  rateLimited: number
  readonly refusals: Record<string, number>
  readonly decisions: Record<string, number>
}

/** What one partner did since the last flush: by hour and operation. */
type Pending = { readonly hours: Map<number, Map<string, Counts>>; refusals: RecentRefusal[] }

export function createUsageHistory({ store, now, logger }: UsageHistoryParts): UsageHistory {
  let pending = new Map<string, Pending>()
  let flushing: Promise<void> = Promise.resolve()
  let isFlushing = false
  let nextAttempt = 0
  let failing = false

  function countsOf(partner: string, operation: string, at: number): Counts {
    const ofHour = hourOf(pendingOf(partner), at - (at % HOUR_MS))
    let counts = ofHour.get(operation)
    if (counts === undefined) {
      counts = { requests: 0, rateLimited: 0, refusals: {}, decisions: {} }
      ofHour.set(operation, counts)
    }
    return counts
  }

  function pendingOf(partner: string): Pending {
    let found = pending.get(partner)
    if (found === undefined) {
      found = { hours: new Map(), refusals: [] }
      pending.set(partner, found)
    }
    return found
  }

  function remember(refusals: readonly RecentRefusal[], partner: string): void {
    const found = pendingOf(partner)
    found.refusals.push(...refusals)
    // Cut at twice the bound: once for many pushes.
    if (found.refusals.length >= 2 * MAX_REFUSALS) found.refusals = found.refusals.slice(-MAX_REFUSALS)
  }

  async function write(): Promise<void> {
    const taken = [...pending]
    pending = new Map()
    for (let from = 0; from < taken.length; from += PARTNERS_PER_COMMIT) {
      const part = taken.slice(from, from + PARTNERS_PER_COMMIT).map(additionOf)
      try {
        await store.addHistory(part, now())
        failing = false
      } catch (error) {
        if (!failing) logger.warn({ err: error }, 'usage history is not written')
        failing = true
        nextAttempt = performance.now() + RETRY_MS
        // Of a fault nobody knows whether it comes again; a store that is away comes back.
        if (error instanceof StoreUnavailable)
          keep([...part, ...taken.slice(from + PARTNERS_PER_COMMIT).map(additionOf)])
        return
      }
    }
  }

  function keep(additions: readonly HistoryAddition[]): void {
    const oldest = now() - KEPT_MS
    for (const { partner, counts, refusals } of additions) {
      for (const { start, operation, ...more } of counts) {
        if (start < oldest) continue
        const total = countsOf(partner, operation, start)
        total.requests += more.requests
        total.rateLimited += more.rateLimited
        sumInto(total.refusals, more.refusals)
        sumInto(total.decisions, more.decisions)
      }
      const later = pending.get(partner)?.refusals ?? []
      pendingOf(partner).refusals = [...refusals, ...later].slice(-MAX_REFUSALS)
    }
  }

  function flush(): Promise<void> {
    isFlushing = true
    flushing = flushing.then(write).finally(() => {
      isFlushing = false
    })
    return flushing
  }

  const timer = setInterval(() => {
    if (pending.size > 0 && !isFlushing && performance.now() >= nextAttempt) void flush()
  }, EVERY_MS)
  timer.unref()

  return {
    answered({ partner, operation, status, code, requestId, at }) {
      const counts = countsOf(partner, operation, at)
      counts.requests++
      if (status < 400) return
      const name = code ?? 'none'
      if (status === 429) counts.rateLimited++
      else counts.refusals[name] = (counts.refusals[name] ?? 0) + 1
      remember([{ at, requestId, operation, status, code: name }], partner)
    },
    decided(partner, operation, outcome, at) {
      const { decisions } = countsOf(partner, operation, at)
      decisions[outcome] = (decisions[outcome] ?? 0) + 1
    },
    flush,
    stop: () => {
      clearInterval(timer)
      return flush()
    },
  }
}

function hourOf({ hours }: Pending, start: number): Map<string, Counts> {
  let found = hours.get(start)
  if (found === undefined) {
    found = new Map()
    hours.set(start, found)
  }
  return found
}

function additionOf([partner, { hours, refusals }]: readonly [string, Pending]): HistoryAddition {
  const counts: UsageBucket[] = []
  for (const [start, operations] of hours) {
    for (const [operation, each] of operations) counts.push({ start, operation, ...each })
  }
  return { partner, counts, refusals: refusals.slice(-MAX_REFUSALS) }
}

function sumInto(total: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) total[name] = (total[name] ?? 0) + count
}

/** Counts nothing: where nobody asks for usage. */
export const NO_HISTORY: UsageHistory = {
  answered: () => {},
  decided: () => {},
  flush: () => Promise.resolve(),
  stop: () => Promise.resolve(),
}
