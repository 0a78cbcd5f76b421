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

/** A request whose last byte came with its first. */
const codeOf = (unanswered = 1) => (lifecycle.arrive(unanswered) ?? lifecycle.enter())?.code

describe('a request', () => {
  it('is taken until as many are in flight as configured, and again when one has left', () => {
    expect([codeOf(), codeOf(), codeOf()]).toEqual([undefined, undefined, undefined])
    expect(codeOf()).toBe('OVERLOADED')
    // The refused one was never in flight.
    expect(lifecycle.inFlight()).toBe(3)
    lifecycle.leave('in-flight')
    expect(codeOf()).toBeUndefined()
  })

  it('is refused behind 64 unanswered ones of its connection', () => {
    expect(codeOf(64)).toBeUndefined()
    expect(codeOf(65)).toBe('OVERLOADED')
  })

  it('whose body has not come whole takes nobody the place', () => {
    for (let i = 0; i < 1000; i++) expect(lifecycle.arrive(1)).toBeUndefined()
    expect([codeOf(), codeOf(), codeOf(), codeOf()]).toEqual([undefined, undefined, undefined, 'OVERLOADED'])
    // When its last byte comes there has to be room.
    expect(lifecycle.enter()?.code).toBe('OVERLOADED')
    lifecycle.leave('in-flight')
    expect(lifecycle.enter()).toBeUndefined()
  })

  it('that is refused says when to try again', () => {
    expect(lifecycle.arrive(1000)?.retryAfterSeconds).toBeGreaterThanOrEqual(1)
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

describe('a gateway that has more to do than it can', () => {
  const fill = () => expect([codeOf(), codeOf(), codeOf()]).toEqual([undefined, undefined, undefined])

  it('says so at once, and is stuck only when nobody was let in for five seconds', () => {
    time += 60_000
    fill()
    expect([lifecycle.overloaded(), lifecycle.stuck()]).toEqual([true, false])
    time += 60_000
    // Nobody has been refused yet.
    expect(lifecycle.stuck()).toBe(false)
    expect(codeOf()).toBe('OVERLOADED')
    time += 4999
    expect(lifecycle.stuck()).toBe(false)
    time += 1
    expect(lifecycle.stuck()).toBe(true)
  })

  it('is not stuck while others are let in, nor when there is room again', () => {
    fill()
    expect(codeOf()).toBe('OVERLOADED')
    time += 4000
    lifecycle.leave('in-flight')
    expect(codeOf()).toBeUndefined()
    expect(codeOf()).toBe('OVERLOADED')
    time += 4000
    expect([lifecycle.overloaded(), lifecycle.stuck()]).toEqual([true, false])
    time += 1000
    expect(lifecycle.stuck()).toBe(true)
    lifecycle.leave('in-flight')
    expect([lifecycle.overloaded(), lifecycle.stuck()]).toEqual([false, false])
  })
})

describe('a lame duck', () => {
  it('serves on, and says that it is leaving', () => {
    expect(lifecycle.leaving()).toBe(false)
    lifecycle.leaveSoon()
    expect(lifecycle.leaving()).toBe(true)
    expect(lifecycle.arrive(1)).toBeUndefined()
  })
})

describe('draining', () => {
  it('waits for a request whose body was under way, and lets it finish', async () => {
    lifecycle.arrive(1)
    let drained = false
    const draining = lifecycle.drain().then(() => {
      drained = true
    })
    expect(lifecycle.enter()).toBeUndefined()
    await Promise.resolve()
    expect(drained).toBe(false)
    lifecycle.leave('in-flight')
    await draining
    expect(drained).toBe(true)
  })

  it('refuses what is new and resolves when nothing is in flight', async () => {
    expect(codeOf()).toBeUndefined()
    let drained = false
    const draining = lifecycle.drain().then(() => {
      drained = true
    })
    expect(codeOf()).toBe('DRAINING')
    await Promise.resolve()
    expect(drained).toBe(false)
    lifecycle.leave('in-flight')
    await draining
    expect(drained).toBe(true)
  })

  it('of an idle gateway is done at once', async () => {
    await lifecycle.drain()
    expect(lifecycle.leaving()).toBe(true)
  })
})
