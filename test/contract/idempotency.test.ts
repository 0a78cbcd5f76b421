import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, get, newCaller, post, type Reply, send, token, transmit } from '../support/http.ts'
import { partner, partners } from '../support/partners.ts'
import { expectProblem } from '../support/problems.ts'

const twoKeys = partner('two-keys', { moreKeys: [{ id: 'key_second' }] })

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ partners: [twoKeys, ...partners(60)] })
  expect(gateway.nextPartner()).toBe(twoKeys)
})

const fund = (caller: Caller, body: unknown, key: string, headers = {}) =>
  post(caller, '/v1/payments/fund', body, { key, headers })

const replayed = ({ headers }: Reply) => headers['idempotency-replayed']
const used = async (caller: Caller, product = 'payments.fund') => {
  const { caps } = (await get(caller, '/portal/usage')).json
  return caps.find((cap: { product: string }) => cap.product === product)
}

/** What makes two answers the same answer: all but what belongs to the request. */
function substance({ status, headers, bytes }: Reply) {
  const { 'content-type': type, location, 'x-sandbox-rule': rule } = headers
  return { status, type, location, rule, body: bytes.toString() }
}

const posts: [string, unknown][] = [
  ['/v1/accounts/open', { customerRef: 'C', phone: '+2250700000001', firstName: 'A', lastName: 'B' }],
  ['/v1/kyc/submit', { phone: '+2250000000009' }],
  ['/v1/kyc/widget/session', {}],
  ['/v1/kyb/submit', { businessRef: 'B-009' }],
  ['/v1/payments/fund', { amount: 5000 }],
  ['/v1/payments/cashout', { amount: 5077 }],
  ['/v1/credit/apply', { customerRef: 'C', amount: 99 }],
  ['/v1/webhooks', { url: 'https://a.example/', events: ['*'], signingSecret: 'x'.repeat(20) }],
]

describe.each(posts)('POST %s', (path, body) => {
  it('needs a key, and replays its first answer byte for byte', async () => {
    const caller = newCaller(gateway)
    expectProblem(await post(caller, path, body, { key: null }), 'IDEMPOTENCY_KEY_REQUIRED')
    const key = randomUUID()
    const first = await post(caller, path, body, { key })
    const again = await post(caller, path, body, { key })
    expect([200, 201]).toContain(first.status)
    expect(replayed(first)).toBeUndefined()
    expect(replayed(again)).toBe('true')
    expect(substance(again)).toEqual(substance(first))
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    expect(Number(again.headers['x-ratelimit-remaining'])).toBeLessThan(
      Number(first.headers['x-ratelimit-remaining']),
    )
  })
})

describe('a key', () => {
  it.each([
    ['in capitals', (key: string) => key.toUpperCase()],
    ['in quotation marks, as the IETF draft writes it', (key: string) => `"${key}"`],
    ['with spaces around it', (key: string) => `  ${key} `],
  ])('is the same key %s', async (_how, spell) => {
    const caller = newCaller(gateway)
    const key = randomUUID()
    await fund(caller, { amount: 77 }, key)
    expect(replayed(await fund(caller, { amount: 77 }, spell(key)))).toBe('true')
  })

  it.each([
    '',
    'abc',
    'c232ab00-9414-11ec-b3c8-9f6bdeced846',
    '00000000-0000-0000-0000-000000000000',
    '1f0e9c52-6b1d-4c8e-ca57-2f7c1c1f7d10',
    '1f0e9c526b1d4c8e9a572f7c1c1f7d10',
    '{1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10}',
    '1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10x',
  ])('"%s" is not a UUID v4', async (key) => {
    expectProblem(await fund(newCaller(gateway), { amount: 77 }, key), 'IDEMPOTENCY_KEY_INVALID')
  })

  it('sent twice is invalid, also when both lines are equal', async () => {
    const key = randomUUID()
    const caller = newCaller(gateway)
    const refused = await post(
      caller,
      '/v1/payments/fund',
      { amount: 77 },
      {
        key: null,
        headers: { 'idempotency-key': [key, key] },
      },
    )
    expectProblem(refused, 'IDEMPOTENCY_KEY_INVALID')
  })

  it('is ignored on GET and HEAD', async () => {
    const caller = newCaller(gateway)
    for (const method of ['GET', 'HEAD']) {
      const answer = await send(caller, method, '/v1/accounts', undefined, {
        headers: { 'idempotency-key': 'not a uuid' },
      })
      expect(answer.status).toBe(200)
      expect(replayed(answer)).toBeUndefined()
    }
  })

  it("belongs to the partner: the same one of another partner is its own, and a partner's keys share it", async () => {
    const key = randomUUID()
    const [one, two] = [newCaller(gateway), newCaller(gateway)]
    const first = await fund(one, { amount: 77 }, key)
    const second = await fund(two, { amount: 78 }, key)
    expect(second.status).toBe(200)
    expect(replayed(second)).toBeUndefined()
    expect(second.json.paymentId).not.toBe(first.json.paymentId)

    const caller = { gateway, partner: twoKeys, from: gateway.nextAddress() }
    const mine = await fund(caller, { amount: 77 }, key)
    const through = await token(caller, { keyId: 'key_second' })
    const again = await post(caller, '/v1/payments/fund', { amount: 77 }, { key, token: through })
    expect(substance(again)).toEqual(substance(mine))
  })
})

describe('a key that was used for another request is refused with 422', () => {
  const others: [string, (caller: Caller, key: string) => Promise<Reply>][] = [
    ['another amount', (c, key) => fund(c, { amount: 78 }, key)],
    ['another spelling of the same body', (c, key) => fund(c, '{"amount": 77}', key)],
    ['another path', (c, key) => post(c, '/v1/payments/cashout', { amount: 77 }, { key })],
    ['an X-Sandbox-Outcome', (c, key) => fund(c, { amount: 77 }, key, { 'x-sandbox-outcome': 'success' })],
  ]
  it.each(others)('%s', async (_what, request) => {
    const caller = newCaller(gateway)
    const key = randomUUID()
    const first = await fund(caller, { amount: 77 }, key)
    expectProblem(await request(caller, key), 'IDEMPOTENCY_KEY_REUSED')
    // The first answer is still there, and nothing else was executed.
    expect(substance(await fund(caller, { amount: 77 }, key))).toEqual(substance(first))
    expect((await used(caller)).used).toBe(77)
  })

  it('but a parameter of the media type, another token or another request id do not matter', async () => {
    const caller = newCaller(gateway)
    const key = randomUUID()
    await fund(caller, { amount: 77 }, key)
    const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'mine' }
    expect(replayed(await fund(caller, { amount: 77 }, key, headers))).toBe('true')
  })
})

describe('is not stored under the key', () => {
  const refusals: [string, (caller: Caller, key: string) => Promise<Reply>][] = [
    ['VALIDATION_FAILED', (c, key) => fund(c, { amount: 0 }, key)],
    ['MALFORMED_BODY', (c, key) => fund(c, '{', key)],
    ['UNSUPPORTED_MEDIA_TYPE', (c, key) => fund(c, 'x', key, { 'content-type': 'text/plain' })],
    ['PARTNER_MISMATCH', (c, key) => fund(c, { amount: 77 }, key, { 'x-tenant-id': 'tn_sandbox_p1' })],
    ['TOKEN_INVALID', (c, key) => post(c, '/v1/payments/fund', { amount: 77 }, { key, token: 'x' })],
  ]
  it.each(refusals)('%s', async (code, refuse) => {
    const caller = newCaller(gateway)
    const key = randomUUID()
    expect((await refuse(caller, key)).json.code).toBe(code)
    const answer = await fund(caller, { amount: 77 }, key)
    expect(answer.status).toBe(200)
    expect(replayed(answer)).toBeUndefined()
  })

  it('PARTNER_LIMIT_EXCEEDED', async () => {
    const caller = newCaller(gateway)
    const key = randomUUID()
    const body = { amount: 50_000_077 }
    expectProblem(await fund(caller, body, key), 'PARTNER_LIMIT_EXCEEDED')
    const again = await fund(caller, body, key)
    expectProblem(again, 'PARTNER_LIMIT_EXCEEDED')
    expect(replayed(again)).toBeUndefined()
    expect((await fund(caller, { amount: 77 }, key)).status).toBe(200)
  })
})

describe('a finished key', () => {
  it('is kept for 24 hours from its completion, and is a fresh key afterwards', async () => {
    const caller = newCaller(gateway)
    const key = randomUUID()
    const first = await fund(caller, { amount: 77 }, key)
    await gateway.advance(86_400 - 30)
    expect(substance(await fund(caller, { amount: 77 }, key))).toEqual(substance(first))
    // A replay does not make it live longer.
    await gateway.advance(30)
    const anew = await fund(caller, { amount: 78 }, key)
    expect(anew.status).toBe(200)
    expect(replayed(anew)).toBeUndefined()
    expect(anew.json.paymentId).not.toBe(first.json.paymentId)
  })

  it('replays when the cap is exhausted, and costs no cap', async () => {
    const caller = newCaller(gateway)
    const key = randomUUID()
    const first = await fund(caller, { amount: 50_000_000 }, key, { 'x-sandbox-outcome': 'success' })
    expect(first.json.outcome).toBe('success')
    expectProblem(await fund(caller, { amount: 1 }, randomUUID()), 'PARTNER_LIMIT_EXCEEDED')
    const again = await fund(caller, { amount: 50_000_000 }, key, { 'x-sandbox-outcome': 'success' })
    expect(substance(again)).toEqual(substance(first))
    expect(await used(caller)).toMatchObject({ used: 50_000_000, reserved: 0, remaining: 0 })
  })

  it('of a failed payment replays the failure: a retry takes a new key', async () => {
    const caller = newCaller(gateway)
    const key = randomUUID()
    const failed = await fund(caller, { amount: 5000 }, key)
    expect(failed.json.code).toBe('PAYMENT_FAILED')
    expect(failed.json.resolution).toContain('new Idempotency-Key')
    expect(substance(await fund(caller, { amount: 5000 }, key))).toEqual(substance(failed))
    expect((await fund(caller, { amount: 5077 }, randomUUID())).json.outcome).toBe('success')
  })
})

it('the token exchange can be configured to need a key', async () => {
  const strict = await startGateway({ config: { idempotency: { tokenExchange: 'required' } }, runs: 'here' })
  const [first] = strict.partners
  const form = new URLSearchParams({ client_id: first?.keyId ?? '', client_secret: first?.secret ?? '' })
  const ask = (headers = {}) =>
    transmit(strict, 'POST', '/auth/token', Buffer.from(form.toString()), {
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    })
  const refused = await ask()
  expect({ status: refused.status, ...refused.json }).toMatchObject({
    status: 400,
    error: 'invalid_request',
    code: 'IDEMPOTENCY_KEY_REQUIRED',
  })
  expect((await ask({ 'idempotency-key': randomUUID() })).status).toBe(200)
  await strict.stop()
})
