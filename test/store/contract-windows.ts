import { describe, expect, it } from 'vitest'
import { admit, claim, demand, NOON, permitFor, rate, spent } from '../support/store-work.ts'
import type { FreshStore } from './contract.ts'

export function windowsContract(store: FreshStore): void {
  describe('rate windows', () => {
    it('a window lets its limit through and refuses the rest, spending nothing on them', async () => {
      const window = rate({ limit: 2 })
      const states = []
      for (let n = 0; n < 4; n++) states.push(await store().take(window, NOON + n))
      expect(states.map((state) => state.remaining)).toEqual([1, 0, 0, 0])
      expect(states.map((state) => state.full)).toEqual([false, false, true, true])
      expect(new Set(states.map((state) => state.resetAt))).toEqual(new Set([NOON + 60_000]))
    })

    it('a window begins with the first request and is over at its reset', async () => {
      const window = rate({ limit: 1 })
      await store().take(window, NOON)
      expect(await store().take(window, NOON + 59_999)).toMatchObject({ full: true })
      expect(await store().take(window, NOON + 60_000)).toMatchObject({
        full: false,
        resetAt: NOON + 120_000,
      })
    })

    it('peek spends nothing and says whether a request would be refused', async () => {
      const window = rate({ limit: 1 })
      const fresh = { limit: 1, remaining: 1, resetAt: NOON + 60_000, full: false }
      expect(await store().peek(window, NOON)).toEqual(fresh)
      expect(await store().peek(window, NOON)).toEqual(fresh)
      await store().take(window, NOON)
      expect(await store().peek(window, NOON)).toMatchObject({ remaining: 0, full: true })
    })

    it('groups and subjects do not share windows', async () => {
      const window = rate({ limit: 1 })
      await store().take(window, NOON)
      expect((await store().take({ ...window, group: 'payments.fund' }, NOON)).full).toBe(false)
      expect((await store().take({ ...window, subject: 'partner:else' }, NOON)).full).toBe(false)
    })

    it('a changed limit holds at once, and what was used stays used', async () => {
      const window = rate({ limit: 5 })
      for (let n = 0; n < 3; n++) await store().take(window, NOON)
      expect(await store().take({ ...window, limit: 2 }, NOON)).toMatchObject({
        full: true,
        remaining: 0,
        limit: 2,
      })
      expect(await store().take({ ...window, limit: 10 }, NOON)).toMatchObject({ full: false, remaining: 6 })
    })

    it('a full window beats a stored answer, and admits nothing', async () => {
      const window = rate({ limit: 1 })
      const key = claim()
      await permitFor(store(), { window, claim: key, caps: [demand(10)] })
      const verdict = await admit(store(), { window, claim: claim(), caps: [demand(10)] })
      expect(verdict).toMatchObject({ kind: 'full', window: { full: true, remaining: 0 } })
      expect(await spent(store())).toEqual([0, 10])
    })

    it('a refused request counts against its window and touches neither key nor cap', async () => {
      const window = rate({ limit: 2 })
      const key = claim()
      expect(await store().take(window, NOON)).toMatchObject({ full: false, remaining: 1 })
      expect(await spent(store())).toEqual([0, 0])
      expect((await admit(store(), { window, claim: key })).kind).toBe('admitted')
    })

    it('the window is absent from the verdict of work that has none', async () => {
      const verdict = await admit(store(), {})
      expect(verdict.kind).toBe('admitted')
      expect(verdict).not.toHaveProperty('window')
    })

    it('every verdict that follows a window carries it', async () => {
      const window = rate({ limit: 10 })
      const key = claim()
      await permitFor(store(), { window, claim: key })
      const running = await admit(store(), { window, claim: key })
      const reused = await admit(store(), { window, claim: { ...key, fingerprint: 'other' } })
      const capped = await admit(store(), { window, caps: [demand(101)] })
      expect([running, reused, capped].map((one) => one.window?.remaining)).toEqual([8, 7, 6])
    })
  })
}
