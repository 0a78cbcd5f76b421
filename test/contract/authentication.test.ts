import { createHmac, createPublicKey, sign, verify } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, exchange, get, newCaller, post, send, token, transmit } from '../support/http.ts'
import { anyKeyPair } from '../support/key-pairs.ts'
import { partner, partners } from '../support/partners.ts'
import { expectProblem } from '../support/problems.ts'

let gateway: Gateway
let reader: Caller
beforeAll(async () => {
  gateway = await startGateway({
    partners: [partner('narrow', { scopes: ['accounts:read'] }), ...partners(60)],
  })
  reader = newCaller(gateway)
})

const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('an access token', () => {
  it('is an RS256 at+jwt with the claims of its key, signed by a published key', async () => {
    const caller = newCaller(gateway)
    const text = await token(caller)
    const [head, payload, signature = ''] = text.split('.')
    const header = decode(head)
    expect(header).toEqual({ alg: 'RS256', kid: expect.any(String), typ: 'at+jwt' })
    const claims = decode(payload)
    expect(claims).toEqual({
      iss: gateway.url,
      aud: 'partner-sandbox',
      sub: caller.partner.id,
      client_id: caller.partner.keyId,
      tenant: caller.partner.tenant,
      scope: 'accounts:read accounts:write kyc:initiate payments:write webhooks:register',
      iat: expect.any(Number),
      exp: claims.iat + 3600,
      jti: expect.any(String),
    })
    const { keys } = (await get(caller, '/.well-known/jwks.json', { token: null })).json
    const jwk = keys.find(({ kid }: { kid: string }) => kid === header.kid)
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const signed = Buffer.from(`${head}.${payload}`)
    expect(verify('sha256', signed, key, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  it('is valid for 3599 seconds and expired at 3600', async () => {
    const caller = newCaller(gateway)
    const { partner } = caller
    const fields = { client_id: partner.keyId, client_secret: partner.secret }
    const fresh = async () => String((await exchange(caller, fields)).json.access_token)
    const now = async () =>
      Date.parse((await get(caller, '/portal/usage', { token: await fresh() })).json.asOf) / 1000
    let text = ''
    // On a busy machine the last second of a token may be over before it is used: another one is taken then.
    for (let isInTime = false; !isInTime; ) {
      text = await fresh()
      const { exp } = decode(text.split('.')[1])
      await gateway.advance(exp - (await now()) - 0.9)
      const { status } = await get(caller, '/portal/usage', { token: text })
      isInTime = (await now()) < exp
      if (isInTime) expect(status).toBe(200)
    }
    await gateway.advance(0.9)
    const refused = await get(caller, '/portal/usage', { token: text })
    expectProblem(refused, 'TOKEN_EXPIRED')
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/)
    // The caller exchanges again.
    expect((await exchange(caller, fields)).status).toBe(200)
  })
})

const stranger = (await anyKeyPair()).privateKey

describe('a token that is not ours is TOKEN_INVALID', () => {
  const forged = (header: object, claims: object, key = stranger) => {
    const signed = `${encode(header)}.${encode(claims)}`
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
  }
  const parts = async (caller: Caller) => {
    const [head, payload, signature] = (await token(caller)).split('.')
    return { header: decode(head), claims: decode(payload), head, payload, signature }
  }

  type Forgery = [string, (caller: Caller) => Promise<string>]
  const forgeries: Forgery[] = [
    [
      'signed by another key under our kid',
      async (c) => forged((await parts(c)).header, (await parts(c)).claims),
    ],
    [
      'with alg none',
      async (c) => `${encode({ ...(await parts(c)).header, alg: 'none' })}.${(await parts(c)).payload}.`,
    ],
    [
      'signed by HMAC with our public key',
      async (c) => {
        const { header, claims } = await parts(c)
        const jwks = (await get(c, '/.well-known/jwks.json', { token: null })).json
        const pem = createPublicKey({ key: jwks.keys[0], format: 'jwk' }).export({
          type: 'spki',
          format: 'pem',
        })
        const signed = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`
        return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`
      },
    ],
    [
      'with the key that it brings along',
      async (c) => {
        const { header, claims } = await parts(c)
        const jwk = createPublicKey(stranger).export({ format: 'jwk' })
        return forged({ ...header, jwk, jku: 'http://127.0.0.1:9/keys', kid: 'mine' }, claims)
      },
    ],
    [
      'with other claims under the old signature',
      async (c) => {
        const { head, claims, signature } = await parts(c)
        return `${head}.${encode({ ...claims, sub: 'p1', tenant: 'tn_sandbox_p1' })}.${signature}`
      },
    ],
    ['cut short', async (c) => (await token(c)).slice(0, -2)],
    ['with another spelling of its signature', async (c) => `${await token(c)}=`],
    ['that is a sandbox key', async (c) => c.partner.secret],
    ['of one character', async () => 'x'],
    ['of three dots', async () => '...'],
    ['with something behind it', async (c) => `${await token(c)} x`],
  ]
  it.each(forgeries)('%s', async (_what, make) => {
    const caller = newCaller(gateway)
    const refused = await get(caller, '/portal/usage', { token: await make(caller) })
    expectProblem(refused, 'TOKEN_INVALID')
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/)
  })

  it('also where no token is needed', async () => {
    expectProblem(await get(newCaller(gateway), '/openapi.json', { token: 'x.y.z' }), 'TOKEN_INVALID')
  })
})

describe('no bearer token is TOKEN_MISSING with a bare challenge', () => {
  it.each([
    ['no header', undefined],
    ['an empty token', 'Bearer '],
    ['another scheme', 'Basic a2V5OnNlY3JldA=='],
  ])('%s', async (_what, authorization) => {
    const caller = newCaller(gateway)
    const refused = await transmit(
      caller,
      'GET',
      '/v1/accounts',
      null,
      authorization ? { authorization } : {},
    )
    expectProblem(refused, 'TOKEN_MISSING')
    expect(refused.headers['www-authenticate']).toBe('Bearer')
  })

  it('the scheme is read without regard to case', async () => {
    const caller = newCaller(gateway)
    const authorization = `bEARER ${await token(caller)}`
    expect((await transmit(caller, 'GET', '/v1/accounts', null, { authorization })).status).toBe(200)
  })
})

describe('the scope that an operation needs', () => {
  const person = { customerRef: 'C', phone: '+2250700000001', firstName: 'A', lastName: 'B' }
  const needs: [string, string, string, object?][] = [
    ['accounts:write', 'POST', '/v1/accounts/open', person],
    ['accounts:read', 'GET', '/v1/accounts'],
    ['accounts:read', 'GET', '/v1/accounts/acc_x'],
    ['kyc:initiate', 'POST', '/v1/kyc/submit', { phone: '+2250700000001' }],
    ['kyc:initiate', 'POST', '/v1/kyc/widget/session', {}],
    ['kyc:initiate', 'GET', '/v1/kyc/widget/session/kws_x'],
    ['kyc:initiate', 'POST', '/v1/kyb/submit', { businessRef: 'B' }],
    ['payments:write', 'POST', '/v1/payments/fund', { amount: 5077 }],
    ['payments:write', 'POST', '/v1/payments/cashout', { amount: 5077 }],
    ['webhooks:register', 'POST', '/v1/webhooks', { url: 'https://a.example/', events: ['*'] }],
    ['webhooks:register', 'GET', '/v1/webhooks'],
    ['webhooks:register', 'GET', '/v1/webhooks/wh_x'],
  ]
  const others = ['accounts:read', 'accounts:write', 'kyc:initiate', 'payments:write', 'webhooks:register']

  it.each(needs)('%s opens %s %s, and no other scope does', async (scope, method, path, body) => {
    const caller = newCaller(gateway)
    const held = await token(caller, { scope })
    expect([200, 201, 404]).toContain((await send(caller, method, path, body, { token: held })).status)
    const rest = await token(caller, { scope: others.filter((other) => other !== scope).join(' ') })
    const refused = await send(caller, method, path, body, { token: rest })
    expectProblem(refused, 'INSUFFICIENT_SCOPE')
    expect(refused.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`)
  })

  it.each([
    ['GET', '/v1/credit/simulate?amount=5', 200],
    ['POST', '/v1/credit/apply', 200],
    ['GET', '/v1/score?customerRef=NONE', 404],
    ['GET', '/v1/webhooks/ip-ranges', 200],
    ['GET', '/portal/usage', 200],
  ])('is any for %s %s', async (method, path, status) => {
    const body = method === 'POST' ? { customerRef: 'C', amount: 5 } : undefined
    expect((await send(reader, method, path, body)).status).toBe(status)
    expectProblem(await send(reader, method, path, body, { token: null }), 'TOKEN_MISSING')
  })

  it('of a simulation may be configured away; a token that is sent is judged all the same', async () => {
    const open = await startGateway({ config: { credit: { simulateAuth: 'none' } }, runs: 'here' })
    expect((await get(open, '/v1/credit/simulate?amount=5', { token: null })).status).toBe(200)
    expectProblem(await get(open, '/v1/credit/simulate?amount=5', { token: 'x' }), 'TOKEN_INVALID')
    await open.stop()
  })
})

describe('X-Tenant-Id', () => {
  it('may be left out, or be the tenant on the key', async () => {
    const caller = newCaller(gateway)
    const headers = { 'x-tenant-id': caller.partner.tenant }
    expect((await get(caller, '/portal/usage')).status).toBe(200)
    expect((await get(caller, '/portal/usage', { headers })).status).toBe(200)
    expect((await post(caller, '/v1/payments/fund', { amount: 5077 }, { headers })).status).toBe(200)
  })

  it.each(['tn_sandbox_p1', 'tn_sandbox_nobody', '', 'TN', 'p1', 'constructor'])(
    'of "%s" is PARTNER_MISMATCH for another partner, wherever one is authenticated',
    async (tenant) => {
      const caller = newCaller(gateway)
      const headers = { 'x-tenant-id': tenant }
      expectProblem(await get(caller, '/portal/usage', { headers }), 'PARTNER_MISMATCH')
      expectProblem(await get(caller, '/openapi.json', { headers }), 'PARTNER_MISMATCH')
      const paid = await post(caller, '/v1/payments/fund', { amount: 5077 }, { headers })
      expectProblem(paid, 'PARTNER_MISMATCH')
    },
  )

  it('is compared exactly: other case and surroundings are a mismatch', async () => {
    const caller = newCaller(gateway)
    for (const tenant of [caller.partner.tenant.toUpperCase(), `${caller.partner.tenant}x`]) {
      const refused = await get(caller, '/portal/usage', { headers: { 'x-tenant-id': tenant } })
      expectProblem(refused, 'PARTNER_MISMATCH')
    }
  })

  it('is not judged where nobody is authenticated', async () => {
    const answer = await get(newCaller(gateway), '/openapi.json', {
      token: null,
      headers: { 'x-tenant-id': 'tn_sandbox_nobody' },
    })
    expect(answer.status).toBe(200)
  })
})
