import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type {
  Admission,
  CapDemand,
  KeyClaim,
  Permit,
  RateWindow,
  RecordWrite,
  Settlement,
  SettleResult,
  Store,
  StoredAnswer,
  Verdict,
} from '../../src/store/store.ts'

/** Noon of a day in the middle of a month: nothing rolls over by accident. */
export const NOON = Date.UTC(2030, 5, 15, 12)
export const LEASE_MS = 30_000
export const RETENTION_MS = 24 * 3_600_000

export const claim = (over: Partial<KeyClaim> = {}): KeyClaim => ({
  key: randomUUID(),
  fingerprint: 'fingerprint-one',
  leaseMs: LEASE_MS,
  retentionMs: RETENTION_MS,
  ...over,
})

export const demand = (amount: number, limit = 100, over: Partial<CapDemand> = {}): CapDemand => ({
  product: 'payments.fund',
  period: 'day',
  unit: 'amount',
  limit,
  amount,
  ...over,
})

export const rate = (over: Partial<RateWindow> = {}): RateWindow => ({
  group: 'other',
  subject: `partner:${randomUUID()}`,
  limit: 3,
  windowMs: 60_000,
  ...over,
})

export const work = (over: Partial<Admission> = {}): Admission => ({
  partner: 'demo',
  caps: [],
  effect: 'local',
  ...over,
})

export const answer = (body = '{"ok":true}'): StoredAnswer => ({
  status: 201,
  headers: { 'content-type': 'application/json', location: '/v1/accounts/acc_1' },
  body: Buffer.from(body),
})

export const record = (id: string, value: unknown, over: Partial<RecordWrite> = {}): RecordWrite => ({
  kind: 'account',
  tenant: 'tn_demo',
  id,
  value,
  ifPresent: 'refuse',
  ...over,
})

export async function admit(store: Store, over: Partial<Admission>, now = NOON): Promise<Verdict> {
  return store.admit(work(over), now)
}

export async function permitFor(store: Store, over: Partial<Admission>, now = NOON): Promise<Permit> {
  const verdict = await admit(store, over, now)
  expect(verdict.kind).toBe('admitted')
  if (verdict.kind !== 'admitted') throw new Error('not admitted')
  return verdict.permit
}

export function finish(
  store: Store,
  permit: Permit,
  over: Partial<Settlement> = {},
  now = NOON,
): Promise<SettleResult> {
  return store.settle(
    { permit, outcome: 'finished', answer: answer(), commitCaps: true, records: [], ...over },
    now,
  )
}

export function nothing(store: Store, permit: Permit, now = NOON): Promise<SettleResult> {
  return store.settle({ permit, outcome: 'nothing', commitCaps: false, records: [] }, now)
}

export function unknown(store: Store, permit: Permit, now = NOON): Promise<SettleResult> {
  return store.settle({ permit, outcome: 'unknown', commitCaps: false, records: [] }, now)
}

export async function put(store: Store, records: readonly RecordWrite[], now = NOON): Promise<SettleResult> {
  return finish(store, await permitFor(store, {}, now), { records }, now)
}

/** used and reserved of the default cap. */
export async function spent(store: Store, now = NOON, cap = demand(0)): Promise<[number, number]> {
  const [usage] = await store.usage('demo', [cap], now)
  return [usage?.used ?? -1, usage?.reserved ?? -1]
}
