import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { WAIT_MS } from '../support/effort.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, callerFor, get, newCaller, post } from '../support/http.ts'
import { partner, partners } from '../support/partners.ts'
import { expectProblem } from '../support/problems.ts'

const tight = partner('tight', { rateLimits: { 'payments.fund': 2 } })
const lasting = partner('lasting')

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ runs: 'here', partners: [tight, lasting, ...partners(10)] })
  for (let i = 0; i < 2; i++) gateway.nextPartner()
})

type Bucket = {
  start: string
  operation: string
  requests: number
  rateLimited: number
  refusals: Record<string, number>
  decisions: Record<string, number>
}

async function history(caller: Caller, resolution: 'hours' | 'days' = 'hours'): Promise<Bucket[]> {
  const { status, json } = await get(caller, `/portal/usage?history=${resolution}`)
  expect(status).toBe(200)
  return json.history
}

/** What was counted is added once a second. */
async function ofOperation(caller: Caller, operation: string, requests: number): Promise<Bucket> {
  return vi.waitFor(
    async () => {
      const found = (await history(caller)).filter((bucket) => bucket.operation === operation)
      expect(found.map((bucket) => bucket.requests)).toEqual([requests])
      const [bucket] = found
      if (!bucket) throw new Error('nothing is there')
      return bucket
    },
    { timeout: WAIT_MS, interval: 200 },
  )
}

describe('the history of /portal/usage', () => {
  it('counts every answer by operation, refusals by code, and decisions by outcome', async () => {
    const caller = newCaller(gateway)
    const key = randomUUID()
    await post(caller, '/v1/payments/fund', { amount: 5077 }, { key })
    await post(caller, '/v1/payments/fund', { amount: 5077 }, { key })
    await post(caller, '/v1/payments/fund', { amount: 1000 })
    await post(caller, '/v1/payments/fund', { amount: 'much' })
    await post(caller, '/v1/payments/fund', { amount: 78 }, { key })
    const bucket = await ofOperation(caller, 'payments.fund', 5)
    expect(bucket).toMatchObject({
      rateLimited: 0,
      refusals: { VALIDATION_FAILED: 1, IDEMPOTENCY_KEY_REUSED: 1 },
      decisions: { success: 1, failed: 1 },
    })
    const { asOf } = (await get(caller, '/portal/usage')).json
    expect(bucket.start).toBe(`${asOf.slice(0, 13)}:00:00.000Z`)
    const [day] = (await history(caller, 'days')).filter(({ operation }) => operation === 'payments.fund')
    expect(day).toEqual({ ...bucket, start: `${asOf.slice(0, 10)}T00:00:00.000Z` })
  })

  it('counts 429s apart from other refusals', async () => {
    const caller = callerFor(gateway, tight)
    for (let n = 0; n < 5; n++) await post(caller, '/v1/payments/fund', { amount: 'much' })
    expect(await ofOperation(caller, 'payments.fund', 5)).toMatchObject({
      rateLimited: 3,
      refusals: { VALIDATION_FAILED: 2 },
    })
  })

  it('belongs to the partner: another one sees its own alone', async () => {
    const [one, other] = [newCaller(gateway), newCaller(gateway)]
    await post(one, '/v1/payments/cashout', { amount: 77 })
    await ofOperation(one, 'payments.cashout', 1)
    const operations = (await history(other)).map(({ operation }) => operation)
    expect(operations).not.toContain('payments.cashout')
  })

  it('takes a decision of GET /v1/credit/simulate into account, and the token exchange', async () => {
    const caller = newCaller(gateway)
    await get(caller, '/v1/credit/simulate?amount=50099')
    expect(await ofOperation(caller, 'credit.simulate', 1)).toMatchObject({ decisions: { rejected: 1 } })
    expect(await ofOperation(caller, 'auth.token', 1)).toMatchObject({ decisions: {}, refusals: {} })
  })

  it('is left out where nobody asks for it, and another value than hours or days is refused', async () => {
    const caller = newCaller(gateway)
    expect((await get(caller, '/portal/usage')).json).not.toHaveProperty('history')
    for (const value of ['weeks', '', 'hours&history=days']) {
      expectProblem(await get(caller, `/portal/usage?history=${value}`), 'VALIDATION_FAILED')
    }
  })

  it('survives a stop with everything, and a crash with all but the last second', async () => {
    const first = await startGateway({ partners: [lasting] })
    await post(first, '/v1/payments/fund', { amount: 77 })
    expect((await first.stop()).code).toBe(0)
    const second = await startGateway({ partners: [lasting], dataDir: first.dataDir, runs: 'as-command' })
    const caller = callerFor(second, lasting)
    expect(await ofOperation(caller, 'payments.fund', 1)).toMatchObject({ decisions: { success: 1 } })
    await post(caller, '/v1/payments/fund', { amount: 77 })
    await ofOperation(caller, 'payments.fund', 2)
    await second.kill()
    const third = await startGateway({ partners: [lasting], dataDir: first.dataDir, runs: 'here' })
    expect(await ofOperation(callerFor(third, lasting), 'payments.fund', 2)).toMatchObject({
      decisions: { success: 2 },
    })
    await third.stop()
  })
})
