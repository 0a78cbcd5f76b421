import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import {
  type Caller,
  callerFor,
  exchange,
  get,
  newCaller,
  post,
  type Reply,
  send,
  token,
} from '../support/http.ts'
import { partner, partners } from '../support/partners.ts'
import { expectOAuthError, expectProblem } from '../support/problems.ts'

/** Capped at nothing, so that a refusal by a cap can be shown to count as a request. */
const capped = partner('capped', {
  caps: [{ product: 'payments.fund', period: 'day', unit: 'amount', limit: 0 }],
})

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({
    partners: [capped, ...partners(40)],
    config: {
      caps: [
        { product: 'kyc', period: 'day', unit: 'calls', limit: 500 },
        { product: 'payments.fund', period: 'day', unit: 'amount', limit: 1_000_000 },
      ],
    },
  })
  expect(gateway.nextPartner()).toBe(capped)
})

const person = { customerRef: 'C', phone: '+2250700000001', firstName: 'A', lastName: 'B' }

type Group = {
  group: string
  limit: number
  request: (caller: Caller) => Promise<Reply>
  /** One more request of the group that fails in another way. */
  bad: (caller: Caller) => Promise<Reply>
}

const groups: Group[] = [
  {
    group: 'token',
    limit: 10,
    request: (c) => exchange(c, { client_id: c.partner.keyId, client_secret: c.partner.secret }),
    bad: (c) => exchange(c, { client_id: c.partner.tenant, client_secret: c.partner.secret, scope: 'none' }),
  },
  {
    group: 'accounts.open',
    limit: 100,
    request: (c) => post(c, '/v1/accounts/open', person),
    bad: (c) => post(c, '/v1/accounts/open', person, { key: null }),
  },
  {
    group: 'kyc.submit',
    limit: 50,
    request: (c) => post(c, '/v1/kyc/submit', { phone: '+2250000000009' }),
    bad: (c) => post(c, '/v1/kyc/submit', '{'),
  },
  {
    group: 'payments.fund',
    limit: 200,
    request: (c) => post(c, '/v1/payments/fund', { amount: 100 }),
    bad: (c) => post(c, '/v1/payments/fund', { amount: 0 }),
  },
  {
    group: 'payments.cashout',
    limit: 200,
    request: (c) => post(c, '/v1/payments/cashout', { amount: 100 }),
    bad: (c) => post(c, '/v1/payments/cashout', 'x'.repeat(70_000)),
  },
  {
    group: 'credit.simulate',
    limit: 60,
    request: (c) => get(c, '/v1/credit/simulate?amount=5'),
    bad: (c) => get(c, '/v1/credit/simulate?amount=x'),
  },
  {
    group: 'credit.apply',
    limit: 30,
    request: (c) => post(c, '/v1/credit/apply', { customerRef: 'C', amount: 99 }),
    bad: (c) => post(c, '/v1/credit/apply', {}, { headers: { 'x-tenant-id': 'tn_sandbox_other' } }),
  },
  {
    group: 'other',
    limit: 300,
    request: (c) => get(c, '/portal/usage'),
    bad: (c) => get(c, '/v1/nowhere'),
  },
]

/** The lowest remaining comes last, however the answers of a burst arrive. */
const remaining = ({ headers }: Reply) => Number(headers['x-ratelimit-remaining'])

/** Makes requests with some concurrency; all of them count whatever they are answered. */
async function burst(count: number, make: () => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = []
  while (replies.length < count) {
    const size = Math.min(20, count - replies.length)
    replies.push(...(await Promise.all(Array.from({ length: size }, make))))
  }
  return replies
}

describe.each(groups)(
  'the group $group allows exactly $limit requests a minute',
  ({ group, limit, request, bad }) => {
    it('counting down to 0, then 429 for everything, then anew when the minute is over', async () => {
      const caller = newCaller(gateway)
      // A token of its own, so that the exchange of the helper does not spend from the group under test.
      if (group !== 'token') await token(caller)
      const allowed = await burst(limit, () => request(caller))
      expect(
        allowed.map(({ status }) => status).filter((status) => status !== 200 && status !== 201),
      ).toEqual([])
      // Every value once: no burst takes two from one.
      expect(allowed.map(remaining).sort((a, b) => b - a)).toEqual(
        Array.from({ length: limit }, (_, i) => limit - 1 - i),
      )
      const told = (name: string) => [...new Set(allowed.map(({ headers }) => headers[name]))]
      expect(told('x-ratelimit-limit')).toEqual([String(limit)])
      expect(told('ratelimit-policy')).toEqual([`"${group}";q=${limit};w=60`])

      for (const refused of [await request(caller), await bad(caller)]) {
        if (group === 'token') expectOAuthError(refused, 'temporarily_unavailable', 'RATE_LIMITED')
        else expectProblem(refused, 'RATE_LIMITED')
        expect(remaining(refused)).toBe(0)
        const wait = Number(refused.headers['retry-after'])
        expect(wait).toBeGreaterThanOrEqual(1)
        expect(wait).toBeLessThanOrEqual(60)
        const { ratelimit, 'x-ratelimit-reset': reset } = refused.headers
        expect(ratelimit).toBe(`"${group}";r=0;t=${wait}`)
        const now = Date.now() / 1000 + gateway.advanced()
        expect(Number(reset)).toBeGreaterThan(now - 5)
        expect(Number(reset)).toBeLessThan(now + 62)
      }

      await gateway.advance(40)
      expect((await request(caller)).status).toBe(429)
      await gateway.advance(20)
      expect(remaining(await request(caller))).toBe(limit - 1)
    })
  },
)

it('the window begins with the first request and does not slide', async () => {
  const caller = newCaller(gateway)
  const first = await get(caller, '/portal/usage')
  await gateway.advance(50)
  const second = await get(caller, '/portal/usage')
  expect(second.headers['x-ratelimit-reset']).toBe(first.headers['x-ratelimit-reset'])
  expect(remaining(second)).toBe(298)
  await gateway.advance(10)
  expect(remaining(await get(caller, '/portal/usage'))).toBe(299)
})

it('a replay, a refusal and a refusal by a cap count like any request', async () => {
  const caller = callerFor(gateway, capped)
  const key = randomUUID()
  const first = await post(caller, '/v1/payments/cashout', { amount: 77 }, { key })
  const replay = await post(caller, '/v1/payments/cashout', { amount: 77 }, { key })
  const reused = await post(caller, '/v1/payments/cashout', { amount: 78 }, { key })
  const invalid = await post(caller, '/v1/payments/cashout', {})
  expect([first, replay, reused, invalid].map(remaining)).toEqual([199, 198, 197, 196])
  const over = await post(caller, '/v1/payments/fund', { amount: 77 })
  expectProblem(over, 'PARTNER_LIMIT_EXCEEDED')
  expect(remaining(over)).toBe(199)
  expect(remaining(await post(caller, '/v1/payments/fund', { amount: 77 }))).toBe(198)
})

it('other is one window for all of its endpoints and methods, 404 and 405 included', async () => {
  const caller = newCaller(gateway)
  const spent = [
    await get(caller, '/v1/accounts'),
    await get(caller, '/v1/webhooks'),
    await get(caller, '/v1/score?customerRef=NONE'),
    await post(caller, '/v1/kyb/submit', { businessRef: 'B' }),
    await post(caller, '/v1/kyc/widget/session', {}),
    await get(caller, '/openapi.json'),
    await send(caller, 'HEAD', '/portal/usage', undefined),
    await get(caller, '/v1/nowhere'),
    await send(caller, 'DELETE', '/v1/payments/fund', undefined),
    await get(caller, '/v1//accounts'),
  ]
  expect(spent.map(remaining)).toEqual([299, 298, 297, 296, 295, 294, 293, 292, 291, 290])
})

it('two keys of a partner share its windows, and two partners at one address do not', async () => {
  const two = partner('two-keys', { moreKeys: [{ id: 'key_second' }] })
  const [a, b] = [two, partner('neighbour')]
  const other = await startGateway({ partners: [a, b], runs: 'here' })
  const from = other.nextAddress()
  const [first, second] = [
    { gateway: other, partner: a, from },
    { gateway: other, partner: b, from },
  ]
  await get(first, '/portal/usage')
  const through = await token(first, { keyId: 'key_second' })
  expect(remaining(await get(first, '/portal/usage', { token: through }))).toBe(298)
  expect(remaining(await get(second, '/portal/usage'))).toBe(299)
  // Each key has its own ten exchanges.
  const usage = (await get(first, '/portal/usage', { token: through })).json.rateLimits
  expect(usage[0]).toMatchObject({ group: 'token', scope: 'client', remaining: 9 })
  await other.stop()
})

it('a partner is counted as one from whichever address it calls', async () => {
  const caller = newCaller(gateway)
  await get(caller, '/portal/usage')
  expect(remaining(await get({ ...caller, from: gateway.nextAddress() }, '/portal/usage'))).toBe(298)
})

it('a simulation is counted by address: partners at one share it, and a partner at two has two', async () => {
  const [a, b] = [newCaller(gateway), newCaller(gateway)]
  await get(a, '/v1/credit/simulate?amount=5')
  expect(remaining(await get({ ...b, from: a.from }, '/v1/credit/simulate?amount=5'))).toBe(58)
  expect(remaining(await get({ ...a, from: b.from }, '/v1/credit/simulate?amount=5'))).toBe(59)
})

it('a 401 counts against the address, in the group of its operation', async () => {
  const caller = newCaller(gateway)
  const refused = await burst(200, () => post(caller, '/v1/payments/fund', { amount: 1 }, { token: 'x' }))
  expect(refused.every(({ status }) => status === 401)).toBe(true)
  expectProblem(await post(caller, '/v1/payments/fund', { amount: 1 }, { token: 'x' }), 'RATE_LIMITED')
  expectProblem(await post(caller, '/v1/payments/fund', { amount: 1 }, { token: null }), 'RATE_LIMITED')
  // The partner behind the same address is not touched by it.
  expect(remaining(await post(caller, '/v1/payments/fund', { amount: 1 }))).toBe(199)
})

it('X-Forwarded-For opens no fresh window unless its sender is a trusted proxy', async () => {
  const caller = newCaller(gateway)
  const from = (address: string) =>
    get(caller, '/openapi.json', { token: null, headers: { 'x-forwarded-for': address } })
  expect(remaining(await from('192.0.2.1'))).toBe(299)
  expect(remaining(await from('192.0.2.2'))).toBe(298)
})
