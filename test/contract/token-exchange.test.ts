import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, exchange, get, newCaller, transmit } from '../support/http.ts'
import { ALL_SCOPES, partner, partners, secretOf } from '../support/partners.ts'
import { expectCommonHeaders, expectOAuthError } from '../support/problems.ts'

const narrow = partner('narrow', {
  scopes: ['accounts:read', 'payments:write'],
  moreKeys: [
    { id: 'key_till', scopes: ['payments:write'] },
    { id: 'key_old', revoked: true },
  ],
})

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ runs: 'here', partners: [narrow, ...partners(40)] })
  expect(gateway.nextPartner()).toBe(narrow)
})

const form = 'application/x-www-form-urlencoded'
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
const raw = (caller: Caller, body: string, headers: Record<string, string | string[]> = {}) =>
  transmit(caller, 'POST', '/auth/token', Buffer.from(body), headers)

describe('a token is granted', () => {
  it.each(['keyId', 'tenant', 'secret'] as const)('when client_id is the %s', async (name) => {
    const caller = newCaller(gateway)
    const { partner } = caller
    const answer = await exchange(caller, { client_id: partner[name], client_secret: partner.secret })
    expect(answer.status).toBe(200)
    expectCommonHeaders(answer)
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: ALL_SCOPES.join(' '),
      liveKeyMinted: false,
    })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      pragma: 'no-cache',
    })
    expect((await get(caller, '/portal/usage', { token: answer.json.access_token })).status).toBe(200)
  })

  type Way = [string, (caller: Caller) => ReturnType<typeof raw>]
  const credentials = ({ partner }: Caller) =>
    new URLSearchParams({ client_id: partner.keyId, client_secret: partner.secret }).toString()
  const ways: Way[] = [
    ['from a form', (c) => raw(c, credentials(c), { 'content-type': form })],
    [
      'from a form with a charset',
      (c) => raw(c, credentials(c), { 'content-type': `${form}; charset=utf-8` }),
    ],
    ['from a body without a content type, read as a form', (c) => raw(c, credentials(c))],
    ['from JSON', (c) => raw(c, json(c), { 'content-type': 'application/json' })],
    [
      'from HTTP Basic without a body',
      (c) => raw(c, '', { authorization: basic(c.partner.keyId, c.partner.secret) }),
    ],
    [
      'from HTTP Basic, form-encoded',
      (c) =>
        raw(c, 'grant_type=client_credentials', {
          'content-type': form,
          authorization: basic(encodeURIComponent(c.partner.keyId).replace('_', '%5F'), c.partner.secret),
        }),
    ],
    [
      'from HTTP Basic and the body when both are equal',
      (c) =>
        raw(c, credentials(c), {
          'content-type': form,
          authorization: basic(c.partner.keyId, c.partner.secret),
        }),
    ],
    ['with an empty scope', (c) => raw(c, `${credentials(c)}&scope=`, { 'content-type': form })],
    [
      'with grant_type=client_credentials',
      (c) => raw(c, `${credentials(c)}&grant_type=client_credentials`, { 'content-type': form }),
    ],
    [
      'with unknown parameters, which are ignored',
      (c) => raw(c, `${credentials(c)}&audience=x&resource=y`, { 'content-type': form }),
    ],
    [
      'with any Idempotency-Key, which is ignored',
      (c) => raw(c, credentials(c), { 'content-type': form, 'idempotency-key': 'no uuid' }),
    ],
    [
      'with the stale bearer token of an SDK beside the body',
      (c) => raw(c, credentials(c), { 'content-type': form, authorization: 'Bearer stale' }),
    ],
    [
      'with the X-Tenant-Id of the key',
      (c) => raw(c, credentials(c), { 'content-type': form, 'x-tenant-id': c.partner.tenant }),
    ],
  ]
  it.each(ways)('%s', async (_way, send) => {
    const answer = await send(newCaller(gateway))
    expect({ status: answer.status, scope: answer.json.scope }).toEqual({
      status: 200,
      scope: ALL_SCOPES.join(' '),
    })
    expect(answer.json).not.toHaveProperty('refresh_token')
  })

  it('twice for the same key as two different tokens: nothing is stored', async () => {
    const caller = newCaller(gateway)
    const key = { 'idempotency-key': '1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10' }
    const fields = { client_id: caller.partner.keyId, client_secret: caller.partner.secret }
    const [one, two] = [await exchange(caller, fields, key), await exchange(caller, fields, key)]
    expect(one.json.access_token).not.toBe(two.json.access_token)
  })
})

describe('scope', () => {
  const asked = (scope: string, keyId = narrow.keyId, secret = narrow.secret) =>
    exchange(
      { gateway, partner: narrow, from: gateway.nextAddress() },
      { client_id: keyId, client_secret: secret, scope },
    )

  it('narrows what the key holds, and is told back', async () => {
    expect((await asked('payments:write')).json.scope).toBe('payments:write')
  })

  it('is by default that of the key, which may be narrower than its partner', async () => {
    expect((await asked('', 'key_till', secretOf('key_till'))).json.scope).toBe('payments:write')
    expect((await asked('')).json.scope).toBe('accounts:read payments:write')
  })

  it.each(['webhooks:register', 'payments:write webhooks:register', 'nonsense'])(
    'is refused when the key does not hold all of "%s"',
    async (scope) => {
      expectOAuthError(await asked(scope), 'invalid_scope', 'INVALID_SCOPE')
    },
  )

  it('is refused when the partner holds it and the key does not', async () => {
    const refused = await asked('accounts:read', 'key_till', secretOf('key_till'))
    expectOAuthError(refused, 'invalid_scope', 'INVALID_SCOPE')
  })
})

describe('a token is refused', () => {
  it('for an unknown client, a wrong secret and a revoked key with one and the same answer', async () => {
    const caller = newCaller(gateway)
    const { keyId, secret } = caller.partner
    const answers = [
      await exchange(caller, { client_id: 'key_nobody', client_secret: secret }),
      await exchange(caller, { client_id: keyId, client_secret: 'sk_sandbox_wrong' }),
      await exchange(caller, { client_id: 'key_old', client_secret: secretOf('key_old') }),
      await exchange(caller, { client_id: keyId, client_secret: narrow.secret }),
    ]
    for (const answer of answers) {
      expectOAuthError(answer, 'invalid_client', 'INVALID_CLIENT')
      // No challenge with credentials in the body: client libraries then hide the reason.
      expect(answer.headers['www-authenticate']).toBeUndefined()
    }
    const details = answers.map(({ json }) => json.error_description)
    expect(new Set(details).size).toBe(1)
  })

  it('with a Basic challenge when Basic was used', async () => {
    const answer = await raw(newCaller(gateway), '', { authorization: basic('key_nobody', 'x') })
    expectOAuthError(answer, 'invalid_client', 'INVALID_CLIENT')
    expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/)
  })

  it('when the credentials are in the query, where they would end up in logs', async () => {
    const caller = newCaller(gateway)
    const { keyId, secret } = caller.partner
    const refused = await transmit(
      caller,
      'POST',
      `/auth/token?client_id=${keyId}&client_secret=${secret}`,
      null,
    )
    expectOAuthError(refused, 'invalid_client', 'INVALID_CLIENT')
  })

  type Refused = [string, string, Record<string, string>, string, Parameters<typeof expectOAuthError>[2]]
  const cases: Refused[] = [
    ['without credentials', '', { 'content-type': form }, 'invalid_client', 'INVALID_CLIENT'],
    ['without a secret', 'client_id=K', { 'content-type': form }, 'invalid_client', 'INVALID_CLIENT'],
    [
      'with another grant type',
      'client_id=K&client_secret=S&grant_type=password',
      { 'content-type': form },
      'unsupported_grant_type',
      'UNSUPPORTED_GRANT_TYPE',
    ],
    [
      'with a repeated parameter',
      'client_id=K&client_id=K&client_secret=S',
      { 'content-type': form },
      'invalid_request',
      'INVALID_REQUEST',
    ],
    [
      'with a repeated unknown parameter',
      'client_id=K&client_secret=S&x=1&x=2',
      { 'content-type': form },
      'invalid_request',
      'INVALID_REQUEST',
    ],
    [
      'with a repeated JSON property',
      '{"client_id":"K","client_secret":"S","scope":"","scope":""}',
      { 'content-type': 'application/json' },
      'invalid_request',
      'INVALID_REQUEST',
    ],
    [
      'with scopes in a list',
      '{"client_id":"K","client_secret":"S","scope":["accounts:read"]}',
      { 'content-type': 'application/json' },
      'invalid_request',
      'INVALID_REQUEST',
    ],
    [
      'with JSON that is labelled as a form',
      '{"client_id":"K","client_secret":"S"}',
      { 'content-type': form },
      'invalid_request',
      'INVALID_REQUEST',
    ],
    [
      'with Basic and a body that differ',
      'client_id=key_other&client_secret=S',
      { 'content-type': form, authorization: 'BASIC' },
      'invalid_request',
      'INVALID_REQUEST',
    ],
    ['as XML', '<a/>', { 'content-type': 'application/xml' }, 'invalid_request', 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'as an encoded body',
      'client_id=K&client_secret=S',
      { 'content-type': form, 'content-encoding': 'gzip' },
      'invalid_request',
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'with more than the largest body',
      `client_id=K&client_secret=S&x=${'x'.repeat(70_000)}`,
      { 'content-type': form },
      'invalid_request',
      'BODY_TOO_LARGE',
    ],
    [
      'with the X-Tenant-Id of somebody else',
      'client_id=K&client_secret=S',
      { 'content-type': form, 'x-tenant-id': 'tn_sandbox_narrow' },
      'invalid_request',
      'PARTNER_MISMATCH',
    ],
    [
      'with an empty X-Tenant-Id',
      'client_id=K&client_secret=S',
      { 'content-type': form, 'x-tenant-id': '' },
      'invalid_request',
      'PARTNER_MISMATCH',
    ],
  ]
  it.each(cases)('%s', async (_what, body, headers, error, code) => {
    const caller = newCaller(gateway)
    const { keyId, secret } = caller.partner
    const filled = body.replace(/\bK\b/g, keyId).replace(/\bS\b/g, secret)
    const sent = { ...headers, ...(headers.authorization && { authorization: basic(keyId, secret) }) }
    expectOAuthError(await raw(caller, filled, sent), error, code)
  })
})

function json({ partner }: Caller): string {
  return JSON.stringify({ client_id: partner.keyId, client_secret: partner.secret, unknown: 1 })
}
