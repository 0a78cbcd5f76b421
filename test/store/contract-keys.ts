import { describe, expect, it } from 'vitest'
import {
  admit,
  answer,
  claim,
  demand,
  finish,
  LEASE_MS,
  NOON,
  nothing,
  permitFor,
  RETENTION_MS,
  rate,
  spent,
} from '../support/store-work.ts'
import type { FreshStore } from './contract.ts'

export function keysContract(store: FreshStore): void {
  describe('idempotency keys', () => {
    it('a finished key gives back the very bytes that were stored', async () => {
      const key = claim()
      const stored = { ...answer(), body: Buffer.from([0, 255, 10, 13, 128]) }
      expect(await finish(store(), await permitFor(store(), { claim: key }), { answer: stored })).toEqual({
        kind: 'settled',
      })
      expect(await admit(store(), { claim: key })).toEqual({ kind: 'stored', answer: stored })
    })

    it('a running key is running until it is settled', async () => {
      const key = claim()
      const permit = await permitFor(store(), { claim: key })
      expect((await admit(store(), { claim: key })).kind).toBe('running')
      const settling = finish(store(), permit)
      expect((await admit(store(), { claim: key })).kind).toBe('running')
      await settling
      expect((await admit(store(), { claim: key })).kind).toBe('stored')
    })

    it('another request under the same key is refused, running and finished alike', async () => {
      const key = claim()
      const other = { ...key, fingerprint: 'fingerprint-two' }
      const permit = await permitFor(store(), { claim: key })
      expect((await admit(store(), { claim: other })).kind).toBe('reused')
      await finish(store(), permit)
      expect((await admit(store(), { claim: other })).kind).toBe('reused')
    })

    it('a key belongs to its partner', async () => {
      const key = claim()
      await finish(store(), await permitFor(store(), { claim: key }))
      expect((await admit(store(), { claim: key, partner: 'other' })).kind).toBe('admitted')
    })

    it('a key whose work did nothing is absent again', async () => {
      const key = claim()
      expect(await nothing(store(), await permitFor(store(), { claim: key }))).toEqual({ kind: 'settled' })
      expect((await admit(store(), { claim: { ...key, fingerprint: 'fingerprint-two' } })).kind).toBe(
        'admitted',
      )
    })

    it('a finished key is absent at the instant its retention ends', async () => {
      const key = claim()
      await finish(store(), await permitFor(store(), { claim: key }))
      expect((await admit(store(), { claim: key }, NOON + RETENTION_MS - 1)).kind).toBe('stored')
      expect((await admit(store(), { claim: key }, NOON + RETENTION_MS)).kind).toBe('admitted')
    })

    it('a lease that runs out frees the key and the reservation, and the late settlement changes nothing', async () => {
      const key = claim()
      const late = await permitFor(store(), { claim: key, caps: [demand(60)] })
      expect((await admit(store(), { claim: key }, NOON + LEASE_MS - 1)).kind).toBe('running')
      const next = await permitFor(store(), { claim: key, caps: [demand(60)] }, NOON + LEASE_MS)
      expect(next.fence).toBeGreaterThan(late.fence)
      expect(next.takeover).toBe(false)
      expect(await finish(store(), late, {}, NOON + LEASE_MS)).toEqual({ kind: 'superseded' })
      expect(await spent(store(), NOON + LEASE_MS)).toEqual([0, 60])
      await finish(store(), next, { answer: answer('"second"') }, NOON + LEASE_MS)
      const verdict = await admit(store(), { claim: key }, NOON + LEASE_MS)
      expect(verdict).toMatchObject({ kind: 'stored', answer: answer('"second"') })
    })

    it('a permit settles once', async () => {
      const permit = await permitFor(store(), { claim: claim(), caps: [demand(60)] })
      const results = await Promise.all([finish(store(), permit), finish(store(), permit)])
      expect(results.map((result) => result.kind)).toEqual(['settled', 'superseded'])
      expect(await finish(store(), permit)).toEqual({ kind: 'superseded' })
      expect(await spent(store())).toEqual([60, 0])
    })

    it('of many admissions of one key at once, exactly one is admitted', async () => {
      const key = claim()
      const verdicts = await Promise.all(Array.from({ length: 50 }, () => admit(store(), { claim: key })))
      expect(verdicts.filter((verdict) => verdict.kind === 'admitted')).toHaveLength(1)
      expect(verdicts.filter((verdict) => verdict.kind === 'running')).toHaveLength(49)
    })

    it('a replay costs a rate token and is given even when the cap is exhausted', async () => {
      const key = claim()
      const window = rate({ limit: 10 })
      await finish(store(), await permitFor(store(), { claim: key, window, caps: [demand(100)] }))
      const replay = await admit(store(), { claim: key, window, caps: [demand(100)] })
      expect(replay).toMatchObject({ kind: 'stored', window: { remaining: 8 } })
      expect(await spent(store())).toEqual([100, 0])
    })

    it('fences grow', async () => {
      const fences = []
      for (let n = 0; n < 5; n++) fences.push((await permitFor(store(), { claim: claim() })).fence)
      expect(fences).toEqual([...fences].sort((a, b) => a - b))
      expect(new Set(fences).size).toBe(5)
    })

    it('a finished key without an answer is refused, and the permit still stands', async () => {
      const permit = await permitFor(store(), { claim: claim() })
      const bare = { permit, outcome: 'finished' as const, commitCaps: false, records: [] }
      await expect(store().settle(bare, NOON)).rejects.toThrow(TypeError)
      expect(await finish(store(), permit)).toEqual({ kind: 'settled' })
    })
  })
}
