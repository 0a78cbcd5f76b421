import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, get, newCaller, post, type Reply } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectProblem } from '../support/problems.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({
    partners: partners(20),
    config: {
      rateLimits: { groups: { 'payments.fund': 2000, 'accounts.open': 2000, 'kyc.submit': 2000 } },
      caps: [
        { product: 'payments.fund', period: 'day', unit: 'amount', limit: 10_000 },
        { product: 'payments.fund', period: 'day', unit: 'calls', limit: 1000 },
        { product: 'accounts', period: 'day', unit: 'calls', limit: 7 },
        { product: 'kyc', period: 'day', unit: 'calls', limit: 5 },
      ],
    },
  })
})

const person = { customerRef: 'C', phone: '+2250700000001', firstName: 'A', lastName: 'B' }
const many = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))
const cap = async (caller: Caller, product: string, unit: string) => {
  const { caps } = (await get(caller, '/portal/usage')).json
  return caps.find((one: { product: string; unit: string }) => one.product === product && one.unit === unit)
}
const codes = (answers: readonly Reply[]) =>
  answers.reduce<Record<string, number>>((counts, { status, json }) => {
    const name = status < 300 ? 'done' : json.code
    counts[name] = (counts[name] ?? 0) + 1
    return counts
  }, {})

describe('identical requests at once', () => {
  it.each([1, 2, 3, 4, 5])(
    'execute once: the others are told to wait, or get its answer (round %i)',
    async () => {
      const caller = newCaller(gateway)
      await get(caller, '/portal/usage')
      const key = randomUUID()
      const answers = await many(30, () => post(caller, '/v1/payments/fund', { amount: 77 }, { key }))
      const done = answers.filter(({ status }) => status === 200)
      const executed = done.filter(({ headers }) => headers['idempotency-replayed'] === undefined)
      expect(executed).toHaveLength(1)
      expect(new Set(done.map(({ bytes }) => bytes.toString())).size).toBe(1)
      for (const answer of answers) {
        if (answer.status === 200) continue
        expectProblem(answer, 'IDEMPOTENCY_IN_PROGRESS')
        expect(answer.headers['retry-after']).toBe('1')
      }
      expect((await cap(caller, 'payments.fund', 'calls')).used).toBe(1)
      expect((await cap(caller, 'payments.fund', 'amount')).used).toBe(77)
    },
  )

  it('with another body among them are 422 and never 409 for that one', async () => {
    const caller = newCaller(gateway)
    const key = randomUUID()
    await get(caller, '/portal/usage')
    const answers = await many(20, (i) =>
      post(caller, '/v1/payments/fund', { amount: i % 2 ? 77 : 78 }, { key }),
    )
    const winner = answers.find(
      ({ status, headers }) => status === 200 && headers['idempotency-replayed'] === undefined,
    )
    const amount = winner?.json.amount
    answers.forEach((answer, i) => {
      if ((i % 2 ? 77 : 78) === amount) expect([200, 409]).toContain(answer.status)
      else expectProblem(answer, 'IDEMPOTENCY_KEY_REUSED')
    })
    expect((await cap(caller, 'payments.fund', 'calls')).used).toBe(1)
  })

  it('with a key each are all executed', async () => {
    const caller = newCaller(gateway)
    const answers = await many(30, () => post(caller, '/v1/payments/fund', { amount: 77 }))
    expect(new Set(answers.map(({ json }) => json.paymentId)).size).toBe(30)
  })
})

describe('a cap is never overshot by concurrency', () => {
  it('of an amount: exactly as many payments pass as fit', async () => {
    const caller = newCaller(gateway)
    const answers = await many(50, () => post(caller, '/v1/payments/fund', { amount: 777 }))
    // 12 times 777 is 9324; a thirteenth would be 10101.
    expect(codes(answers)).toEqual({ done: 12, PARTNER_LIMIT_EXCEEDED: 38 })
    expect(await cap(caller, 'payments.fund', 'amount')).toMatchObject({
      used: 9324,
      reserved: 0,
      remaining: 676,
    })
  })

  it('of calls', async () => {
    const caller = newCaller(gateway)
    const answers = await many(30, () => post(caller, '/v1/accounts/open', person))
    expect(codes(answers)).toEqual({ done: 7, PARTNER_LIMIT_EXCEEDED: 23 })
    expect(await cap(caller, 'accounts', 'calls')).toMatchObject({ used: 7, reserved: 0, remaining: 0 })
    expect((await get(caller, '/v1/accounts')).json.items).toHaveLength(7)
  })

  it('and failures give theirs back: what is left afterwards can still be spent to the last franc', async () => {
    const caller = newCaller(gateway)
    await many(40, () => post(caller, '/v1/payments/fund', { amount: 900 }))
    expect(await cap(caller, 'payments.fund', 'amount')).toMatchObject({ used: 0, reserved: 0 })
    const headers = { 'x-sandbox-outcome': 'success' }
    const all = await post(caller, '/v1/payments/fund', { amount: 10_000 }, { headers })
    expect(all.json.outcome).toBe('success')
    expectProblem(await post(caller, '/v1/payments/fund', { amount: 1 }), 'PARTNER_LIMIT_EXCEEDED')
  })
})
