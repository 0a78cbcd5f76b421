import { describe, expect, it } from 'vitest'
import {
  DATA_KINDS,
  type HistoryAddition,
  type RecentRefusal,
  type UsageBucket,
} from '../../src/store/store.ts'
import { NOON } from '../support/store-work.ts'
import type { FreshStore } from './contract.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The midnight before NOON. */
const MIDNIGHT = NOON - 12 * HOUR

const counts = (start: number, over: Partial<UsageBucket> = {}): UsageBucket => ({
  start,
  operation: 'payments.fund',
  requests: 1,
  rateLimited: 0,
  refusals: {},
  decisions: {},
  ...over,
})

const addition = (over: Partial<HistoryAddition> = {}): HistoryAddition => ({
  partner: 'demo',
  counts: [],
  refusals: [],
  ...over,
})

const refusal = (n: number, at = NOON + n): RecentRefusal => ({
  at,
  requestId: `req_${n}`,
  operation: 'payments.fund',
  status: 400,
  code: 'VALIDATION_FAILED',
})

export function historyContract(store: FreshStore): void {
  const add = (over: Partial<HistoryAddition>, now = NOON) => store().addHistory([addition(over)], now)

  describe('the usage history', () => {
    it('sums what is added to an hour and to its UTC day, by operation, refusal and outcome', async () => {
      await add({
        counts: [
          counts(NOON, {
            requests: 3,
            rateLimited: 1,
            refusals: { NOT_FOUND: 1 },
            decisions: { success: 1 },
          }),
          counts(NOON - HOUR, { requests: 2, decisions: { failed: 2 } }),
        ],
      })
      await add({
        counts: [
          counts(NOON, { requests: 2, refusals: { NOT_FOUND: 1, VALIDATION_FAILED: 1 } }),
          counts(NOON, { operation: 'accounts.list' }),
        ],
      })
      expect(await store().history('demo', 'hours', NOON)).toEqual([
        counts(NOON - HOUR, { requests: 2, decisions: { failed: 2 } }),
        counts(NOON, {
          requests: 5,
          rateLimited: 1,
          refusals: { NOT_FOUND: 2, VALIDATION_FAILED: 1 },
          decisions: { success: 1 },
        }),
        counts(NOON, { operation: 'accounts.list' }),
      ])
      expect(await store().history('demo', 'days', NOON)).toEqual([
        counts(MIDNIGHT, {
          requests: 7,
          rateLimited: 1,
          refusals: { NOT_FOUND: 2, VALIDATION_FAILED: 1 },
          decisions: { success: 1, failed: 2 },
        }),
        counts(MIDNIGHT, { operation: 'accounts.list' }),
      ])
    })

    it('loses nothing of additions that come at the same moment', async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => add({ counts: [counts(NOON)], refusals: [refusal(n)] })),
      )
      expect(await store().history('demo', 'hours', NOON)).toEqual([counts(NOON, { requests: 20 })])
      expect(await store().refusals('demo', NOON)).toHaveLength(20)
    })

    it('is shown to its own partner alone', async () => {
      await add({ counts: [counts(NOON)], refusals: [refusal(1)] })
      for (const other of ['dem', 'demo-two', 'other']) {
        expect(await store().history(other, 'hours', NOON)).toEqual([])
        expect(await store().refusals(other, NOON)).toEqual([])
      }
    })

    it('keeps an hour for 48 hours and a day for 31 days, and the sweep deletes both', async () => {
      await add({ counts: [counts(NOON)] })
      const read = async (resolution: 'hours' | 'days', now: number) =>
        (await store().history('demo', resolution, now)).length
      expect(await read('hours', NOON + 48 * HOUR - 1)).toBe(1)
      expect(await read('hours', NOON + 48 * HOUR)).toBe(0)
      expect(await read('days', MIDNIGHT + 31 * DAY - 1)).toBe(1)
      expect(await read('days', MIDNIGHT + 31 * DAY)).toBe(0)
      expect(await store().sweep(NOON + 48 * HOUR - 1)).toBe(0)
      expect(await store().sweep(NOON + 48 * HOUR)).toBe(1)
      expect(await store().sweep(MIDNIGHT + 31 * DAY)).toBe(1)
    })

    it('belongs to the partner and not to its data: a reset keeps it', async () => {
      await add({ counts: [counts(NOON)], refusals: [refusal(1)] })
      await store().resetData({ partner: 'demo', tenant: 'tn_demo' }, DATA_KINDS)
      await store().sweep(NOON)
      expect(await store().history('demo', 'hours', NOON)).toEqual([counts(NOON)])
      expect(await store().refusals('demo', NOON)).toEqual([refusal(1)])
    })

    it('takes many partners at once', async () => {
      const partners = Array.from({ length: 250 }, (_, n) => `partner-${n}`)
      await store().addHistory(
        partners.map((partner) => addition({ partner, counts: [counts(NOON)] })),
        NOON,
      )
      for (const partner of partners) expect(await store().history(partner, 'days', NOON)).toHaveLength(1)
    })
  })

  describe('recent refusals', () => {
    const ids = async (now = NOON) => (await store().refusals('demo', now)).map(({ requestId }) => requestId)
    const newest = (last: number, count: number) => Array.from({ length: count }, (_, n) => `req_${last - n}`)

    it('come back whole, newest first', async () => {
      await add({ refusals: [refusal(1), refusal(2)] })
      await add({ refusals: [refusal(3)] })
      expect(await store().refusals('demo', NOON + 3)).toEqual([refusal(3), refusal(2), refusal(1)])
    })

    it.each([1, 7, 25, 60, 500])('are the last 200, added %i at a time', async (size) => {
      const all = Array.from({ length: 500 }, (_, n) => refusal(n, NOON + (n >> 3)))
      for (let from = 0; from < all.length; from += size) {
        await add({ refusals: all.slice(from, from + size) })
        const seen = Math.min(from + size, all.length)
        if (from % 100 === 0) expect(await ids()).toEqual(newest(seen - 1, Math.min(200, seen)))
      }
      expect(await ids()).toEqual(newest(499, 200))
    })

    it('are forgotten seven days after they happened, and their space with them', async () => {
      await add({ refusals: [refusal(1)] })
      await add({ refusals: [refusal(2, NOON + DAY)] }, NOON + DAY)
      expect(await ids(NOON + 7 * DAY)).toEqual(['req_2', 'req_1'])
      expect(await ids(NOON + 1 + 7 * DAY)).toEqual(['req_2'])
      expect(await ids(NOON + 8 * DAY)).toEqual([])
      expect(await store().sweep(NOON + 9 * DAY)).toBe(2)
      await add({ refusals: [refusal(3, NOON + 9 * DAY)] }, NOON + 9 * DAY)
      expect(await ids(NOON + 9 * DAY)).toEqual(['req_3'])
    })
  })
}
