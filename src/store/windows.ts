import type { RateWindow, WindowState } from './store.ts'

/**
 * Fixed rate windows in memory, shared by the single-process stores.
 *
 * Each group's windows lie in a Map in order of creation, which is the order in which they end, so what has expired
 * is taken from the front: amortised O(1), no timer, no scan. A live window is never evicted: evicting one would give
 * its subject a fresh limit.
 */
export type RateWindows = {
  peek(window: RateWindow, now: number): WindowState
  take(window: RateWindow, now: number): WindowState
  /** How many windows are held, expired ones that were not met again included. */
  size(): number
}

type Live = { used: number; endsAt: number }

/** Front entries looked at per call: more than one so that the map shrinks, few enough that no call stalls. */
const EXPIRED_PER_CALL = 32

/** Subjects of shared windows get a prefix, so that none of them can be a caller's own subject. */
const SHARED = '~'

export function createRateWindows(maxWindows = 200_000): RateWindows {
  const time = createSteadyTime()
  const table = createTable(maxWindows)

  function state(window: Live | undefined, limit: number, windowMs: number, at: number): WindowState {
    const left = limit - (window?.used ?? 0)
    const endsAt = window?.endsAt ?? at + windowMs
    return { limit, remaining: Math.max(0, left), resetAt: time.toCaller(endsAt), full: left <= 0 }
  }

  return {
    peek(wanted, now) {
      const { limit, windowMs } = wanted
      const at = time.at(now, windowMs)
      return state(table.find(wanted.group, table.subjectOf(wanted, at), at), limit, windowMs, at)
    },
    take(wanted, now) {
      const { group, limit, windowMs } = wanted
      const at = time.at(now, windowMs)
      table.dropExpired(group, at)
      const subject = table.subjectOf(wanted, at)
      const found = table.find(group, subject, at)
      const before = state(found, limit, windowMs, at)
      if (before.full) return before
      const window = found ?? table.open(group, subject, at + windowMs)
      window.used++
      return { limit, remaining: limit - window.used, resetAt: time.toCaller(window.endsAt), full: false }
    },
    size: table.size,
  }
}

/**
 * Time as the windows see it: it never runs backwards. A call that is a little late (its `now` was read before
 * another's) sees the latest instant; a clock that was set back by more than a window shifts all windows with it,
 * so that nobody is locked out until the old time comes round again, and nobody gets a fresh limit either.
 */
function createSteadyTime() {
  let latest = Number.NEGATIVE_INFINITY
  let offset = 0
  return {
    at(now: number, windowMs: number): number {
      const at = now + offset
      if (at >= latest) latest = at
      else if (latest - at > windowMs) offset += latest - at
      return latest
    },
    /** An instant of ours on the caller's clock. */
    toCaller: (at: number): number => at - offset,
  }
}

/** The live windows by group and subject, never more than `maxWindows` and a tenth for shared ones. */
function createTable(maxWindows: number) {
  const groups = new Map<string, Map<string, Live>>()
  const maxShared = Math.ceil(maxWindows / 10)
  let held = 0

  function drop(group: Map<string, Live>, at: number): void {
    let budget = EXPIRED_PER_CALL
    for (const [subject, window] of group) {
      if (window.endsAt > at || budget === 0) return
      group.delete(subject)
      held--
      budget--
    }
  }

  return {
    find(name: string, subject: string, at: number): Live | undefined {
      const window = groups.get(name)?.get(subject)
      return window !== undefined && window.endsAt > at ? window : undefined
    },
    dropExpired(name: string, at: number): void {
      const group = groups.get(name)
      if (group !== undefined) drop(group, at)
    },
    /** The subject whose window a request belongs to: its own, or a shared one where there is no room for its own. */
    subjectOf({ group: name, subject, shared = '*' }: RateWindow, at: number): string {
      const group = groups.get(name)
      if (held < maxWindows || group?.has(subject)) return subject
      for (const other of groups.values()) drop(other, at)
      if (held < maxWindows) return subject
      const common = `${SHARED}${shared}`
      return held < maxWindows + maxShared || group?.has(common) ? common : `${SHARED}*`
    },
    open(name: string, subject: string, endsAt: number): Live {
      let group = groups.get(name)
      if (group === undefined) {
        group = new Map()
        groups.set(name, group)
      }
      // Deleted first: setting a key that is there would keep its old place in the order.
      if (!group.delete(subject)) held++
      const window = { used: 0, endsAt }
      group.set(subject, window)
      return window
    },
    size: () => held,
  }
}
