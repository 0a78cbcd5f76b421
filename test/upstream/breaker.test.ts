import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBreaker } from '../../src/upstream/breaker.ts'
import { runs } from '../support/effort.ts'

const OPTIONS = { requests: 20, failurePercent: 50, windowSeconds: 10, openSeconds: 5 }

function at(start: number) {
  let now = start
  const states: string[] = []
  const breaker = createBreaker(
    OPTIONS,
    () => now,
    (state) => states.push(state),
  )
  const send = (isFailure: boolean): boolean => {
    const entered = breaker.enter()
    if ('pass' in entered) entered.pass(isFailure)
    return 'pass' in entered
  }
  const wait = (ms: number) => {
    now += ms
  }
  return { breaker, states, send, wait }
}

describe('the circuit breaker', () => {
  it('opens at half of twenty, and not before', () => {
    const { breaker, send } = at(0)
    for (let n = 0; n < 9; n++) send(true)
    for (let n = 0; n < 10; n++) send(false)
    expect(breaker.state()).toBe('closed')
    send(true)
    expect(breaker.state()).toBe('open')
    expect(breaker.enter()).toEqual({ retryAfterSeconds: 5 })
  })

  it('forgets what is older than its window', () => {
    const { breaker, send, wait } = at(0)
    for (let n = 0; n < 19; n++) send(true)
    wait(11_000)
    send(true)
    expect(breaker.state()).toBe('closed')
  })

  it('lets one request at a time through on trial', () => {
    const { breaker, send, wait } = at(0)
    for (let n = 0; n < 20; n++) send(true)
    wait(5_000)
    const trial = breaker.enter()
    expect('pass' in trial).toBe(true)
    expect(breaker.enter()).toEqual({ retryAfterSeconds: 1 })
    if ('pass' in trial) trial.pass(true)
    expect(breaker.closedFor()).toBe(5)
    wait(5_000)
    expect(send(false)).toBe(true)
    expect(breaker.state()).toBe('closed')
    expect(send(true)).toBe(true)
  })

  it('does not hear of requests from before it opened', () => {
    const { breaker, send, wait } = at(0)
    const old = Array.from({ length: 30 }, () => breaker.enter())
    for (let n = 0; n < 20; n++) send(true)
    wait(5_000)
    send(false)
    for (const each of old) if ('pass' in each) each.pass(true)
    expect(breaker.state()).toBe('closed')
  })

  it('is never open when fewer than half have failed, nor for longer than it says', () => {
    const step = fc.record({ isFailure: fc.boolean(), ms: fc.integer({ min: 0, max: 3000 }) })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), fc.array(step, { maxLength: 200 }), (start, steps) => {
        const { breaker, send, wait } = at(start)
        let failed = 0
        let total = 0
        for (const { isFailure, ms } of steps) {
          wait(ms)
          if (send(isFailure)) total += 1
          if (isFailure) failed += 1
          if (failed === 0) expect(breaker.state()).toBe('closed')
          expect(breaker.closedFor() ?? 0).toBeLessThanOrEqual(OPTIONS.openSeconds)
        }
        expect(total).toBeLessThanOrEqual(steps.length)
        wait(OPTIONS.openSeconds * 1000)
        expect(breaker.closedFor()).toBeUndefined()
      }),
      { numRuns: runs(200) },
    )
  })
})
