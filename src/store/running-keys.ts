import type { CapBook, Hold } from './caps.ts'
import type { QuotaBook } from './quotas.ts'
import type { CapDemand, KeyClaim, Permit, QuotaDemand } from './store.ts'

/**
 * Work that has been admitted and not finished: running keys, keys whose outcome is unknown, and permits without a
 * key (under their fence). Finished keys are in the backing.
 */
export type Unfinished = {
  readonly id: string
  readonly partner: string
  /** The idempotency key, or `#` and the fence. */
  readonly key: string
  readonly fingerprint: string
  /** Of the latest permit; only that one can settle. */
  fence: number
  state: 'running' | 'unknown'
  /** A commit that decides about it is in flight: nothing else may. */
  busy: boolean
  leaseEndsAt: number
  /** When the reservation of an unknown outcome is committed. */
  readonly deadline: number
  readonly caps: readonly CapDemand[]
  readonly holds: readonly Hold[]
  /** What it may add to what its partner holds. */
  readonly quotas: readonly QuotaDemand[]
  readonly admittedAt: number
  /** The name of its durable `started` marker, once there is one. */
  marker: string | undefined
}

export type RunningKeys = {
  find(id: string): Unfinished | undefined
  add(work: Unfinished): void
  /** What the permit may still settle; undefined when it has lost its key. */
  settleable(permit: Permit): Unfinished | undefined
  /** The key is free again. The holds are the caller's business. */
  remove(work: Unfinished): void
  /** Nobody knows what came of it: the key waits for a retry that learns more. */
  leaveUnknown(work: Unfinished): void
  /** Its outcome was never learned, and its key has been used again since. */
  setAside(work: Unfinished): void
  /** An overdue outcome has been committed. */
  forget(work: Unfinished): void
  takeOver(work: Unfinished, fence: number, leaseEndsAt: number): void
  /** Ends leases that have run out, and sets aside unknown outcomes whose retention has run out. */
  expire(now: number): void
  /** Unknown outcomes whose caps have yet to be committed; their keys are free. */
  readonly overdue: Set<Unfinished>
}

export const workId = (partner: string, key: string): string => `${partner}\0${key}`

/** The key of a permit without one. A real key is a UUID, so the two never meet. */
export const keyOf = (claim: KeyClaim | undefined, fence: number): string => claim?.key ?? `#${fence}`

/** After how many removals the map is made anew, or as many as it still holds. */
const TABLE = 128

export function createRunningKeys(caps: CapBook, quotas: Pick<QuotaBook, 'release'>): RunningKeys {
  let works = new Map<string, Unfinished>()
  let removed = 0
  const overdue = new Set<Unfinished>()
  /** A lower bound of the next instant at which something runs out; until then `expire` costs one comparison. */
  let nextExpiry = Number.POSITIVE_INFINITY

  const runsOutAt = (work: Unfinished): number =>
    work.state === 'running' ? work.leaseEndsAt : work.deadline

  function watch(work: Unfinished): void {
    nextExpiry = Math.min(nextExpiry, runsOutAt(work))
  }

  /** Outcomes that nobody knows are told apart from running work where a cap refuses. */
  function become(work: Unfinished, state: Unfinished['state']): void {
    if (work.state !== state) caps.doubt(work.holds, state === 'unknown')
    work.state = state
  }

  /**
   * A map that outgrows its table leaves the old table pointing to the new one. Once one of them is old in memory, all
   * later ones become old with it, and with them all work that was running (decision 69). A new map ends that.
   */
  function takeOut(work: Unfinished): void {
    works.delete(work.id)
    if (++removed < Math.max(TABLE, works.size)) return
    works = new Map(works)
    removed = 0
  }

  function endLease(work: Unfinished): void {
    if (work.marker === undefined) {
      // A local effect that was not settled in its time has not happened.
      caps.release(work.holds)
      quotas.release(work.quotas)
      works.delete(work.id)
    } else {
      become(work, 'unknown')
    }
  }

  return {
    overdue,
    find: (id) => works.get(id),
    add(work) {
      works.set(work.id, work)
      if (work.state === 'unknown') caps.doubt(work.holds, true)
      watch(work)
    },
    leaveUnknown(work) {
      become(work, 'unknown')
      works.set(work.id, work)
      watch(work)
    },
    setAside(work) {
      caps.doubt(work.holds, true)
      overdue.add(work)
    },
    forget(work) {
      become(work, 'running')
      quotas.release(work.quotas)
      overdue.delete(work)
    },
    settleable(permit) {
      const work = works.get(workId(permit.partner, keyOf(permit.claim, permit.fence)))
      return work === undefined || work.fence !== permit.fence || work.busy ? undefined : work
    },
    remove(work) {
      become(work, 'running')
      quotas.release(work.quotas)
      takeOut(work)
    },
    takeOver(work, fence, leaseEndsAt) {
      work.fence = fence
      become(work, 'running')
      work.leaseEndsAt = leaseEndsAt
      watch(work)
    },
    expire(now) {
      if (now < nextExpiry) return
      nextExpiry = Number.POSITIVE_INFINITY
      for (const work of works.values()) {
        if (!work.busy && work.state === 'running' && work.leaseEndsAt <= now) endLease(work)
        if (!work.busy && work.state === 'unknown' && work.deadline <= now) {
          works.delete(work.id)
          overdue.add(work)
        } else if (works.has(work.id)) {
          watch(work)
        }
      }
    },
  }
}
