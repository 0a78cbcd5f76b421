import { describe, expect, it } from 'vitest'
import {
  admit,
  claim,
  demand,
  finish,
  LEASE_MS,
  NOON,
  nothing,
  permitFor,
  RETENTION_MS,
  spent,
  unknown,
} from '../support/store-work.ts'
import type { FreshStore } from './contract.ts'

const LATER = NOON + LEASE_MS

export function remoteContract(store: FreshStore): void {
  describe('remote effects', () => {
    const begin = (key = claim()) => permitFor(store(), { claim: key, effect: 'remote', caps: [demand(60)] })

    it('an unknown outcome keeps its reservation, and a retry takes it over under a new fence', async () => {
      const key = claim()
      const first = await begin(key)
      expect(await unknown(store(), first)).toEqual({ kind: 'settled' })
      expect(await spent(store())).toEqual([0, 60])
      const verdict = await admit(store(), { claim: key, effect: 'remote', caps: [demand(60)] }, NOON + 5)
      expect(verdict).toMatchObject({ kind: 'admitted', permit: { takeover: true, admittedAt: NOON } })
      if (verdict.kind !== 'admitted') return
      expect(verdict.permit.fence).toBeGreaterThan(first.fence)
      expect(await spent(store())).toEqual([0, 60])
      await finish(store(), verdict.permit)
      expect(await spent(store())).toEqual([60, 0])
      expect((await admit(store(), { claim: key })).kind).toBe('stored')
    })

    it('an unknown key refuses another body, and admits one take-over at a time', async () => {
      const key = claim()
      await unknown(store(), await begin(key))
      expect((await admit(store(), { claim: { ...key, fingerprint: 'fingerprint-two' } })).kind).toBe(
        'reused',
      )
      await begin(key)
      expect((await admit(store(), { claim: key, effect: 'remote' })).kind).toBe('running')
    })

    it('a lease that runs out leaves the outcome unknown', async () => {
      const key = claim()
      const first = await begin(key)
      expect((await admit(store(), { claim: key, effect: 'remote' }, LATER - 1)).kind).toBe('running')
      const second = await permitFor(store(), { claim: key, effect: 'remote' }, LATER)
      expect(second.takeover).toBe(true)
      expect(await finish(store(), first, {}, LATER)).toEqual({ kind: 'superseded' })
      expect(await nothing(store(), first, LATER)).toEqual({ kind: 'superseded' })
      expect(await spent(store(), LATER)).toEqual([0, 60])
    })

    it('an answer that comes after the lease still counts while nobody has taken over', async () => {
      const key = claim()
      const permit = await begin(key)
      expect(await finish(store(), permit, {}, LATER + 1)).toEqual({ kind: 'settled' })
      expect(await spent(store())).toEqual([60, 0])
      expect((await admit(store(), { claim: key }, LATER + 2)).kind).toBe('stored')
    })

    it('work that did nothing frees the key and the reservation', async () => {
      const key = claim()
      await nothing(store(), await begin(key))
      expect(await spent(store())).toEqual([0, 0])
      expect((await admit(store(), { claim: key })).kind).toBe('admitted')
    })

    it('an unknown outcome is committed to the cap when its retention ends, and its key is free', async () => {
      const key = claim()
      await unknown(store(), await begin(key))
      const over = NOON + RETENTION_MS
      const again = await permitFor(store(), { claim: { ...key, fingerprint: 'fingerprint-two' } }, over)
      expect(again.takeover).toBe(false)
      expect(await spent(store())).toEqual([0, 60])
      await store().sweep(over)
      expect(await spent(store())).toEqual([60, 0])
      await store().sweep(over)
      expect(await spent(store())).toEqual([60, 0])
    })

    it('an unknown outcome without a key is committed at the next sweep', async () => {
      await unknown(store(), await permitFor(store(), { effect: 'remote', caps: [demand(60)] }))
      await store().sweep(NOON)
      expect(await spent(store())).toEqual([60, 0])
    })

    it('what is unknown is told apart from what is running where a cap refuses, until somebody knows', async () => {
      const refusedAt = async (now: number) => {
        const verdict = await admit(store(), { caps: [demand(50)] }, now)
        return verdict.kind === 'capped'
          ? [verdict.cap.used, verdict.cap.reserved, verdict.cap.unknown]
          : verdict.kind
      }
      const key = claim()
      const first = await begin(key)
      expect(await refusedAt(NOON)).toEqual([0, 60, 0])
      await unknown(store(), first)
      expect(await refusedAt(NOON)).toEqual([0, 60, 60])
      const again = await permitFor(store(), { claim: key, effect: 'remote' })
      expect(await refusedAt(NOON)).toEqual([0, 60, 0])
      // Its lease ends, and its settlement comes all the same.
      expect(await refusedAt(LATER)).toEqual([0, 60, 60])
      expect(await finish(store(), again, {}, LATER)).toEqual({ kind: 'settled' })
      expect(await refusedAt(LATER)).toEqual([60, 0, 0])
      const nobody = claim()
      await unknown(
        store(),
        await permitFor(store(), { claim: nobody, effect: 'remote', caps: [demand(10)] }),
      )
      await store().sweep(NOON + RETENTION_MS)
      expect(await refusedAt(NOON)).toEqual([70, 0, 0])
    })

    it('a local effect may be left unknown too', async () => {
      const key = claim()
      await unknown(store(), await permitFor(store(), { claim: key, caps: [demand(60)] }))
      expect(await spent(store(), LATER)).toEqual([0, 60])
      expect((await permitFor(store(), { claim: key }, LATER)).takeover).toBe(true)
    })
  })
}
