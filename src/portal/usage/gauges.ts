import type { CapView, RateLimitView } from '../../operations/usage-view.ts'

/** `out`: nothing is left. `near`: a fifth or less is. `idle`: nothing has been used. */
export type Tone = 'idle' | 'ok' | 'near' | 'out'

/** How full something is, to draw and to say. */
export type Gauge = {
  readonly limit: number
  readonly used: number
  /** Held by what is being decided. */
  readonly reserved: number
  readonly left: number
  readonly tone: Tone
  /** Milliseconds since the epoch. */
  readonly resetAt: number
}

const NEAR = 0.8

export function capGauge({ limit, used, reserved, remaining: left, resetAt }: CapView): Gauge {
  return { limit, used, reserved, left, tone: toneOf(limit, left), resetAt: Date.parse(resetAt) }
}

export function windowGauge({ limit, remaining: left, resetAt }: RateLimitView): Gauge {
  const tone = toneOf(limit, left)
  return { limit, used: limit - left, reserved: 0, left, tone, resetAt: Date.parse(resetAt) }
}

function toneOf(limit: number, left: number): Tone {
  if (left === 0) return 'out'
  if (left === limit) return 'idle'
  return (limit - left) / limit >= NEAR ? 'near' : 'ok'
}
