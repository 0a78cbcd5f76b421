import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, callerFor, get, newCaller, post, type Reply, token } from '../support/http.ts'
import { partner, partners } from '../support/partners.ts'
import { expectProblem } from '../support/problems.ts'
import { rawConnection } from '../support/raw.ts'

const small = partner('small', {
  caps: [
    { product: 'payments.fund', period: 'day', unit: 'amount', limit: 1000 },
    { product: 'payments.fund', period: 'month', unit: 'amount', limit: 1500 },
    { product: 'payments.fund', period: 'day', unit: 'calls', limit: 5 },
  ],
})
const months = partner('months', {
  caps: [{ product: 'credit', period: 'month', unit: 'amount', limit: 1000 }],
})
const days = partner('days', {
  caps: [{ product: 'payments.cashout', period: 'day', unit: 'amount', limit: 1000 }],
})
const calls = partner('calls', {
  caps: [{ product: 'payments.fund', period: 'day', unit: 'calls', limit: 2 }],
})

const held = partner('held', {
  caps: [{ product: 'payments.fund', period: 'day', unit: 'amount', limit: 1000 }],
})

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({
    runs: 'here',
    partners: [small, months, days, calls, held, ...partners(20)],
  })
  for (let i = 0; i < 5; i++) gateway.nextPartner()
})

type Cap = { product: string; period: string; unit: string; limit: number; used: number; remaining: number }
const caps = async (caller: Caller): Promise<Cap[]> => (await get(caller, '/portal/usage')).json.caps
const cap = async (caller: Caller, product: string) => (await caps(caller)).find((c) => c.product === product)
const person = { customerRef: 'C', phone: '+2250700000001', firstName: 'A', lastName: 'B' }

/** Moves the clock to the beginning of the next day, UTC. */
async function nextDay(caller: Caller): Promise<void> {
  const { asOf } = (await get(caller, '/portal/usage')).json
  const midnight = Date.parse(`${asOf.slice(0, 10)}T00:00:00.000Z`) + 86_400_000
  await gateway.advance(Math.ceil((midnight - Date.parse(asOf)) / 1000))
}

describe('what counts', () => {
  const rows: [string, string, (caller: Caller) => Promise<Reply>, number][] = [
    ['an account', 'accounts', (c) => post(c, '/v1/accounts/open', person), 1],
    ['an approval', 'kyc', (c) => post(c, '/v1/kyc/submit', { phone: '+2250000000001' }), 1],
    ['a rejection', 'kyc', (c) => post(c, '/v1/kyc/submit', { phone: '+2250000000009' }), 1],
    ['a rejected business', 'kyb', (c) => post(c, '/v1/kyb/submit', { businessRef: '009' }), 1],
    ['a success, by its amount', 'payments.fund', (c) => post(c, '/v1/payments/fund', { amount: 77 }), 77],
    ['no failure', 'payments.fund', (c) => post(c, '/v1/payments/fund', { amount: 100 }), 0],
    ['a cash-out', 'payments.cashout', (c) => post(c, '/v1/payments/cashout', { amount: 1e3 + 77 }), 1077],
    [
      'an approved credit',
      'credit',
      (c) => post(c, '/v1/credit/apply', { customerRef: 'C', amount: 11 }),
      11,
    ],
    ['no rejected credit', 'credit', (c) => post(c, '/v1/credit/apply', { customerRef: 'C', amount: 99 }), 0],
    [
      'no 404 of the decision',
      'payments.fund',
      (c) => post(c, '/v1/payments/fund', { amount: 77, accountId: 'acc_none' }),
      0,
    ],
    ['no invalid request', 'kyc', (c) => post(c, '/v1/kyc/submit', {}), 0],
    ['no simulation', 'credit', (c) => get(c, '/v1/credit/simulate?amount=11'), 0],
  ]
  it.each(rows)('%s counts against %s', async (_what, product, request, amount) => {
    const caller = newCaller(gateway)
    await request(caller)
    expect(await cap(caller, product)).toMatchObject({ used: amount, reserved: 0 })
  })
})

it('all caps of a product must pass, the refusal says which one did not, and what was refused spends nothing', async () => {
  const caller = callerFor(gateway, small)
  const fund = (amount: number) => post(caller, '/v1/payments/fund', { amount })
  const over = await fund(1001)
  expectProblem(over, 'PARTNER_LIMIT_EXCEEDED')
  expect(over.json).toMatchObject({
    product: 'payments.fund',
    period: 'day',
    unit: 'amount',
    used: 0,
    limit: 1000,
  })
  // No period is long enough to wait for.
  expect(over.headers['retry-after']).toBeUndefined()
  expect(over.json.detail).toContain('can never pass')
  expect((await fund(999)).status).toBe(200)
  expect((await fund(1)).status).toBe(200)
  const full = await fund(1)
  expectProblem(full, 'PARTNER_LIMIT_EXCEEDED')
  const { asOf } = (await get(caller, '/portal/usage')).json
  const wait = (Date.parse(full.json.resetAt) - Date.parse(asOf)) / 1000
  expect(Math.abs(Number(full.headers['retry-after']) - wait)).toBeLessThan(5)
  expect((await caps(caller)).filter(({ product }) => product === 'payments.fund')).toMatchObject([
    { period: 'day', unit: 'amount', used: 1000, remaining: 0 },
    { period: 'month', unit: 'amount', used: 1000, remaining: 500 },
    { period: 'day', unit: 'calls', used: 2, remaining: 3 },
  ])
})

it('a cap that only running requests hold says that it may have room in a moment', async () => {
  const caller = callerFor(gateway, held)
  const bearer = await token(caller)
  const payment = (amount: number) => {
    const body = JSON.stringify({ amount })
    return `POST /v1/payments/fund HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\nIdempotency-Key: ${randomUUID()}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }
  // In one piece: one is judged before the other is on the disk, and fails as 600 XOF do.
  const connection = await rawConnection(gateway, caller.from)
  connection.write(payment(600) + payment(600))
  // Which one is admitted first is up to the threads that verify their tokens.
  const [one, other] = [await connection.next(), await connection.next()]
  const [decided, refused] = one.json.outcome === undefined ? [other, one] : [one, other]
  expect(decided.json.outcome).toBe('failed')
  expectProblem(refused, 'PARTNER_LIMIT_EXCEEDED')
  expect(refused.headers['retry-after']).toBe('1')
  expect(refused.json).toMatchObject({ used: 0, reserved: 600, limit: 1000 })
  expect(refused.json.detail).toContain('running')
  connection.socket.destroy()
  expect((await post(caller, '/v1/payments/fund', { amount: 677 })).status).toBe(200)
  expect(
    Number((await post(caller, '/v1/payments/fund', { amount: 677 })).headers['retry-after']),
  ).toBeGreaterThan(1)
})

it('a cap of calls counts failures as well', async () => {
  const caller = callerFor(gateway, calls)
  const fund = (amount: number) => post(caller, '/v1/payments/fund', { amount })
  expect([(await fund(100)).status, (await fund(200)).status]).toEqual([200, 200])
  const refused = await fund(77)
  expectProblem(refused, 'PARTNER_LIMIT_EXCEEDED')
  expect(refused.json.unit).toBe('calls')
})

it('a day ends at midnight UTC', async () => {
  const caller = callerFor(gateway, days)
  const cashout = (amount: number) => post(caller, '/v1/payments/cashout', { amount })
  await nextDay(caller)
  expect((await cashout(977)).status).toBe(200)
  await gateway.advance(86_400 - 60)
  expectProblem(await cashout(977), 'PARTNER_LIMIT_EXCEEDED')
  await nextDay(caller)
  expect(await cap(caller, 'payments.cashout')).toMatchObject({ used: 0 })
  expect((await cashout(977)).status).toBe(200)
})

it('a month ends on the first, UTC', async () => {
  const caller = callerFor(gateway, months)
  const apply = () => post(caller, '/v1/credit/apply', { customerRef: 'C', amount: 611 })
  expect((await apply()).status).toBe(200)
  const refused = await apply()
  expectProblem(refused, 'PARTNER_LIMIT_EXCEEDED')
  expect(refused.json.period).toBe('month')
  const { asOf } = (await get(caller, '/portal/usage')).json
  const month = new Date(asOf)
  const first = Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1)
  expect(refused.json.resetAt).toBe(new Date(first).toISOString())
  await gateway.advance((first - Date.parse(asOf)) / 1000 - 60)
  expectProblem(await apply(), 'PARTNER_LIMIT_EXCEEDED')
  await gateway.advance(60)
  expect((await apply()).status).toBe(200)
})

it('a cap belongs to a partner: another one has all of its own', async () => {
  const [one, two] = [newCaller(gateway), newCaller(gateway)]
  const headers = { 'x-sandbox-outcome': 'success' }
  await post(one, '/v1/payments/fund', { amount: 50_000_000 }, { headers })
  expectProblem(await post(one, '/v1/payments/fund', { amount: 77 }), 'PARTNER_LIMIT_EXCEEDED')
  expect((await post(two, '/v1/payments/fund', { amount: 77 }, { key: randomUUID() })).status).toBe(200)
})
