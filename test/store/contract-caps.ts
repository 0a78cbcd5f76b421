import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../support/effort.ts'
import { admit, claim, demand, finish, NOON, nothing, permitFor, spent } from '../support/store-work.ts'
import type { FreshStore } from './contract.ts'

const DAY_MS = 24 * 3_600_000

export function capsContract(store: FreshStore): void {
  describe('caps', () => {
    it('an amount is reserved on admission and used on commit', async () => {
      const permit = await permitFor(store(), { caps: [demand(60)] })
      expect(await spent(store())).toEqual([0, 60])
      await finish(store(), permit)
      expect(await spent(store())).toEqual([60, 0])
    })

    it('an amount goes back when nothing happened, and when the outcome does not count', async () => {
      await nothing(store(), await permitFor(store(), { claim: claim(), caps: [demand(60)] }))
      await finish(store(), await permitFor(store(), { claim: claim(), caps: [demand(60)] }), {
        commitCaps: false,
      })
      expect(await spent(store())).toEqual([0, 0])
    })

    it('work that would overshoot is refused with what there is', async () => {
      await finish(store(), await permitFor(store(), { caps: [demand(50)] }))
      await permitFor(store(), { caps: [demand(30)] })
      const verdict = await admit(store(), { caps: [demand(21)] })
      const resetAt = Date.UTC(2030, 5, 16)
      expect(verdict).toEqual({
        kind: 'capped',
        cap: { ...demand(21), used: 50, reserved: 30, unknown: 0, resetAt },
      })
      expect((await admit(store(), { caps: [demand(20)] })).kind).toBe('admitted')
    })

    it('a capped key is absent: it can be used again with another body', async () => {
      const key = claim()
      expect((await admit(store(), { claim: key, caps: [demand(101)] })).kind).toBe('capped')
      const again = { ...key, fingerprint: 'fingerprint-two' }
      expect((await admit(store(), { claim: again, caps: [demand(100)] })).kind).toBe('admitted')
    })

    it('all caps pass together or nothing is reserved', async () => {
      const monthly = demand(60, 50, { period: 'month' })
      const verdict = await admit(store(), { caps: [demand(60), monthly] })
      expect(verdict).toMatchObject({ kind: 'capped', cap: { period: 'month', limit: 50, amount: 60 } })
      expect(await spent(store())).toEqual([0, 0])
    })

    it('products, units, periods and partners are counted apart', async () => {
      await finish(store(), await permitFor(store(), { caps: [demand(100)] }))
      const others = [
        demand(100, 100, { product: 'payments.cashout' }),
        demand(100, 100, { unit: 'calls' }),
        demand(100, 100, { period: 'month' }),
      ]
      expect((await admit(store(), { caps: others })).kind).toBe('admitted')
      expect((await admit(store(), { partner: 'other', caps: [demand(100)] })).kind).toBe('admitted')
    })

    it('an amount belongs to the period in which the work began', async () => {
      const evening = Date.UTC(2030, 5, 15, 23, 59, 59)
      const permit = await permitFor(store(), { caps: [demand(60)] }, evening)
      await finish(store(), permit, {}, evening + 5_000)
      expect(await spent(store(), evening)).toEqual([60, 0])
      expect(await spent(store(), evening + 5_000)).toEqual([0, 0])
    })

    it('a new period begins at midnight UTC, a new month on the first', async () => {
      const monthly = demand(0, 100, { period: 'month' })
      await finish(store(), await permitFor(store(), { caps: [demand(60), { ...monthly, amount: 60 }] }))
      const lastDay = Date.UTC(2030, 5, 30, 23, 59, 59, 999)
      expect(await spent(store(), lastDay)).toEqual([0, 0])
      expect(await spent(store(), lastDay, monthly)).toEqual([60, 0])
      expect(await spent(store(), lastDay + 1, monthly)).toEqual([0, 0])
    })

    it('a lowered limit blocks new work only', async () => {
      const permit = await permitFor(store(), { caps: [demand(60)] })
      expect((await admit(store(), { caps: [demand(1, 50)] })).kind).toBe('capped')
      await finish(store(), permit)
      expect(await spent(store())).toEqual([60, 0])
    })

    it('concurrent work never overshoots', async () => {
      const verdicts = await Promise.all(
        Array.from({ length: 40 }, () => admit(store(), { caps: [demand(7)] })),
      )
      const permits = verdicts.flatMap((verdict) => (verdict.kind === 'admitted' ? [verdict.permit] : []))
      expect(permits).toHaveLength(14)
      await Promise.all(permits.map((permit) => finish(store(), permit)))
      expect(await spent(store())).toEqual([98, 0])
    })

    it('a negative amount is refused: it would raise the headroom', async () => {
      await expect(async () => store().admit({ ...work(), caps: [demand(-1)] }, NOON)).rejects.toThrow(
        RangeError,
      )
      expect(await spent(store())).toEqual([0, 0])
    })

    it('used and reserved follow a simple model, and never exceed the limit', async () => {
      const step = fc.oneof(
        fc.record({ do: fc.constant('admit' as const), amount: fc.integer({ min: 0, max: 60 }) }),
        fc.record({ do: fc.constantFrom('commit' as const, 'release' as const), pick: fc.nat() }),
      )
      let round = 0
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          // Each run has its own day, and with it fresh counters.
          const now = NOON + ++round * DAY_MS
          let used = 0
          const open: { amount: number; permit: Awaited<ReturnType<typeof permitFor>> }[] = []
          for (const one of steps) {
            const reserved = open.reduce((sum, { amount }) => sum + amount, 0)
            if (one.do === 'admit') {
              const verdict = await admit(store(), { caps: [demand(one.amount)] }, now)
              expect(verdict.kind).toBe(used + reserved + one.amount > 100 ? 'capped' : 'admitted')
              if (verdict.kind === 'admitted') open.push({ amount: one.amount, permit: verdict.permit })
            } else {
              const [chosen] = open.splice(one.pick % Math.max(1, open.length), 1)
              if (chosen === undefined) continue
              await finish(store(), chosen.permit, { commitCaps: one.do === 'commit' }, now)
              if (one.do === 'commit') used += chosen.amount
            }
            const left = open.reduce((sum, { amount }) => sum + amount, 0)
            expect(await spent(store(), now)).toEqual([used, left])
          }
        }),
        { numRuns: runs(40) },
      )
    })
  })
}

const work = () => ({ partner: 'demo', refused: false, effect: 'local' as const })
