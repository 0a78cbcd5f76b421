import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalJWKSet, exportJWK, jwtVerify, SignJWT } from 'jose'
import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import { anyKeyPair } from '../support/key-pairs.ts'
import { endAfterEachTest, startFront, temporaryDirectory } from './front.ts'
import { answer, paid, scripted } from './scripted.ts'

endAfterEachTest()

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const TYPE = 'sandgate-assertion+jwt'

describe('an assertion', () => {
  it('names partner, tenant and scopes for this upstream alone, for a minute, and verifies by our JWKS', async () => {
    const { url, requests } = await scripted((socket) => socket.write(paid))
    const front = await startFront(url)
    await front.pay(randomUUID(), undefined, { 'x-tenant-id': 'tn_sandbox_demo' })
    const [received] = requests
    const [authorization = ''] = received?.header('authorization') ?? []
    const jwks = (await (await fetch(`${front.url}/.well-known/jwks.json`)).json()) as { keys: [] }
    const { payload, protectedHeader } = await jwtVerify(authorization.slice(7), createLocalJWKSet(jwks), {
      ...{ issuer: front.url, audience: url, typ: TYPE },
    })
    expect(protectedHeader.alg).toBe('RS256')
    expect(payload).toMatchObject({ sub: 'demo', tenant: 'tn_sandbox_demo' })
    expect(String(payload.scope).split(' ')).toContain('payments:write')
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60)
    expect(Math.abs((payload.iat ?? 0) - Date.now() / 1000)).toBeLessThan(30)
    expect(payload.jti).toMatch(/.{16}/)
    expect(received?.header('x-tenant-id')).toEqual(['tn_sandbox_demo'])
  })

  it('goes by the system’s clock when the gateway’s own has been moved', async () => {
    const { url, requests } = await scripted((socket) => socket.write(answer(200, '{}')))
    const front = await startFront(url, { settings: { 'clock.controllable': true } })
    await fetch(`${front.gateway.operatorUrl}/clock`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ advanceSeconds: 1800 }),
    })
    await front.get()
    const [authorization = ''] = requests[0]?.header('authorization') ?? []
    const { exp } = JSON.parse(Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString())
    expect(exp).toBeLessThan(Date.now() / 1000 + 90)
  })
})

describe('a gateway that trusts the one in front', async () => {
  const { privateKey, publicKey } = await anyKeyPair()
  const { privateKey: other } = await anyKeyPair()
  const ISSUER = 'https://front.example.com'
  const AUDIENCE = 'https://behind.example.com'

  async function start(more: object = {}) {
    const { kty, n, e } = await exportJWK(publicKey)
    const keys = [{ kty, n, e, kid: 'k1' }]
    const behind = await startFront('http://127.0.0.1:9', {
      settings: {
        'decisions.from': 'simulator',
        'tokens.trustedIssuers': [{ issuer: ISSUER, keys, ...more }],
        'tokens.assertionAudiences': [AUDIENCE],
      },
    })
    return {
      url: behind.url,
      ask: async (
        claims: Readonly<Record<string, unknown>> = {},
        { typ = TYPE, kid = 'k1', key = privateKey, headers = {} as Record<string, string> } = {},
      ) => {
        const now = Math.floor(Date.now() / 1000)
        const token = await new SignJWT({
          ...{ iss: ISSUER, aud: AUDIENCE, sub: 'demo', tenant: 'tn_sandbox_demo', scope: 'accounts:read' },
          ...{ iat: now, exp: now + 60, jti: randomUUID() },
          ...claims,
        })
          .setProtectedHeader({ alg: 'RS256', kid, typ })
          .sign(key)
        const response = await request(`${behind.url}/v1/accounts`, {
          headers: { authorization: `Bearer ${token}`, ...headers },
        })
        const { code } = (await response.body.json()) as { code?: string }
        return { status: response.statusCode, code, headers: response.headers }
      },
    }
  }

  it('takes its assertion for the partner that it names, with the scopes that both give', async () => {
    const { ask } = await start()
    expect(await ask()).toMatchObject({ status: 200 })
    expect(await ask({ scope: 'payments:write' })).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' })
  })

  it('takes it under each of its names: configured, public and bound', async () => {
    const { ask, url } = await start()
    expect(await ask({ aud: url })).toMatchObject({ status: 200 })
    expect(await ask({ aud: [AUDIENCE] })).toMatchObject({ status: 200 })
  })

  const now = Math.floor(Date.now() / 1000)
  it.each<[string, Readonly<Record<string, unknown>>, object?]>([
    ['of an issuer that is not trusted', { iss: 'https://evil.example.com' }],
    ['for somebody else', { aud: 'https://other.example.com' }],
    ['for a partner that is not configured', { sub: 'nobody' }],
    ['for another tenant than the partner has', { tenant: 'tn_sandbox_other' }],
    ['without a tenant', { tenant: undefined }],
    ['without an identifier', { jti: undefined }],
    ['without an end', { exp: undefined }],
    ['that has ended', { iat: now - 120, exp: now - 60 }],
    ['that is older than a minute, whatever it says of its end', { iat: now - 90, exp: now + 3600 }],
    ['from the future', { iat: now + 3600, exp: now + 3660 }],
    ['of another type', {}, { typ: 'at+jwt' }],
    ['of no type', {}, { typ: 'JWT' }],
    ['signed with another key', {}, { key: other }],
    ['that names another key', {}, { kid: 'k2' }],
  ])('refuses one %s', async (_, claims, how) => {
    const { ask } = await start()
    expect((await ask(claims, how)).status).toBe(401)
  })

  it('goes on with the request id of the gateway in front', async () => {
    const { ask } = await start()
    const { headers } = await ask({}, { headers: { 'x-request-id': 'req_of-the-gateway-in-front' } })
    expect(headers['x-request-id']).toBe('req_of-the-gateway-in-front')
  })

  it('counts its requests as the partner’s, or not again where it says so', async () => {
    const counted = await start()
    expect((await counted.ask()).headers['x-ratelimit-limit']).toBe('300')
    const skipped = await start({ skipLimits: true })
    expect(Number((await skipped.ask()).headers['x-ratelimit-limit'])).toBeGreaterThan(1e9)
  })
})

describe('client credentials', () => {
  const auth = (tokenUrl: string) => ({
    type: 'client-credentials',
    ...{ tokenUrl, clientId: 'gateway', clientSecret: 's3cret of ours', scope: 'all' },
  })
  const granted = (token: string, seconds = 3600) =>
    answer(200, JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: seconds }))

  it('are exchanged once for many that wait, and the token is used until it ends', async () => {
    const issuer = await scripted(
      (socket, _request, n) => void setTimeout(() => socket.write(granted(`t${n}`)), 50),
    )
    const { url, requests } = await scripted((socket) => socket.write(answer(200, '{}')))
    const front = await startFront(url, { upstream: { auth: auth(`${issuer.url}/token`) } })
    await Promise.all(Array.from({ length: 20 }, () => front.get()))
    await front.get()
    expect(issuer.requests).toHaveLength(1)
    expect(issuer.requests[0]?.body).toBe(
      'grant_type=client_credentials&client_id=gateway&client_secret=s3cret+of+ours&scope=all',
    )
    expect(new Set(requests.flatMap((each) => each.header('authorization')))).toEqual(new Set(['Bearer t0']))
  })

  it('are renewed, and the request is sent once more, after a 401', async () => {
    const issuer = await scripted((socket, _request, n) => void socket.write(granted(`t${n}`)))
    const { url, requests } = await scripted((socket, received) =>
      socket.write(received.header('authorization')[0] === 'Bearer t1' ? paid : answer(401)),
    )
    const front = await startFront(url, { upstream: { auth: auth(`${issuer.url}/token`) } })
    expect(await front.pay(randomUUID())).toMatchObject({ status: 200 })
    expect(requests.map((each) => each.header('authorization'))).toEqual([['Bearer t0'], ['Bearer t1']])
  })

  it('that are refused are the operator’s trouble: nothing is sent, and nothing of them is told', async () => {
    const issuer = await scripted((socket) => void socket.write(answer(400, '{"error":"invalid_client"}')))
    const { url, requests } = await scripted((socket) => socket.write(paid))
    const front = await startFront(url, { upstream: { auth: auth(`${issuer.url}/token`) } })
    const told = await front.pay(randomUUID())
    expect(told).toMatchObject({ status: 502, code: 'UPSTREAM_UNAVAILABLE' })
    expect(requests).toHaveLength(0)
    expect(`${told.body}${JSON.stringify(front.log)}`).not.toMatch(/s3cret|invalid_client/)
    expect(await front.spent()).toEqual({ used: 0, reserved: 0 })
  })
})

describe('an upstream that does not see whose a key is', () => {
  const auth = { type: 'header', name: 'X-Api-Key', value: 'k3y' }

  it('gets a key that is made of partner and key, the same after a restart', async () => {
    const { url, requests } = await scripted((socket) => socket.write(answer(500)))
    const key = randomUUID()
    const front = await startFront(url, { upstream: { auth } })
    await front.pay(`"${key.toUpperCase()}"`)
    const again = await startFront(url, { upstream: { auth } })
    await again.pay(key)
    const sent = requests.flatMap((each) => each.header('idempotency-key'))
    expect(sent[0]).toMatch(UUID_V4)
    expect(sent[0]).not.toBe(key)
    expect(sent[1]).toBe(sent[0])
    expect(requests[0]?.header('x-api-key')).toEqual(['k3y'])
    expect(requests[0]?.header('authorization')).toEqual([])
  })
})

describe('a secret in a file', () => {
  it('is read again at a reload, and never shows', async () => {
    const file = join(temporaryDirectory(), 'secret')
    writeFileSync(file, 'first-secret\n')
    const { url, requests } = await scripted((socket) => socket.write(answer(200, '{}')))
    const upstream = { auth: { type: 'header', name: 'X-Api-Key', valueFile: file } }
    const front = await startFront(url, { upstream })
    await front.get()
    writeFileSync(file, 'second-secret\n')
    front.reconfigure({})
    await front.get()
    expect(requests.flatMap((each) => each.header('x-api-key'))).toEqual(['first-secret', 'second-secret'])
    expect(JSON.stringify(front.log)).not.toContain('secret"')
  })
})
