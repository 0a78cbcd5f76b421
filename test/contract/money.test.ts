import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { get, newCaller, post, type Reply } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectCommonHeaders, expectProblem } from '../support/problems.ts'
import { INSTANT, id } from '../support/shapes.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({
    runs: 'here',
    partners: partners(70),
    config: {
      rateLimits: { groups: { 'credit.simulate': 500 } },
      caps: [{ product: 'payments.fund', period: 'day', unit: 'amount', limit: Number.MAX_SAFE_INTEGER }],
    },
  })
})

describe.each(['fund', 'cashout'])('POST /v1/payments/%s', (direction) => {
  const path = `/v1/payments/${direction}`

  it('answers 200 with the payment', async () => {
    const caller = newCaller(gateway)
    const person = { customerRef: 'CUS-1', phone: '+2250700000001', firstName: 'A', lastName: 'B' }
    const { accountId } = (await post(caller, '/v1/accounts/open', person)).json
    const answer = await post(caller, path, {
      amount: 5077,
      currency: 'XOF',
      accountId,
      phone: '+2250700000001',
      reference: 'INV-1',
      description: 'School fees',
      metadata: { a: 'b' },
    })
    expect(answer.status).toBe(200)
    expectCommonHeaders(answer)
    expect(answer.json).toEqual({
      paymentId: expect.stringMatching(id('pay')),
      direction,
      amount: 5077,
      currency: 'XOF',
      accountId,
      phone: '+2250700000001',
      reference: 'INV-1',
      outcome: 'success',
      code: null,
      decidedAt: expect.stringMatching(INSTANT),
    })
  })

  it('needs an amount and nothing else', async () => {
    const answer = await post(newCaller(gateway), path, { amount: 5077 })
    expect(Object.keys(answer.json).sort()).toEqual(
      ['amount', 'code', 'currency', 'decidedAt', 'direction', 'outcome', 'paymentId'].sort(),
    )
  })

  it("does not find another tenant's account, and keeps that answer under the key", async () => {
    const person = { customerRef: 'CUS-1', phone: '+2250700000001', firstName: 'A', lastName: 'B' }
    const { accountId } = (await post(newCaller(gateway), '/v1/accounts/open', person)).json
    const caller = newCaller(gateway)
    const key = '5d0f36a7-3c0e-4d8e-8f0e-6a4a4f6c2b11'
    const refused = await post(caller, path, { amount: 5077, accountId }, { key })
    expectProblem(refused, 'ACCOUNT_NOT_FOUND')
    const again = await post(caller, path, { amount: 5077, accountId }, { key })
    expectProblem(again, 'ACCOUNT_NOT_FOUND', { replayed: true })
    expect(again.bytes.equals(refused.bytes)).toBe(true)
    expect(again.headers['idempotency-replayed']).toBe('true')
  })

  it('keeps no balance: a cash-out of any amount that ends in 77 succeeds', async () => {
    const answer = await post(newCaller(gateway), path, { amount: 19_999_977 })
    expect(answer.json.outcome).toBe('success')
  })
})

describe('GET /v1/credit/simulate', () => {
  it('answers 200 with an annuity in whole XOF that covers the amount', async () => {
    const answer = await get(
      newCaller(gateway),
      '/v1/credit/simulate?amount=50011&termMonths=12&customerRef=C-1',
    )
    expect(answer.status).toBe(200)
    expectCommonHeaders(answer)
    expect(answer.json).toEqual({
      simulationId: expect.stringMatching(id('sim')),
      amount: 50011,
      currency: 'XOF',
      termMonths: 12,
      outcome: 'approved',
      code: null,
      annualRatePercent: 12,
      monthlyPayment: expect.any(Number),
      totalRepayable: expect.any(Number),
      decidedAt: expect.stringMatching(INSTANT),
    })
    const { monthlyPayment, totalRepayable } = answer.json
    expect(Number.isInteger(monthlyPayment)).toBe(true)
    expect(totalRepayable).toBe(monthlyPayment * 12)
    expect(totalRepayable).toBeGreaterThan(50011)
  })

  it('has a term of 6 months when none is sent', async () => {
    expect((await get(newCaller(gateway), '/v1/credit/simulate?amount=50011')).json.termMonths).toBe(6)
  })

  it.each([
    '',
    'amount=',
    'amount=0',
    'amount=-5',
    'amount=%2B5',
    'amount=5.0',
    'amount=1e3',
    'amount=0x10',
    'amount=%205',
    'amount=9007199254740992',
    'amount=99999999999999999999',
    'amount=5&amount=5',
    'amount=5&termMonths=0',
    'amount=5&termMonths=61',
    'amount=5&customerRef=a%20b',
    'amount=5&unknown=1',
    'amount=5&__proto__=1',
    'amount=%FF',
    'amount=9007199254740991',
  ])('refuses the query "%s"', async (query) => {
    expectProblem(await get(gateway, `/v1/credit/simulate?${query}`), 'VALIDATION_FAILED')
  })
})

describe('POST /v1/credit/apply', () => {
  it('answers 200 with an outcome', async () => {
    const answer = await post(newCaller(gateway), '/v1/credit/apply', {
      customerRef: 'CUS-1',
      amount: 50011,
      termMonths: 3,
      simulationId: 'sim_0VhYx3kQm4Zq9TtB2nR7wLc1d',
      purpose: 'Working capital',
      metadata: { a: 'b' },
    })
    expect(answer.status).toBe(200)
    expectCommonHeaders(answer)
    expect(answer.json).toEqual({
      creditId: expect.stringMatching(id('crd')),
      customerRef: 'CUS-1',
      amount: 50011,
      currency: 'XOF',
      termMonths: 3,
      outcome: 'approved',
      code: null,
      decidedAt: expect.stringMatching(INSTANT),
    })
  })
})

describe('an amount is judged on the text of the JSON number', () => {
  const fund = (text: string): Promise<Reply> =>
    post(newCaller(gateway), '/v1/payments/fund', `{"amount":${text}}`)

  it.each([
    ['1', 1],
    ['1000.0', 1000],
    ['1e3', 1000],
    ['1E+3', 1000],
    ['10.50e1', 105],
    ['100000e-2', 1000],
    ['0.5e1', 5],
    ['9007199254740991', 9007199254740991],
    ['9007199254740991.0', 9007199254740991],
  ])('%s is %i', async (text, amount) => {
    const answer = await fund(text)
    expect({ status: answer.status, amount: answer.json.amount }).toEqual({ status: 200, amount })
    // Sent back as the integer that it is.
    expect(answer.bytes.toString()).toContain(`"amount":${amount},`)
  })

  it.each([
    '9007199254740991.4',
    '9007199254740992',
    '9007199254740993',
    '1000.0000000000000000001',
    '1000.5',
    '1e-1',
    '1e400',
    '0',
    '-0',
    '-1000',
    '"1000"',
    '"1000.0"',
    'null',
    'true',
    '[1000]',
    '{}',
    '""',
  ])('%s is refused', async (text) => {
    const refused = await fund(text)
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(refused.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['#/amount'])
  })

  it.each(['01000', '+1000', '1000.', '.5', '0x10', 'NaN', 'Infinity'])('%s is not JSON', async (text) => {
    expectProblem(await fund(text), 'MALFORMED_BODY')
  })
})
