import type { ToLive } from '../message/instants.ts'

/** How replayed instants are rendered: around now, or as they were recorded. */
export type TimeMode = 'shift' | 'freeze'

/**
 * The time of one client's replay. What an answer shows for the first time lies as far from now as it lay from its
 * request; a recorded instant that has been shown stays what it was shown as, so that an account read twice was
 * opened once, and intervals stay what they were.
 */
export type Timeline = {
  readonly instants: (startedAt: number, now: number) => ToLive
  /** For what tells the moment of the answer itself: Date, Expires, the end of a rate window. */
  readonly moment: (startedAt: number, now: number) => ToLive
  /** Swaps what was shown for the two recorded instants of each pair. */
  readonly swap: (pairs: Iterable<readonly [number, number]>) => void
}

export function createTimeline(mode: TimeMode): Timeline {
  if (mode === 'freeze') {
    const asRecorded = () => (ms: number) => ms
    return { instants: asRecorded, moment: asRecorded, swap: () => {} }
  }
  const shown = new Map<number, number>()
  return {
    instants: (startedAt, now) => (ms) => {
      const known = shown.get(ms)
      if (known !== undefined) return known
      const live = ms + (now - startedAt)
      shown.set(ms, live)
      return live
    },
    moment: (startedAt, now) => (ms) => ms + (now - startedAt),
    swap: (pairs) => {
      for (const [a, b] of pairs) {
        const [shownA, shownB] = [shown.get(a), shown.get(b)]
        shown.delete(a)
        shown.delete(b)
        if (shownA !== undefined) shown.set(b, shownA)
        if (shownB !== undefined) shown.set(a, shownB)
      }
    },
  }
}
