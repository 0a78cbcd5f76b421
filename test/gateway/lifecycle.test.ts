import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLifecycle, type Lifecycle } from '../../src/gateway/lifecycle.ts'

const BOUND_MS = 1000
let lifecycle: Lifecycle
let time = 0

beforeEach(() => {
  time = 0
  vi.stubGlobal('performance', { now: () => time })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  lifecycle = createLifecycle({ maxInFlight: 3, maxLoopDelayMs: BOUND_MS })
})
afterEach(() => {
  lifecycle.close()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const codeOf = (unanswered = 1) => lifecycle.enter(unanswered)?.code

describe('a request', () => {
  it('is taken until as many are in flight as configured, and again when one has left', () => {
    expect([codeOf(), codeOf(), codeOf()]).toEqual([undefined, undefined, undefined])
    expect(codeOf()).toBe('OVERLOADED')
    // The refused one was never in flight.
    expect(lifecycle.inFlight()).toBe(3)
    lifecycle.leave()
    expect(codeOf()).toBeUndefined()
  })

  it('is refused behind 64 unanswered ones of its connection', () => {
    expect(codeOf(64)).toBeUndefined()
    expect(codeOf(65)).toBe('OVERLOADED')
  })

  it('that is refused says when to try again', () => {
    expect(lifecycle.enter(1000)?.retryAfterSeconds).toBeGreaterThanOrEqual(1)
  })
})

describe('a late loop', () => {
  /** The tick comes after so many milliseconds instead of the hundred that it wanted. */
  const tickAfter = (ms: number) => {
    time += ms
    vi.advanceTimersByTime(100)
  }

  it('is noticed at its tick, and forgiven at the next one in time', () => {
    tickAfter(100)
    expect(codeOf()).toBeUndefined()
    tickAfter(BOUND_MS + 101)
    expect(codeOf()).toBe('OVERLOADED')
    tickAfter(100)
    expect(codeOf()).toBeUndefined()
  })

  it('is noticed before its tick, by the request that comes first', () => {
    tickAfter(100)
    time += BOUND_MS + 101
    expect(codeOf()).toBe('OVERLOADED')
  })

  it('is not one for the work of starting, before the first tick', () => {
    time += 10 * BOUND_MS
    expect(codeOf()).toBeUndefined()
    tickAfter(0)
    expect(codeOf()).toBeUndefined()
  })

  it('is not one within the bound', () => {
    tickAfter(100)
    time += BOUND_MS + 100
    expect(codeOf()).toBeUndefined()
    tickAfter(0)
    expect(codeOf()).toBeUndefined()
  })
})

describe('draining', () => {
  it('refuses what is new and resolves when nothing is in flight', async () => {
    expect(codeOf()).toBeUndefined()
    let drained = false
    const draining = lifecycle.drain().then(() => {
      drained = true
    })
    expect(codeOf()).toBe('DRAINING')
    await Promise.resolve()
    expect(drained).toBe(false)
    lifecycle.leave()
    await draining
    expect(drained).toBe(true)
  })

  it('of an idle gateway is done at once', async () => {
    await lifecycle.drain()
    expect(lifecycle.draining()).toBe(true)
  })
})
