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
  const groups = new Map<string, Map<string, Live>>()
  const maxShared = Math.ceil(maxWindows / 10)
  let held = 0
  let latest = Number.NEGATIVE_INFINITY
  let offset = 0

  /**
   * Time as the windows see it: it never runs backwards. A call that is a little late (its `now` was read before
   * another's) sees the latest instant; a clock that was set back by more than a window shifts all windows with it,
   * so that nobody is locked out until the old time comes round again, and nobody gets a fresh limit either.
   */
  function steady(now: number, windowMs: number): number {
    const at = now + offset
    if (at >= latest) {
      latest = at
    } else if (latest - at > windowMs) {
      offset += latest - at
    }
    return latest
  }

  function dropExpired(group: Map<string, Live>, at: number): void {
    let budget = EXPIRED_PER_CALL
    for (const [subject, window] of group) {
      if (window.endsAt > at || budget === 0) return
      group.delete(subject)
      held--
      budget--
    }
  }

  function live(group: Map<string, Live> | undefined, subject: string, at: number): Live | undefined {
    const window = group?.get(subject)
    return window !== undefined && window.endsAt > at ? window : undefined
  }

  /** The subject whose window this request belongs to: its own, or a shared one where there is no room for its own. */
  function subjectOf(wanted: RateWindow, group: Map<string, Live> | undefined, at: number): string {
    if (held < maxWindows || group?.has(wanted.subject)) return wanted.subject
    for (const other of groups.values()) dropExpired(other, at)
    if (held < maxWindows) return wanted.subject
    const shared = `${SHARED}${wanted.shared ?? '*'}`
    return held < maxWindows + maxShared || group?.has(shared) ? shared : `${SHARED}*`
  }

  function state(window: Live | undefined, limit: number, windowMs: number, at: number): WindowState {
    const left = limit - (window?.used ?? 0)
    return {
      limit,
      remaining: Math.max(0, left),
      resetAt: (window?.endsAt ?? at + windowMs) - offset,
      full: left <= 0,
    }
  }

  function open(name: string, subject: string, endsAt: number): Live {
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
  }

  return {
    peek(wanted, now) {
      const at = steady(now, wanted.windowMs)
      const group = groups.get(wanted.group)
      const window = live(group, subjectOf(wanted, group, at), at)
      return state(window, wanted.limit, wanted.windowMs, at)
    },
    take(wanted, now) {
      const { limit, windowMs } = wanted
      const at = steady(now, windowMs)
      const group = groups.get(wanted.group)
      if (group !== undefined) dropExpired(group, at)
      const subject = subjectOf(wanted, group, at)
      const found = live(group, subject, at)
      const before = state(found, limit, windowMs, at)
      if (before.full) return before
      const window = found ?? open(wanted.group, subject, at + windowMs)
      window.used++
      return { limit, remaining: limit - window.used, resetAt: window.endsAt - offset, full: false }
    },
    size: () => held,
  }
}
