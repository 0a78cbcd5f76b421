import { type Refusal, refuse } from '../errors/refusal.ts'

export type Lifecycle = {
  /** Requests that have arrived and are not answered yet. */
  readonly inFlight: () => number
  /**
   * Begins a request, or says why it cannot be taken now. A refused one is not in flight. `unanswered` counts the
   * requests of its connection whose answers have not been sent, itself included.
   */
  readonly enter: (unanswered: number) => Refusal | undefined
  readonly leave: () => void
  readonly draining: () => boolean
  /** Refuses new requests from now on; resolves when none is in flight. */
  readonly drain: () => Promise<void>
  readonly close: () => void
}

const RETRY_SECONDS = 1
const TICK_MS = 100
/** Pipelined requests of one connection: each answer waits in memory until the client has read those before it. */
const MAX_UNANSWERED = 64

/**
 * How much the gateway has taken on. More in flight than configured, or an event loop that is late, is refused
 * before anything is done for the request; what has been admitted is always finished.
 */
export function createLifecycle(bounds: { maxInFlight: number; maxLoopDelayMs: number }): Lifecycle {
  let inFlight = 0
  let draining = false
  let late = false
  let idle: (() => void) | undefined
  // The first tick only sets the measure: what delayed it was the start, and nobody is refused for that.
  let expectedAt = Number.POSITIVE_INFINITY
  const ticker = setInterval(() => {
    const now = performance.now()
    late = now - expectedAt > bounds.maxLoopDelayMs
    expectedAt = now + TICK_MS
  }, TICK_MS)
  ticker.unref()
  // The tick itself may be what is held up, by the very requests that ask.
  const isLate = (): boolean => late || performance.now() - expectedAt > bounds.maxLoopDelayMs

  return {
    inFlight: () => inFlight,
    enter: (unanswered) => {
      if (draining) {
        return refuse('DRAINING', 'The gateway is shutting down; open a new connection.', {
          retryAfterSeconds: RETRY_SECONDS,
        })
      }
      if (inFlight >= bounds.maxInFlight || unanswered > MAX_UNANSWERED || isLate()) {
        return refuse('OVERLOADED', 'The gateway has more to do than it can; nothing was executed.', {
          retryAfterSeconds: RETRY_SECONDS,
        })
      }
      inFlight++
      return undefined
    },
    leave: () => {
      inFlight--
      if (inFlight === 0) idle?.()
    },
    draining: () => draining,
    drain: () => {
      draining = true
      return new Promise((resolve) => {
        if (inFlight === 0) resolve()
        else idle = resolve
      })
    },
    close: () => clearInterval(ticker),
  }
}
