import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, newCaller, token, transmit } from '../support/http.ts'
import { partner, partners } from '../support/partners.ts'
import { type Code, expectProblem } from '../support/problems.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({
    runs: 'here',
    partners: [partner('full', { rateLimits: { 'payments.fund': 0, other: 0 } }), ...partners(40)],
    config: { server: { bodyBytes: 1000 } },
  })
})

/** Everything that can be wrong with a request at once; each refusal is switched on by one of these. */
type Wrong = {
  path?: string
  method?: string
  headers?: Record<string, string | string[]>
  token?: 'missing' | 'invalid' | 'narrow'
  tenant?: string
  key?: string
  contentType?: string
  body?: string
}

/** From first to last: each entry makes the request wrong in one more way. */
const WRONGS: readonly (readonly [Code, Wrong])[] = [
  ['BAD_REQUEST', { headers: { x_tenant_id: 'x' } }],
  ['NOT_FOUND', { path: '/v1/payments/nowhere' }],
  ['METHOD_NOT_ALLOWED', { method: 'PUT' }],
  ['TOKEN_MISSING', { token: 'missing' }],
  ['TOKEN_INVALID', { token: 'invalid' }],
  ['PARTNER_MISMATCH', { tenant: 'tn_sandbox_other' }],
  ['INSUFFICIENT_SCOPE', { token: 'narrow' }],
  ['IDEMPOTENCY_KEY_REQUIRED', { key: 'none' }],
  ['IDEMPOTENCY_KEY_INVALID', { key: 'not-a-uuid' }],
  ['BODY_TOO_LARGE', { body: `{"amount":0,"description":"${'x'.repeat(1200)}"}` }],
  ['UNSUPPORTED_MEDIA_TYPE', { contentType: 'text/plain' }],
  ['MALFORMED_BODY', { body: '{"amount":0,' }],
  ['VALIDATION_FAILED', { body: '{"amount":0}' }],
]

/** Two of a kind exclude each other; the earlier one of the table is what a request shows. */
function combine(wrongs: readonly Wrong[]): Wrong {
  return Object.assign({}, ...wrongs.toReversed())
}

async function request(caller: Caller, wrong: Wrong) {
  const { path = '/v1/payments/fund', method = 'POST', contentType = 'application/json' } = wrong
  const body = method === 'POST' ? (wrong.body ?? '{"amount":5077}') : undefined
  const headers: Record<string, string | string[]> = { 'content-type': contentType, ...wrong.headers }
  if (wrong.key !== 'none') headers['idempotency-key'] = wrong.key ?? '6d1a3f0e-52a4-4c3a-9d0f-4b8f7c2a1e55'
  if (wrong.tenant !== undefined) headers['x-tenant-id'] = wrong.tenant
  if (wrong.token === 'invalid') headers.authorization = 'Bearer x.y.z'
  else if (wrong.token !== 'missing') {
    const scope = wrong.token === 'narrow' ? { scope: 'accounts:read' } : {}
    headers.authorization = `Bearer ${await token(caller, scope)}`
  }
  return transmit(caller, method, path, body === undefined ? null : Buffer.from(body), headers)
}

describe('of all that is wrong with a request, the first in the order is told', () => {
  it.each(WRONGS.map(([code], index) => [code, index] as const))(
    '%s comes before everything behind it',
    async (code, index) => {
      const caller = newCaller(gateway)
      expectProblem(await request(caller, combine(WRONGS.slice(index).map(([, wrong]) => wrong))), code)
    },
  )

  const pairs = WRONGS.slice(0, -1).map(([code, wrong], index) => {
    const [next, other] = WRONGS[index + 1] ?? [code, wrong]
    return [code, next, wrong, other] as const
  })
  it.each(pairs)('%s alone comes before %s alone', async (code, _next, wrong, other) => {
    const caller = newCaller(gateway)
    expectProblem(await request(caller, combine([wrong, other])), code)
  })

  it.each(WRONGS)('%s alone is told as such', async (code, wrong) => {
    expectProblem(await request(newCaller(gateway), wrong), code)
  })
})

describe('a full window turns each of them into 429', () => {
  const [full] = [partner('full')]
  it.each(WRONGS.filter(([code]) => code !== 'TOKEN_MISSING' && code !== 'TOKEN_INVALID'))(
    '%s',
    async (_code, wrong) => {
      const caller = { gateway, partner: full, from: '127.0.0.1' }
      expectProblem(await request(caller, wrong), 'RATE_LIMITED')
    },
  )

  it.each(['missing', 'invalid'] as const)('a token that is %s', async (kind) => {
    const closed = await startGateway({
      config: { rateLimits: { groups: { 'payments.fund': 0 } } },
      runs: 'here',
    })
    const [first] = closed.partners
    if (!first) throw new TypeError('no partner')
    const caller = { gateway: closed, partner: first, from: '127.0.0.1' }
    expectProblem(await request(caller, { token: kind }), 'RATE_LIMITED')
    await closed.stop()
  })
})

describe('behind the checks of the request', () => {
  const limit = { product: 'payments.fund', period: 'day', unit: 'amount', limit: 5077 }
  it('comes 422, then the stored answer, then the cap, then what the operation finds', async () => {
    const capped = await startGateway({ partners: [partner('capped', { caps: [limit] })], runs: 'here' })
    const [first] = capped.partners
    if (!first) throw new TypeError('no partner')
    const caller = { gateway: capped, partner: first, from: '127.0.0.1' }
    expect((await request(caller, {})).status).toBe(200)
    // The cap is used up. The key is known: another body is 422, the same one its answer.
    expectProblem(await request(caller, { body: '{"amount":6077}' }), 'IDEMPOTENCY_KEY_REUSED')
    expect((await request(caller, {})).headers['idempotency-replayed']).toBe('true')
    // A new key meets the cap before the account that does not exist.
    const key = '0c4e7a0a-6d6e-4d0e-8a5b-0a3f6b1d9c02'
    const body = '{"amount":5077,"accountId":"acc_none"}'
    expectProblem(await request(caller, { key, body }), 'PARTNER_LIMIT_EXCEEDED')
    // A refusal of the request itself comes before what is stored under its key.
    expectProblem(await request(caller, { tenant: 'tn_sandbox_other' }), 'PARTNER_MISMATCH')
    await capped.stop()
  })
})
