import { type Refusal, refuse } from '../errors/refusal.ts'

/**
 * How far a request has come: refused at its arrival, waiting for the rest of its body, or in flight, which it is
 * from its last byte on.
 */
export type Standing = 'outside' | 'arriving' | 'in-flight'

export type Lifecycle = {
  /** Requests that have arrived whole and are not answered yet. */
  readonly inFlight: () => number
  /** More to do than the gateway can: what comes now is refused. */
  readonly overloaded: () => boolean
  /** Overloaded, and for five seconds nothing was let in. Shorter, or with others served, a balancer should not hear of it. */
  readonly stuck: () => boolean
  /**
   * Begins a request at its head, or says why it cannot be taken now. `unanswered` counts the requests of its
   * connection whose answers have not been sent, itself included.
   */
  readonly arrive: (unanswered: number) => Refusal | undefined
  /** Its last byte has come: it is in flight, or there is no room for it. */
  readonly enter: () => Refusal | undefined
  readonly leave: (standing: Standing) => void
  /** From the lame-duck phase on: the gateway is not ready, and every answer closes its connection. */
  readonly leaving: () => boolean
  /** Begins the lame-duck phase: everything is served as ever, while whoever sends requests here learns to go elsewhere. */
  readonly leaveSoon: () => void
  /** Refuses new requests from now on; resolves when all that had arrived are answered. */
  readonly drain: () => Promise<void>
  readonly close: () => void
}

const RETRY_SECONDS = 1
const TICK_MS = 100
const STUCK_MS = 5000
/** Pipelined requests of one connection: each answer waits in memory until the client has read those before it. */
const MAX_UNANSWERED = 64

/**
 * How much the gateway has taken on. More in flight than configured, or an event loop that is late, is refused
 * before anything is done for the request; what has been admitted is always finished.
 */
export function createLifecycle(bounds: { maxInFlight: number; maxLoopDelayMs: number }): Lifecycle {
  let arriving = 0
  let inFlight = 0
  let leaving = false
  let draining = false
  let late = false
  let idle: (() => void) | undefined
  /** When the first request was refused of those that nothing has been let in since. */
  let refusedSince: number | undefined
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
  const isOverloaded = (): boolean => inFlight >= bounds.maxInFlight || isLate()

  function overload(): Refusal {
    refusedSince ??= performance.now()
    return refuse('OVERLOADED', 'The gateway has more to do than it can; nothing was executed.', {
      retryAfterSeconds: RETRY_SECONDS,
    })
  }

  return {
    inFlight: () => inFlight,
    overloaded: isOverloaded,
    stuck: () => refusedSince !== undefined && performance.now() - refusedSince >= STUCK_MS && isOverloaded(),
    arrive: (unanswered) => {
      if (draining) {
        return refuse('DRAINING', 'The gateway is shutting down; open a new connection.', {
          retryAfterSeconds: RETRY_SECONDS,
        })
      }
      if (unanswered > MAX_UNANSWERED || isOverloaded()) return overload()
      arriving++
      return undefined
    },
    enter: () => {
      if (inFlight >= bounds.maxInFlight) return overload()
      refusedSince = undefined
      arriving--
      inFlight++
      return undefined
    },
    leave: (standing) => {
      if (standing === 'in-flight') inFlight--
      else if (standing === 'arriving') arriving--
      if (inFlight + arriving === 0) idle?.()
    },
    leaving: () => leaving,
    leaveSoon: () => {
      leaving = true
    },
    drain: () => {
      leaving = true
      draining = true
      return new Promise((resolve) => {
        if (inFlight + arriving === 0) resolve()
        else idle = resolve
      })
    },
    close: () => clearInterval(ticker),
  }
}
