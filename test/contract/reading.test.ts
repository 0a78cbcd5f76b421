import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { get, newCaller, post, token } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectCommonHeaders, expectProblem } from '../support/problems.ts'
import { INSTANT, id } from '../support/shapes.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({
    runs: 'here',
    partners: partners(20),
    config: { scores: { 'CUS-SEED': 712, 'CUS-LOW': 300, 'CUS-BOTH': 850 } },
  })
})

const person = (customerRef: string) => ({
  customerRef,
  phone: '+2250700000001',
  firstName: 'A',
  lastName: 'B',
})

describe('GET /v1/score', () => {
  it('answers a seeded row', async () => {
    const answer = await get(newCaller(gateway), '/v1/score?customerRef=CUS-SEED')
    expect(answer.status).toBe(200)
    expectCommonHeaders(answer)
    expect(answer.json).toEqual({
      customerRef: 'CUS-SEED',
      score: 712,
      band: 'good',
      computedAt: expect.stringMatching(INSTANT),
    })
  })

  it('has a row for every customerRef of an account, the same for every tenant, and as old as the first account', async () => {
    const [one, two] = [newCaller(gateway), newCaller(gateway)]
    const first = await post(one, '/v1/accounts/open', person('CUS-A'))
    await gateway.advance(2)
    await post(one, '/v1/accounts/open', person('CUS-A'))
    await post(two, '/v1/accounts/open', person('CUS-A'))
    const score = (await get(one, '/v1/score?customerRef=CUS-A')).json
    expect(score.score).toBeGreaterThanOrEqual(300)
    expect(score.score).toBeLessThanOrEqual(850)
    expect(score.computedAt).toBe(first.json.openedAt)
    expect((await get(two, '/v1/score?customerRef=CUS-A')).json).toMatchObject({ score: score.score })
  })

  it('leaves a seeded row what it is when an account is opened for its reference', async () => {
    const caller = newCaller(gateway)
    await post(caller, '/v1/accounts/open', person('CUS-BOTH'))
    const score = (await get(caller, '/v1/score?customerRef=CUS-BOTH')).json
    expect(score).toEqual({
      customerRef: 'CUS-BOTH',
      score: 850,
      band: 'excellent',
      computedAt: '2026-01-01T00:00:00.000Z',
    })
  })

  it("answers SCORE_NOT_FOUND for an unknown reference, and for another tenant's", async () => {
    await post(newCaller(gateway), '/v1/accounts/open', person('CUS-MINE'))
    const stranger = newCaller(gateway)
    for (const ref of ['CUS-MINE', 'CUS-NONE', 'constructor', '__proto__']) {
      expectProblem(await get(stranger, `/v1/score?customerRef=${ref}`), 'SCORE_NOT_FOUND')
    }
  })

  it.each(['', 'customerRef=', 'customerRef=a%20b', `customerRef=${'a'.repeat(65)}`, 'customerref=CUS-SEED'])(
    'refuses the query "%s"',
    async (query) => {
      expectProblem(await get(gateway, `/v1/score?${query}`), 'VALIDATION_FAILED')
    },
  )
})

describe('webhook endpoints', () => {
  const endpoint = { url: 'https://partner.example.com/hooks', events: ['payment.decided', '*'] }

  it('are stored with their URL and events, and say that nothing is stored, delivered or live', async () => {
    const answer = await post(newCaller(gateway), '/v1/webhooks', {
      ...endpoint,
      signingSecret: 'whsec_c2FuZGdhdGUtZXhhbXBsZQ==',
    })
    expect(answer.status).toBe(201)
    expectCommonHeaders(answer)
    expect(answer.json).toEqual({
      webhookId: expect.stringMatching(id('wh')),
      ...endpoint,
      createdAt: expect.stringMatching(INSTANT),
      secretStored: false,
      delivered: false,
      liveDelivery: false,
    })
    expect(answer.headers.location).toBe(`/v1/webhooks/${answer.json.webhookId}`)
  })

  it('are read and listed as they were created, newest first', async () => {
    const caller = newCaller(gateway)
    const first = await post(caller, '/v1/webhooks', endpoint)
    const second = await post(caller, '/v1/webhooks', { ...endpoint, url: 'http://127.0.0.1:9/x' })
    expect((await get(caller, String(first.headers.location))).json).toEqual(first.json)
    const all = await get(caller, '/v1/webhooks')
    expect(all.json).toEqual({ items: [second.json, first.json], nextCursor: null })
    const page = await get(caller, '/v1/webhooks?limit=1')
    expect(page.json.items).toEqual([second.json])
    expect((await get(caller, `/v1/webhooks?cursor=${page.json.nextCursor}`)).json.items).toEqual([
      first.json,
    ])
  })

  it('of another tenant are not found', async () => {
    const { headers } = await post(newCaller(gateway), '/v1/webhooks', endpoint)
    const stranger = newCaller(gateway)
    expectProblem(await get(stranger, String(headers.location)), 'WEBHOOK_NOT_FOUND')
    expectProblem(await get(stranger, '/v1/webhooks/wh_000000000000000000'), 'WEBHOOK_NOT_FOUND')
    expect((await get(stranger, '/v1/webhooks')).json.items).toEqual([])
  })

  it.each([
    ['ftp://partner.example.com/'],
    ['https://user@partner.example.com/'],
    ['https://user:pass@partner.example.com/'],
    ['/hooks'],
    ['partner.example.com'],
    ['https://'],
    ['https://a b/'],
    ['https://a\\b/'],
    [`https://partner.example.com/${'a'.repeat(2048)}`],
    [5],
  ])('refuse the url %s', async (url) => {
    expectProblem(await post(gateway, '/v1/webhooks', { ...endpoint, url }), 'VALIDATION_FAILED')
  })

  it.each([
    [[]],
    [['']],
    [['A']],
    [['a b']],
    [['**']],
    [Array.from({ length: 51 }, (_, i) => `e${i}`)],
    [['a'.repeat(101)]],
    ['*'],
    [[1]],
  ])('refuse the events %j', async (events) => {
    expectProblem(await post(gateway, '/v1/webhooks', { ...endpoint, events }), 'VALIDATION_FAILED')
  })

  it.each([['x'.repeat(15)], ['x'.repeat(257)], [7]])(
    'refuse the signing secret %j',
    async (signingSecret) => {
      const refused = await post(gateway, '/v1/webhooks', { ...endpoint, signingSecret })
      expectProblem(refused, 'VALIDATION_FAILED')
      expect(refused.json.errors[0].pointer).toBe('#/signingSecret')
      expect(refused.bytes.toString()).not.toContain('xxxxxxxx')
    },
  )
})

describe('GET /v1/webhooks/ip-ranges', () => {
  it('is empty until the operator confirms the blocks', async () => {
    const answer = await get(newCaller(gateway), '/v1/webhooks/ip-ranges')
    expect(answer.status).toBe(200)
    expectCommonHeaders(answer)
    expect(answer.json).toEqual({ ipRanges: [], confirmed: false })
  })

  it('lists the configured blocks as confirmed', async () => {
    const other = await startGateway({
      runs: 'here',
      config: { webhooks: { ipRanges: ['203.0.113.0/28', '2001:db8::/32'] } },
    })
    const answer = await get(other, '/v1/webhooks/ip-ranges')
    expect(answer.json).toEqual({
      ipRanges: [{ cidr: '203.0.113.0/28' }, { cidr: '2001:db8::/32' }],
      confirmed: true,
    })
    await other.stop()
  })
})

describe('GET /portal/usage', () => {
  it('shows the usage and the headroom of every cap and every rate-limit group', async () => {
    const caller = newCaller(gateway)
    await post(caller, '/v1/payments/fund', { amount: 5077 })
    await post(caller, '/v1/accounts/open', person('CUS-9'))
    const answer = await get(caller, '/portal/usage')
    expect(answer.status).toBe(200)
    expectCommonHeaders(answer)
    const { partner, tenant, asOf, caps, rateLimits } = answer.json
    expect({ partner, tenant }).toEqual({ partner: caller.partner.id, tenant: caller.partner.tenant })
    expect(asOf).toMatch(INSTANT)
    const cap = (product: string, period: string, unit: string, limit: number, used: number) => ({
      ...{ product, period, unit, limit, used, reserved: 0, remaining: limit - used },
      resetAt: expect.stringMatching(INSTANT),
    })
    expect(caps).toEqual([
      cap('accounts', 'day', 'calls', 1000, 1),
      cap('kyc', 'day', 'calls', 500, 0),
      cap('kyb', 'day', 'calls', 200, 0),
      cap('payments.fund', 'day', 'amount', 50_000_000, 5077),
      cap('payments.cashout', 'day', 'amount', 20_000_000, 0),
      cap('credit', 'month', 'amount', 10_000_000, 0),
    ])
    const window = (group: string, scope: string, limit: number, used: number) => ({
      ...{ group, scope, limit, remaining: limit - used, resetAt: expect.stringMatching(INSTANT) },
    })
    expect(rateLimits).toEqual([
      window('token', 'client', 10, 1),
      window('accounts.open', 'partner', 100, 1),
      window('kyc.submit', 'partner', 50, 0),
      window('payments.fund', 'partner', 200, 1),
      window('payments.cashout', 'partner', 200, 0),
      window('credit.simulate', 'ip', 60, 0),
      window('credit.apply', 'partner', 30, 0),
      window('other', 'partner', 300, 1),
    ])
  })

  it('ends a day at midnight and a month on the first, in UTC', async () => {
    const { asOf, caps } = (await get(gateway, '/portal/usage')).json
    const day = new Date(Date.parse(`${asOf.slice(0, 10)}T00:00:00.000Z`) + 86_400_000).toISOString()
    const [year, month] = [Number(asOf.slice(0, 4)), Number(asOf.slice(5, 7))]
    expect(caps[0].resetAt).toBe(day)
    expect(caps[5].resetAt).toBe(new Date(Date.UTC(year, month, 1)).toISOString())
  })

  it('shows a partner nothing of another', async () => {
    const caller = newCaller(gateway)
    await post(caller, '/v1/payments/fund', { amount: 5077 })
    const { caps } = (await get(newCaller(gateway), '/portal/usage')).json
    expect(caps.every(({ used }: { used: number }) => used === 0)).toBe(true)
  })

  it('is open to any token, even one without a scope that an operation needs', async () => {
    const caller = newCaller(gateway)
    const narrow = await token(caller, { scope: 'accounts:read' })
    expect((await get(caller, '/portal/usage', { token: narrow })).status).toBe(200)
  })
})
