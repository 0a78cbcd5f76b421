import type { Backing } from './backing.ts'
import type { View } from './commits.ts'
import { ownerIn } from './generations.ts'
import { decodeNumber, encodeNumber, quotaName } from './keyspace.ts'
import type { DataKind, QuotaDemand } from './store.ts'

/**
 * How much of each kind everybody holds. What is held is on the disk, written in the commit that adds or deletes an
 * entry; what work that is not settled may add is in memory, so held + reserved never falls below the truth.
 */
export type QuotaBook = {
  /** Sets all demands aside, or none of them: then the first that has no room. */
  reserve(demands: readonly QuotaDemand[]): RefusedQuota | undefined
  release(demands: readonly QuotaDemand[]): void
  usage(kind: DataKind, who: string): { used: number; reserved: number }
}

export type RefusedQuota = QuotaDemand & { readonly used: number; readonly reserved: number }

export function createQuotaBook(backing: Pick<Backing, 'read'>): QuotaBook {
  const reserved = new Map<string, number>()
  const placeOf = ({ kind, who }: QuotaDemand): string => `${kind} ${who}`

  function usage(kind: DataKind, who: string): { used: number; reserved: number } {
    const value = backing.read(quotaName(kind, ownerIn(backing, kind, who)))
    return {
      used: value === undefined ? 0 : decodeNumber(value),
      reserved: reserved.get(`${kind} ${who}`) ?? 0,
    }
  }

  function release(demands: readonly QuotaDemand[]): void {
    for (const demand of demands) {
      const left = (reserved.get(placeOf(demand)) ?? 0) - demand.amount
      if (left > 0) reserved.set(placeOf(demand), left)
      else reserved.delete(placeOf(demand))
    }
  }

  return {
    reserve(demands) {
      for (const [i, demand] of demands.entries()) {
        const now = usage(demand.kind, demand.who)
        if (now.used + now.reserved + demand.amount > demand.limit) {
          release(demands.slice(0, i))
          return { ...demand, ...now }
        }
        reserved.set(placeOf(demand), now.reserved + demand.amount)
      }
      return undefined
    },
    release,
    usage,
  }
}

/** Adds to what an owner holds, from what is committed: a failed commit can leave no count off by one. */
export function addHeld(view: View, kind: DataKind, owner: string, amount: number): void {
  if (amount === 0) return
  const name = quotaName(kind, owner)
  const value = view.read(name)
  const held = Math.max(0, (value === undefined ? 0 : decodeNumber(value)) + amount)
  view.put(name, encodeNumber(Number.POSITIVE_INFINITY, held))
}
