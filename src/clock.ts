/**
 * Time, as one injected object. Tokens, sessions, windows, caps and retention read it and nothing else, so a
 * test (or an operator of a sandbox) can see an hour pass in a second.
 */
export type Clock = {
  /** Milliseconds since the Unix epoch, UTC. */
  readonly now: () => number
}

/** A clock that can be moved forward, never back: what has expired stays expired. */
export type ControllableClock = Clock & {
  readonly advance: (ms: number) => void
}

export const systemClock: Clock = { now: () => Date.now() }

/** Runs with `base` (the system clock by default) plus everything that was added by `advance`. */
export function controllableClock(base: Clock = systemClock): ControllableClock {
  let offsetMs = 0
  return {
    now: () => base.now() + offsetMs,
    advance: (ms) => {
      if (!(ms >= 0)) throw new RangeError('a clock only moves forward')
      offsetMs += ms
    },
  }
}

/** A clock that stands still at `startMs` until it is advanced. */
export function frozenClock(startMs: number): ControllableClock {
  return controllableClock({ now: () => startMs })
}

let second = Number.NaN
let secondText = ''

/** RFC 3339, UTC, with milliseconds: the spelling of every instant in an answer. */
export function instant(ms: number): string {
  // Within a second only three digits differ, so the rest of the text is kept.
  const fraction = ms % 1000
  if (ms - fraction !== second || fraction < 0) {
    if (!Number.isInteger(ms) || ms < 0) return new Date(ms).toISOString()
    second = ms - fraction
    secondText = new Date(second).toISOString().slice(0, -4)
  }
  return `${secondText}${fraction < 10 ? '00' : fraction < 100 ? '0' : ''}${fraction}Z`
}
