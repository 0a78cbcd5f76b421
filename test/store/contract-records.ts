import { describe, expect, it } from 'vitest'
import { admit, claim, demand, finish, NOON, permitFor, put, record, spent } from '../support/store-work.ts'
import type { FreshStore } from './contract.ts'

export function recordsContract(store: FreshStore): void {
  const get = (id: string, now = NOON, tenant = 'tn_demo') => store().get('account', tenant, id, now)

  describe('records', () => {
    it('a record comes back as it was written, and only to its tenant and kind', async () => {
      const value = { name: 'Awa', nested: [1, null, { x: 'é' }], __proto__: undefined }
      await put(store(), [record('acc_1', value)])
      expect(await get('acc_1')).toEqual({ name: 'Awa', nested: [1, null, { x: 'é' }] })
      expect(await get('acc_1', NOON, 'tn_other')).toBeUndefined()
      expect(await store().get('webhook', 'tn_demo', 'acc_1', NOON)).toBeUndefined()
    })

    it('a record is a copy: changing the value afterwards changes nothing', async () => {
      const value = { items: ['one'] }
      await put(store(), [record('acc_1', value)])
      value.items.push('two')
      expect(await get('acc_1')).toEqual({ items: ['one'] })
    })

    it('a record is absent at the instant it expires', async () => {
      await put(store(), [record('acc_1', 1, { expiresAt: NOON + 10 })])
      expect(await get('acc_1', NOON + 9)).toBe(1)
      expect(await get('acc_1', NOON + 10)).toBeUndefined()
      expect(await put(store(), [record('acc_1', 2)], NOON + 10)).toEqual({ kind: 'settled' })
    })

    it('keep leaves an existing record, replace overwrites it', async () => {
      await put(store(), [record('acc_1', 'first')])
      await put(store(), [record('acc_1', 'kept', { ifPresent: 'keep' })])
      expect(await get('acc_1')).toBe('first')
      await put(store(), [record('acc_1', 'third', { ifPresent: 'replace' })])
      expect(await get('acc_1')).toBe('third')
    })

    it('a conflict writes nothing, and the permit still stands', async () => {
      await put(store(), [record('acc_1', 'first')])
      const key = claim()
      const permit = await permitFor(store(), { claim: key, caps: [demand(60)] })
      const records = [record('acc_2', 'new'), record('acc_1', 'second')]
      expect(await finish(store(), permit, { records })).toEqual({ kind: 'conflict' })
      expect(await get('acc_2')).toBeUndefined()
      expect((await admit(store(), { claim: key })).kind).toBe('running')
      expect(await spent(store())).toEqual([0, 60])
      expect(await finish(store(), permit)).toEqual({ kind: 'settled' })
      expect(await spent(store())).toEqual([60, 0])
    })

    it('of many settlements at once that need the same record absent, exactly one wins', async () => {
      const permits = await Promise.all(
        Array.from({ length: 8 }, () => permitFor(store(), { caps: [demand(10)] })),
      )
      const results = await Promise.all(
        permits.map((permit, n) => finish(store(), permit, { records: [record('acc_1', n)] })),
      )
      expect(results.filter((result) => result.kind === 'settled')).toHaveLength(1)
      expect(results.filter((result) => result.kind === 'conflict')).toHaveLength(7)
      expect(await get('acc_1')).toBe(results.findIndex((result) => result.kind === 'settled'))
      expect(await spent(store())).toEqual([10, 70])
    })

    it('pages are newest first, complete and without repetition', async () => {
      const ids = Array.from({ length: 7 }, (_, n) => `acc_${n}`)
      for (const id of ids) await put(store(), [record(id, id)])
      await put(store(), [
        record('acc_9', 'x', { tenant: 'tn_demo2' }),
        record('acc_9', 'x', { tenant: 'tn_dem' }),
      ])
      const seen: unknown[] = []
      let before: string | null = null
      do {
        const query: { limit: number; before?: string } =
          before === null ? { limit: 3 } : { limit: 3, before }
        const page: { items: readonly unknown[]; next: string | null } = await store().page(
          'account',
          'tn_demo',
          query,
          NOON,
        )
        seen.push(...page.items)
        before = page.next
      } while (before !== null)
      expect(seen).toEqual([...ids].reverse())
    })

    it('a page that holds all there is says so, and an empty one too', async () => {
      await put(store(), [record('acc_1', 1), record('acc_2', 2)])
      expect(await store().page('account', 'tn_demo', { limit: 2 }, NOON)).toEqual({
        items: [2, 1],
        next: null,
      })
      expect(await store().page('account', 'tn_none', { limit: 2 }, NOON)).toEqual({ items: [], next: null })
    })

    it('expired records are not listed', async () => {
      await put(store(), [
        record('acc_1', 1),
        record('acc_2', 2, { expiresAt: NOON + 10 }),
        record('acc_3', 3),
      ])
      expect(await store().page('account', 'tn_demo', { limit: 2 }, NOON + 10)).toEqual({
        items: [3, 1],
        next: null,
      })
    })

    it('a name cannot reach into another tenant', async () => {
      const permit = await permitFor(store(), {})
      const sly = record('acc_1', 1, { tenant: 'tn\0x' })
      await expect(finish(store(), permit, { records: [sly] })).rejects.toThrow(RangeError)
    })
  })

  describe('the sweep', () => {
    it('deletes what has expired, in batches, and counts it', async () => {
      const records = Array.from({ length: 450 }, (_, n) => record(`acc_${n}`, n, { expiresAt: NOON + 10 }))
      await put(store(), [
        ...records,
        record('acc_keep', 1),
        record('acc_later', 1, { expiresAt: NOON + 11 }),
      ])
      const counts = []
      for (let n = 0; n < 4; n++) counts.push(await store().sweep(NOON + 10))
      expect(counts).toEqual([200, 200, 50, 0])
      expect(await get('acc_keep')).toBe(1)
      expect(await get('acc_later')).toBe(1)
    })

    it('leaves a key that has been used again since it expired', async () => {
      const key = claim({ retentionMs: 10 })
      await finish(store(), await permitFor(store(), { claim: key }))
      const again = await permitFor(store(), { claim: { ...key, retentionMs: 1_000 } }, NOON + 20)
      await finish(store(), again, {}, NOON + 20)
      expect(await store().sweep(NOON + 30)).toBe(0)
      expect((await admit(store(), { claim: key }, NOON + 30)).kind).toBe('stored')
      expect(await store().sweep(NOON + 2_000)).toBe(1)
    })

    it('leaves a record that is written again while the sweep is under way', async () => {
      await put(store(), [record('acc_1', 'old', { expiresAt: NOON + 10 })])
      const permit = await permitFor(store(), {}, NOON + 10)
      const writing = finish(store(), permit, { records: [record('acc_1', 'new')] }, NOON + 10)
      await Promise.all([writing, store().sweep(NOON + 10)])
      expect(await get('acc_1', NOON + 10)).toBe('new')
    })

    it('removes cap counters forty days after their period', async () => {
      await finish(store(), await permitFor(store(), { caps: [demand(60)] }))
      expect(await store().sweep(NOON + 40 * 24 * 3_600_000)).toBe(0)
      expect(await spent(store())).toEqual([60, 0])
      expect(await store().sweep(NOON + 41 * 24 * 3_600_000)).toBe(1)
    })
  })

  describe('the store', () => {
    it('has one secret of 32 bytes', () => {
      expect(store().secret()).toHaveLength(32)
      expect(store().secret()).toEqual(store().secret())
    })

    it('is writable', () => {
      expect(store().health()).toEqual({ writable: true })
    })

    it('closes once, however often it is asked to', async () => {
      const permit = await permitFor(store(), { claim: claim() })
      const settling = finish(store(), permit)
      await Promise.all([store().close(), store().close()])
      expect(await settling).toEqual({ kind: 'settled' })
    })
  })
}
