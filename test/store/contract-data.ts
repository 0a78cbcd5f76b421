import { describe, expect, it } from 'vitest'
import { DATA_KINDS, type DataKind, type QuotaDemand, type Store } from '../../src/store/store.ts'
import {
  admit,
  answer,
  claim,
  demand,
  finish,
  NOON,
  nothing,
  permitFor,
  put,
  RETENTION_MS,
  rate,
  record,
  spent,
  unknown,
} from '../support/store-work.ts'
import type { FreshStore } from './contract.ts'

const OWNER = { partner: 'demo', tenant: 'tn_demo' }

const room = (kind: DataKind, limit: number, amount = 1): QuotaDemand => ({
  kind,
  who: kind === 'keys' ? 'demo' : 'tn_demo',
  limit,
  amount,
})

const account = (id: string) => [
  record(`acc_${id}`, { id }),
  record(id, {}, { kind: 'score', ifPresent: 'keep' }),
]

async function held(store: Store, kind: DataKind): Promise<[number, number]> {
  const all = await store.dataUsage(OWNER)
  const one = all.find((each) => each.kind === kind)
  return [one?.used ?? -1, one?.reserved ?? -1]
}

async function sweepAll(store: Store, now = NOON): Promise<void> {
  for (let i = 0; i < 100; i++) if ((await store.sweep(now)) === 0) return
  throw new Error('the sweep does not end')
}

export function dataContract(store: FreshStore): void {
  describe('what a partner holds', () => {
    it('is counted as it is settled, and set aside while it is being decided', async () => {
      const quotas = [room('accounts', 3)]
      const permit = await permitFor(store(), { quotas })
      expect(await held(store(), 'accounts')).toEqual([0, 1])
      await finish(store(), permit, { records: account('1') })
      // A score row comes with its account.
      expect(await held(store(), 'accounts')).toEqual([1, 0])
      await nothing(store(), await permitFor(store(), { quotas }))
      expect(await held(store(), 'accounts')).toEqual([1, 0])
    })

    it('is bounded, exactly to what is in flight', async () => {
      const verdicts = []
      for (let i = 0; i < 20; i++) verdicts.push(await admit(store(), { quotas: [room('webhooks', 7)] }))
      expect(verdicts.filter(({ kind }) => kind === 'admitted')).toHaveLength(7)
      const refused = verdicts.at(-1)
      expect(refused).toMatchObject({
        kind: 'no-room',
        quota: { kind: 'webhooks', limit: 7, used: 0, reserved: 7 },
      })
      const settled = verdicts.flatMap((verdict) => (verdict.kind === 'admitted' ? [verdict.permit] : []))
      for (const [i, permit] of settled.entries())
        await finish(store(), permit, { records: [record(`wh_${i}`, i, { kind: 'webhook' })] })
      expect(await held(store(), 'webhooks')).toEqual([7, 0])
      expect((await admit(store(), { quotas: [room('webhooks', 7)] })).kind).toBe('no-room')
      // Whoever is refused has nothing set aside, of a cap or of another kind.
      const both = {
        quotas: [room('keys', 1e9, 100), room('webhooks', 7)],
        caps: [demand(60)],
        claim: claim(),
      }
      const verdict = await admit(store(), { ...both, window: rate() })
      expect(verdict).toMatchObject({ kind: 'no-room', window: { remaining: 2 } })
      expect(await held(store(), 'keys')).toEqual([0, 0])
      expect(await spent(store())).toEqual([0, 0])
    })

    it('comes behind the stored answer and the cap', async () => {
      const key = claim()
      await finish(store(), await permitFor(store(), { claim: key }), {})
      const none = [room('accounts', 0)]
      expect((await admit(store(), { claim: key, quotas: none })).kind).toBe('stored')
      expect((await admit(store(), { claim: claim(), quotas: none, caps: [demand(101)] })).kind).toBe(
        'capped',
      )
      expect((await admit(store(), { claim: claim(), quotas: none })).kind).toBe('no-room')
    })

    it('of finished answers is measured in bytes, and given back when they are deleted', async () => {
      const key = claim()
      await finish(store(), await permitFor(store(), { claim: key }), { answer: answer('x'.repeat(5000)) })
      const [bytes] = await held(store(), 'keys')
      expect(bytes).toBeGreaterThan(5000)
      expect(bytes).toBeLessThan(5500)
      await finish(store(), await permitFor(store(), { claim: claim() }), {}, NOON + 1)
      await sweepAll(store(), NOON + RETENTION_MS)
      const [left] = await held(store(), 'keys')
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThan(500)
      await sweepAll(store(), NOON + RETENTION_MS + 1)
      expect(await held(store(), 'keys')).toEqual([0, 0])
    })

    it('is counted once where an expired entry is written again before it is deleted', async () => {
      const key = claim()
      await finish(store(), await permitFor(store(), { claim: key }), {})
      const [bytes] = await held(store(), 'keys')
      const later = NOON + RETENTION_MS
      await finish(store(), await permitFor(store(), { claim: key }, later), {}, later)
      expect(await held(store(), 'keys')).toEqual([bytes, 0])
      await sweepAll(store(), later)
      expect(await held(store(), 'keys')).toEqual([bytes, 0])
    })

    it('of work whose lease has ended, or whose outcome is unknown, is given back when that is over', async () => {
      await permitFor(store(), { claim: claim({ leaseMs: 10 }), quotas: [room('accounts', 9)] })
      expect(await held(store(), 'accounts')).toEqual([0, 1])
      await store().sweep(NOON + 10)
      expect(await held(store(), 'accounts')).toEqual([0, 0])
      const remote = { claim: claim(), quotas: [room('keys', 1e9, 50)], effect: 'remote' as const }
      await unknown(store(), await permitFor(store(), remote))
      expect(await held(store(), 'keys')).toEqual([0, 50])
      await sweepAll(store(), NOON + RETENTION_MS)
      expect(await held(store(), 'keys')).toEqual([0, 0])
    })
  })

  describe('a reset', () => {
    const session = record('kws_1', {}, { kind: 'session', expiresAt: NOON + 1e9 })
    const decision = record('kws_1', {}, { kind: 'decision', expiresAt: NOON + 1e9 })
    const webhook = record('wh_1', {}, { kind: 'webhook' })

    it('of a kind makes all of it absent at once, for every reader, and nothing else', async () => {
      await put(store(), [...account('1'), session, decision, webhook])
      await put(store(), [record('acc_2', 'theirs', { tenant: 'tn_other' })])
      await store().resetData(OWNER, ['accounts'])
      for (const [kind, id] of [
        ['account', 'acc_1'],
        ['score', '1'],
      ] as const)
        expect(await store().get(kind, 'tn_demo', id, NOON)).toBeUndefined()
      expect(await store().page('account', 'tn_demo', { limit: 10 }, NOON)).toEqual({ items: [], next: null })
      expect(await held(store(), 'accounts')).toEqual([0, 0])
      for (const [kind, id] of [
        ['session', 'kws_1'],
        ['decision', 'kws_1'],
        ['webhook', 'wh_1'],
      ] as const)
        expect(await store().get(kind, 'tn_demo', id, NOON)).toBeDefined()
      expect(await store().get('account', 'tn_other', 'acc_2', NOON)).toBe('theirs')
      await sweepAll(store())
      expect(await store().get('account', 'tn_other', 'acc_2', NOON)).toBe('theirs')
      expect(await store().get('webhook', 'tn_demo', 'wh_1', NOON)).toBeDefined()
    })

    it('of keys makes a retry a new request, and leaves running and unknown ones as they are', async () => {
      const [finished, running, doubtful] = [claim(), claim(), claim()]
      await finish(store(), await permitFor(store(), { claim: finished, caps: [demand(10)] }), {})
      const permit = await permitFor(store(), { claim: running, caps: [demand(10)] })
      await unknown(
        store(),
        await permitFor(store(), { claim: doubtful, effect: 'remote', caps: [demand(10)] }),
      )
      await store().resetData(OWNER, ['keys'])
      expect((await admit(store(), { claim: finished })).kind).toBe('admitted')
      expect((await admit(store(), { claim: running })).kind).toBe('running')
      expect((await permitFor(store(), { claim: doubtful, effect: 'remote' })).takeover).toBe(true)
      expect(await spent(store())).toEqual([10, 20])
      // What was being decided ends in the new generation.
      await finish(store(), permit, {})
      expect((await admit(store(), { claim: running })).kind).toBe('stored')
      await sweepAll(store())
      expect((await admit(store(), { claim: running })).kind).toBe('stored')
    })

    it('may be repeated, of all kinds, with new data in between and without', async () => {
      for (let round = 0; round < 4; round++) {
        await put(store(), [...account('1'), webhook], NOON + round)
        await finish(store(), await permitFor(store(), { claim: claim() }), {})
        expect((await held(store(), 'accounts'))[0]).toBe(1)
        await store().resetData(OWNER, DATA_KINDS)
        await store().resetData(OWNER, DATA_KINDS)
        for (const kind of DATA_KINDS) expect(await held(store(), kind)).toEqual([0, 0])
        if (round % 2 === 1) await sweepAll(store())
      }
    })

    it('and a settlement of the same moment end in one order or the other, never in both', async () => {
      const permit = await permitFor(store(), { claim: claim(), quotas: [room('accounts', 9)] })
      await put(store(), account('0'))
      await Promise.all([
        store().resetData(OWNER, DATA_KINDS),
        finish(store(), permit, { records: account('1') }),
        store().resetData(OWNER, DATA_KINDS),
      ])
      const page = await store().page('account', 'tn_demo', { limit: 10 }, NOON)
      expect(await held(store(), 'accounts')).toEqual([page.items.length, 0])
      await sweepAll(store())
      expect(await store().page('account', 'tn_demo', { limit: 10 }, NOON)).toEqual(page)
    })

    it('of much is small, and is swept a batch at a time', async () => {
      const many = Array.from({ length: 450 }, (_, i) => record(`acc_${1000 + i}`, i))
      await put(store(), many)
      for (let i = 0; i < 30; i++) await finish(store(), await permitFor(store(), { claim: claim() }), {})
      await store().resetData(OWNER, DATA_KINDS)
      await put(store(), account('new'))
      const sizes: number[] = []
      for (let size = -1; size !== 0; ) {
        size = await store().sweep(NOON)
        sizes.push(size)
      }
      expect(Math.max(...sizes)).toBeLessThanOrEqual(201)
      expect(sizes.reduce((a, b) => a + b, 0)).toBeGreaterThanOrEqual(480)
      expect((await store().page('account', 'tn_demo', { limit: 10 }, NOON)).items).toHaveLength(1)
    })
  })
}
