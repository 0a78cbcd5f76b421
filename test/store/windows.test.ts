import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRateWindows } from '../../src/store/windows.ts'
import { NOON, rate } from '../support/store-work.ts'

const WINDOW_MS = 60_000
const MINUTE_LATER = NOON + WINDOW_MS

describe('rate windows', () => {
  it('never let more than the limit through a window, whatever the order of calls and the clock', () => {
    const call = fc.record({
      subject: fc.constantFrom('a', 'b', 'c'),
      limit: fc.constantFrom(2, 3),
      // Mostly forwards, sometimes a little back, rarely a jump by hours either way.
      moveMs: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
        { weight: 2, arbitrary: fc.integer({ min: -30_000, max: 0 }) },
        { weight: 1, arbitrary: fc.constantFrom(-7_200_000, 7_200_000) },
      ),
    })
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
        const windows = createRateWindows()
        const passed = new Map<string, number>()
        let now = NOON
        let forward = 0
        for (const { subject, limit, moveMs } of calls) {
          now += moveMs
          forward += Math.max(0, moveMs)
          const before = windows.peek(rate({ subject, limit }), now)
          const after = windows.take(rate({ subject, limit }), now)
          expect(after.full).toBe(before.full)
          expect(after.remaining).toBe(Math.max(0, before.remaining - 1))
          expect(after.resetAt).toBe(before.resetAt)
          expect(after.resetAt).toBeGreaterThan(now)
          if (!after.full) passed.set(subject, (passed.get(subject) ?? 0) + 1)
        }
        // Time that really passed opens at most this many windows, and each lets three through.
        const most = 3 * (1 + Math.floor(forward / WINDOW_MS))
        for (const count of passed.values()) expect(count).toBeLessThanOrEqual(most)
      }),
    )
  })

  it('never let more than the limit through between one reset and the next', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 25_000 }), { maxLength: 80 })
    fc.assert(
      fc.property(steps, (moves) => {
        const windows = createRateWindows()
        const perReset = new Map<number, number>()
        let now = NOON
        for (const moveMs of moves) {
          now += moveMs
          const state = windows.take(rate({ subject: 'a', limit: 3 }), now)
          if (!state.full) perReset.set(state.resetAt, (perReset.get(state.resetAt) ?? 0) + 1)
        }
        for (const count of perReset.values()) expect(count).toBeLessThanOrEqual(3)
        const resets = [...perReset.keys()]
        resets.slice(1).forEach((reset, n) => {
          expect(reset - (resets[n] ?? 0)).toBeGreaterThanOrEqual(WINDOW_MS)
        })
      }),
    )
  })

  it('a clock that is set back by hours locks nobody out, and gives nobody a fresh limit', () => {
    const windows = createRateWindows()
    const window = rate({ limit: 1 })
    windows.take(window, NOON)
    const earlier = NOON - 5 * 3_600_000
    expect(windows.take(window, earlier)).toMatchObject({ full: true, resetAt: earlier + WINDOW_MS })
    expect(windows.take(window, earlier + WINDOW_MS)).toMatchObject({ full: false })
  })

  it('expired windows give their room back', () => {
    const windows = createRateWindows()
    for (let n = 0; n < 1_000; n++) windows.take(rate(), NOON)
    expect(windows.size()).toBe(1_000)
    for (let n = 0; n < 100; n++) windows.take(rate(), MINUTE_LATER)
    expect(windows.size()).toBe(100)
  })

  it('a window that is opened again counts once, wherever its expired one lay', () => {
    const windows = createRateWindows()
    const subjects = Array.from({ length: 100 }, (_, n) => `ip:${n}`)
    for (const subject of subjects) windows.take(rate({ subject }), NOON)
    for (const subject of subjects.reverse()) windows.take(rate({ subject }), MINUTE_LATER)
    expect(windows.size()).toBe(100)
  })
})

describe('at the bound', () => {
  const crowded = () => {
    const windows = createRateWindows(10)
    for (let n = 0; n < 10; n++) windows.take(rate({ subject: `ip:${n}`, limit: 2 }), NOON)
    return windows
  }
  const newcomer = (subject: string, shared: string) => rate({ subject, shared, limit: 2 })

  it('a live window is never evicted', () => {
    const windows = crowded()
    for (let n = 0; n < 100; n++) windows.take(newcomer(`ip:new-${n}`, 'net:1'), NOON)
    for (let n = 0; n < 10; n++) {
      expect(windows.take(rate({ subject: `ip:${n}`, limit: 2 }), NOON)).toMatchObject({
        remaining: 0,
        full: false,
      })
      expect(windows.take(rate({ subject: `ip:${n}`, limit: 2 }), NOON).full).toBe(true)
    }
  })

  it('new subjects share the window of their network', () => {
    const windows = crowded()
    const full = ['a', 'b', 'c'].map((name) => windows.take(newcomer(`ip:${name}`, 'net:1'), NOON).full)
    expect(full).toEqual([false, false, true])
    expect(windows.peek(newcomer('ip:d', 'net:1'), NOON).full).toBe(true)
  })

  it('past the second bound, all networks share one window of the group', () => {
    const windows = crowded()
    windows.take(newcomer('ip:a', 'net:1'), NOON)
    const full = ['net:2', 'net:3', 'net:4'].map((net) => windows.take(newcomer(`ip:${net}`, net), NOON).full)
    expect(full).toEqual([false, false, true])
    expect(windows.size()).toBe(12)
  })

  it('a new subject has its own window again once there is room', () => {
    const windows = crowded()
    for (let n = 0; n < 3; n++) windows.take(newcomer('ip:a', 'net:1'), NOON)
    expect(windows.take(newcomer('ip:a', 'net:1'), MINUTE_LATER)).toMatchObject({ full: false, remaining: 1 })
  })

  it('expired windows of other groups make room too', () => {
    const windows = crowded()
    const elsewhere = { ...newcomer('ip:a', 'net:1'), group: 'token', limit: 5 }
    windows.take(elsewhere, MINUTE_LATER)
    expect(windows.size()).toBe(1)
  })
})
