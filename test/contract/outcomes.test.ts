import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, get, newCaller, post, type Reply, send } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectProblem } from '../support/problems.ts'

let gateway: Gateway
let caller: Caller
beforeAll(async () => {
  gateway = await startGateway({
    runs: 'here',
    partners: partners(2),
    config: {
      rateLimits: { groups: { 'credit.simulate': 1000, 'credit.apply': 1000, 'kyc.submit': 1000 } },
      caps: [],
    },
  })
  caller = newCaller(gateway)
})

const kyc = (phone: string, headers = {}) => post(caller, '/v1/kyc/submit', { phone }, { headers })
const kyb = (businessRef: string, headers = {}) =>
  post(caller, '/v1/kyb/submit', { businessRef }, { headers })
const fund = (amount: number, headers = {}) => post(caller, '/v1/payments/fund', { amount }, { headers })
const cashout = (amount: number, headers = {}) =>
  post(caller, '/v1/payments/cashout', { amount }, { headers })
const simulate = (amount: number, headers = {}) =>
  get(caller, `/v1/credit/simulate?amount=${amount}`, { headers })
const apply = (amount: number, headers = {}) =>
  post(caller, '/v1/credit/apply', { customerRef: 'C', amount }, { headers })

function expectOutcome(answer: Reply, outcome: string, code: string | null, rule: string): void {
  expect(answer.status).toBe(200)
  expect({ ...answer.json, rule: answer.headers['x-sandbox-rule'] }).toMatchObject({ outcome, code, rule })
  // A refusal says what to do about it; anything else has nothing to say.
  if (code === null) expect(answer.json).not.toHaveProperty('resolution')
  else expect(answer.json.resolution).toMatch(/\S/)
}

type Row = [string, string, string | null, string]

describe('identity of a person', () => {
  const zeros = (count: number, last: string) => `+225${'0'.repeat(count)}${last}`
  const rows: Row[] = [
    [zeros(7, '9'), 'rejected', 'KYC_REJECTED', 'kyc-phone-9'],
    [zeros(8, '9'), 'rejected', 'KYC_REJECTED', 'kyc-phone-9'],
    [zeros(9, '9'), 'rejected', 'KYC_REJECTED', 'kyc-phone-9'],
    [zeros(7, '1'), 'approved', null, 'kyc-phone-1'],
    [zeros(9, '1'), 'approved', null, 'kyc-phone-1'],
    [zeros(6, '9'), 'approved', null, 'default'],
    [zeros(10, '9'), 'approved', null, 'default'],
    [zeros(9, '5'), 'approved', null, 'default'],
    ['+2250700000009', 'approved', null, 'default'],
    ['+33000000009', 'approved', null, 'default'],
  ]
  it.each(rows)('%s is %s', async (phone, outcome, code, rule) => {
    expectOutcome(await kyc(phone), outcome, code, rule)
  })

  it('a rejection names the number to use instead', async () => {
    expect((await kyc('+2250000000009')).json.resolution).toMatch(/final 1/)
  })
})

describe('identity of a business', () => {
  const rows: Row[] = [
    ['BUS-009', 'rejected', 'KYB_REJECTED', 'kyb-ref-009'],
    ['009', 'rejected', 'KYB_REJECTED', 'kyb-ref-009'],
    ['BUS-1009', 'rejected', 'KYB_REJECTED', 'kyb-ref-009'],
    ['BUS-001', 'approved', null, 'kyb-ref-001'],
    ['BUS-09', 'approved', null, 'default'],
    ['BUS-0091', 'approved', null, 'default'],
    ['009-BUS', 'approved', null, 'default'],
  ]
  it.each(rows)('%s is %s', async (ref, outcome, code, rule) => {
    expectOutcome(await kyb(ref), outcome, code, rule)
  })
})

describe.each([
  ['fund', fund],
  ['cashout', cashout],
] as const)('payments.%s', (_direction, pay) => {
  const rows: [number, ...[string, string | null, string]][] = [
    [100, 'failed', 'PAYMENT_FAILED', 'payment-amount-00'],
    [5000, 'failed', 'PAYMENT_FAILED', 'payment-amount-00'],
    [77, 'success', null, 'payment-amount-77'],
    [5077, 'success', null, 'payment-amount-77'],
    [7700, 'failed', 'PAYMENT_FAILED', 'payment-amount-00'],
    [10, 'success', null, 'default'],
    [5001, 'success', null, 'default'],
    [1, 'success', null, 'default'],
  ]
  it.each(rows)('%i is a %s', async (amount, outcome, code, rule) => {
    expectOutcome(await pay(amount), outcome, code, rule)
  })

  it('an amount that is written with a decimal point ends as its value does', async () => {
    const path = `/v1/payments/${_direction}`
    expectOutcome(await post(caller, path, '{"amount":5077.00}'), 'success', null, 'payment-amount-77')
    const failed = await post(caller, path, '{"amount":5e3}')
    expectOutcome(failed, 'failed', 'PAYMENT_FAILED', 'payment-amount-00')
  })
})

describe.each([
  ['simulate', simulate],
  ['apply', apply],
] as const)('credit.%s', (_operation, credit) => {
  const rows: [number, ...[string, string | null, string]][] = [
    [99, 'rejected', 'CREDIT_REJECTED', 'credit-amount-99'],
    [150_099, 'rejected', 'CREDIT_REJECTED', 'credit-amount-99'],
    [11, 'approved', null, 'credit-amount-11'],
    [50_011, 'approved', null, 'credit-amount-11'],
    [99_911, 'approved', null, 'credit-amount-11'],
    [100_011, 'approved', null, 'default'],
    [100_000, 'approved', null, 'default'],
    [100, 'approved', null, 'default'],
  ]
  it.each(rows)('%i is %s', async (amount, outcome, code, rule) => {
    expectOutcome(await credit(amount), outcome, code, rule)
  })
})

describe('X-Sandbox-Outcome', () => {
  const outcome = (name: string) => ({ 'x-sandbox-outcome': name })
  const requested: [string, (headers: object) => Promise<Reply>, string, string | null][] = [
    ['success for a payment', (h) => fund(5000, h), 'success', null],
    ['failed for a payment', (h) => cashout(5077, h), 'failed', 'PAYMENT_FAILED'],
    ['approved for a person', (h) => kyc('+2250000000009', h), 'approved', null],
    ['rejected for a person', (h) => kyc('+2250000000001', h), 'rejected', 'KYC_REJECTED'],
    ['approved for a business', (h) => kyb('BUS-009', h), 'approved', null],
    ['rejected for a business', (h) => kyb('BUS-001', h), 'rejected', 'KYB_REJECTED'],
    ['approved for a simulation', (h) => simulate(99, h), 'approved', null],
    ['rejected for a simulation', (h) => simulate(11, h), 'rejected', 'CREDIT_REJECTED'],
    ['approved for a credit', (h) => apply(99, h), 'approved', null],
    ['rejected for a credit', (h) => apply(11, h), 'rejected', 'CREDIT_REJECTED'],
  ]
  it.each(requested)('outranks the rules: %s', async (_what, request, name, code) => {
    expectOutcome(await request(outcome(name)), name, code, 'requested')
  })

  const unknown: [string, (headers: object) => Promise<Reply>][] = [
    ['approved', (h) => fund(5077, h)],
    ['rejected', (h) => cashout(5077, h)],
    ['success', (h) => kyc('+2250000000001', h)],
    ['failed', (h) => kyb('BUS-001', h)],
    ['success', (h) => simulate(11, h)],
    ['failed', (h) => apply(11, h)],
    ['Success', (h) => fund(5077, h)],
    ['', (h) => fund(5077, h)],
    ['toString', (h) => fund(5077, h)],
  ]
  it.each(unknown)('refuses "%s" where it names no outcome', async (name, request) => {
    const refused = await request(outcome(name))
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(refused.json.errors).toEqual([{ header: 'X-Sandbox-Outcome', detail: expect.any(String) }])
  })

  it('comes after validation: a bad body is told beside it', async () => {
    const refused = await fund(0, outcome('approved'))
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(refused.json.errors.map(Object.keys)).toEqual([
      ['pointer', 'detail'],
      ['header', 'detail'],
    ])
    expectProblem(await fund(0, outcome('success')), 'VALIDATION_FAILED')
  })

  it('sent twice is no outcome', async () => {
    const refused = await post(
      caller,
      '/v1/payments/fund',
      { amount: 5077 },
      {
        headers: { 'x-sandbox-outcome': ['success', 'success'] },
      },
    )
    expectProblem(refused, 'VALIDATION_FAILED')
  })
})

it('X-Sandbox-Rule is on decisions and on nothing else', async () => {
  const [opened, score, refused] = [
    await post(caller, '/v1/webhooks', { url: 'https://a.example/', events: ['*'] }),
    await get(caller, '/v1/accounts'),
    await fund(0),
  ]
  for (const { headers } of [opened, score, refused]) expect(headers).not.toHaveProperty('x-sandbox-rule')
  expect(
    (await send(caller, 'HEAD', '/v1/credit/simulate?amount=99', undefined)).headers['x-sandbox-rule'],
  ).toBe('credit-amount-99')
})

it('the rules are configuration: others can stand in their place, evaluated in order', async () => {
  const other = await startGateway({
    runs: 'here',
    config: {
      outcomes: [
        {
          id: 'big-fails',
          operations: ['payments.fund'],
          field: 'amount',
          test: { matches: '[0-9]{7,}' },
          outcome: 'failed',
        },
        {
          id: 'big-wins',
          operations: ['payments.fund'],
          field: 'amount',
          test: { endsWith: '77' },
          outcome: 'success',
        },
      ],
    },
  })
  const pay = (amount: number) => post(other, '/v1/payments/fund', { amount })
  expectOutcome(await pay(1_000_077), 'failed', 'PAYMENT_FAILED', 'big-fails')
  expectOutcome(await pay(77), 'success', null, 'big-wins')
  expectOutcome(await pay(100), 'success', null, 'default')
  await other.stop()
})
