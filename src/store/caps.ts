import { capExpiresAt, capName } from './keyspace.ts'
import { periodEnd } from './period.ts'
import type { Cap, CapCommit, CapDemand, CapUnit, CapUsage, RefusedCap } from './store.ts'

/** A part of a cap that is set aside for one piece of work, in the period in which the work began. */
export type Hold = {
  readonly counter: string
  readonly unit: CapUnit
  readonly amount: number
  readonly expiresAt: number
}

/** The holds that a settlement commits; the others go back. */
export function committed(holds: readonly Hold[], commit: CapCommit): readonly Hold[] {
  if (commit === 'calls') return holds.filter(({ unit }) => unit === 'calls')
  return commit ? holds : []
}

/**
 * Used and reserved amounts of every cap that has been touched. Used amounts are those that are durable; what is on
 * its way to the disk is still reserved, so used + reserved never falls below the truth.
 */
export type CapBook = {
  /** Sets all demands aside, or none of them: then the first cap that refused. */
  reserve(partner: string, demands: readonly CapDemand[], at: number): Reserved
  /** Sets aside without asking: for work that had been admitted before a restart. */
  restore(partner: string, demands: readonly CapDemand[], at: number): readonly Hold[]
  release(holds: readonly Hold[]): void
  /** Moves reserved amounts to used ones, after their commit. */
  commit(holds: readonly Hold[]): void
  /** Marks holds as those of an outcome that nobody knows, or no longer so. */
  doubt(holds: readonly Hold[], isUnknown: boolean): void
  usage(partner: string, caps: readonly Cap[], at: number): CapUsage[]
  /** Times that a counter was above every limit that work had been admitted under; there is no such time. */
  overshoots(): number
  /** Drops counters that nobody will ask for again. */
  forget(now: number): void
}

export type Reserved =
  | { readonly kind: 'reserved'; readonly holds: readonly Hold[] }
  | { readonly kind: 'refused'; readonly cap: RefusedCap }

/**
 * `ceiling`: the highest limit that work has been admitted under, or what was used before that. `doubtful`: the part
 * of what is reserved whose outcome nobody knows.
 */
type Counter = {
  used: number
  reserved: number
  doubtful: number
  ceiling: number
  readonly expiresAt: number
}

/** `readUsed` answers what the backing holds for a counter that is met for the first time. */
export function createCapBook(readUsed: (counter: string) => number): CapBook {
  const counters = new Map<string, Counter>()
  let overshoots = 0

  function counterOf(name: string, expiresAt: number): Counter {
    const known = counters.get(name)
    if (known !== undefined) return known
    const used = readUsed(name)
    const counter = { used, reserved: 0, doubtful: 0, ceiling: used, expiresAt }
    counters.set(name, counter)
    return counter
  }

  function place(partner: string, cap: Cap, at: number): { name: string; counter: Counter } {
    const name = capName(partner, cap, at)
    return { name, counter: counterOf(name, capExpiresAt(cap.period, at)) }
  }

  function hold(
    { name, counter }: { name: string; counter: Counter },
    { amount, unit, limit }: CapDemand,
  ): Hold {
    counter.reserved += amount
    counter.ceiling = Math.max(counter.ceiling, limit)
    return { counter: name, unit, amount, expiresAt: counter.expiresAt }
  }

  function usageOf(partner: string, cap: Cap, at: number): CapUsage {
    const { used, reserved } = place(partner, cap, at).counter
    const { product, period, unit, limit } = cap
    return { product, period, unit, limit, used, reserved, resetAt: periodEnd(period, at) }
  }

  function release(holds: readonly Hold[]): void {
    for (const { counter, amount, expiresAt } of holds) counterOf(counter, expiresAt).reserved -= amount
  }

  return {
    reserve(partner, demands, at) {
      const holds: Hold[] = []
      for (const demand of demands) {
        // A negative or non-numeric amount would raise the headroom for everybody else.
        if (!(demand.amount >= 0)) throw new RangeError('a cap is asked for a negative amount')
        const found = place(partner, demand, at)
        const { used, reserved, doubtful } = found.counter
        if (used + reserved + demand.amount > demand.limit) {
          release(holds)
          const usage = usageOf(partner, demand, at)
          return { kind: 'refused', cap: { ...usage, unknown: doubtful, amount: demand.amount } }
        }
        holds.push(hold(found, demand))
      }
      return { kind: 'reserved', holds }
    },
    restore: (partner, demands, at) => {
      const holds = demands.map((demand) => hold(place(partner, demand, at), demand))
      // Under which limits the rest was admitted nobody remembers.
      for (const { counter: name, expiresAt } of holds) {
        const counter = counterOf(name, expiresAt)
        counter.ceiling = Math.max(counter.ceiling, counter.used + counter.reserved)
      }
      return holds
    },
    release,
    doubt(holds, isUnknown) {
      for (const { counter, amount, expiresAt } of holds)
        counterOf(counter, expiresAt).doubtful += isUnknown ? amount : -amount
    },
    commit(holds) {
      for (const { counter: name, amount, expiresAt } of holds) {
        const counter = counterOf(name, expiresAt)
        counter.reserved -= amount
        counter.used += amount
        if (counter.used > counter.ceiling) overshoots++
      }
    },
    usage: (partner, caps, at) => caps.map((cap) => usageOf(partner, cap, at)),
    overshoots: () => overshoots,
    forget(now) {
      for (const [name, counter] of counters) {
        if (counter.expiresAt <= now && counter.reserved === 0) counters.delete(name)
      }
    },
  }
}
