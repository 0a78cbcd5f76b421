import { createPublicKey } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { callerFor, get, newCaller, send } from '../support/http.ts'
import { partner, partners } from '../support/partners.ts'
import { DECISION_CODES, expectCommonHeaders, expectProblem, STATUS } from '../support/problems.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ runs: 'here', partners: partners(20) })
})

const open = (path: string) => get(newCaller(gateway), path, { token: null })

it('the JWKS has public RSA keys for signing, and may be cached for five minutes', async () => {
  const answer = await open('/.well-known/jwks.json')
  expect(answer.status).toBe(200)
  expectCommonHeaders(answer)
  expect(answer.headers['cache-control']).toBe('max-age=300')
  expect(answer.json.keys.length).toBeGreaterThan(0)
  for (const key of answer.json.keys) {
    expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
    expect(key).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' })
    expect(
      createPublicKey({ key, format: 'jwk' }).asymmetricKeyDetails?.modulusLength,
    ).toBeGreaterThanOrEqual(2048)
  }
})

it('the authorization server metadata names the token endpoint and what it takes', async () => {
  const answer = await open('/.well-known/oauth-authorization-server')
  expect(answer.status).toBe(200)
  expectCommonHeaders(answer)
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.json).toMatchObject({
    issuer: gateway.url,
    token_endpoint: `${gateway.url}/auth/token`,
    jwks_uri: `${gateway.url}/.well-known/jwks.json`,
    scopes_supported: [
      'accounts:read',
      'accounts:write',
      'kyc:initiate',
      'payments:write',
      'webhooks:register',
    ],
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  })
})

it('the OpenAPI document describes every operation at its path', async () => {
  const answer = await open('/openapi.json')
  expect(answer.status).toBe(200)
  expectCommonHeaders(answer)
  expect(answer.json.openapi).toMatch(/^3\.1/)
  const described = Object.entries(answer.json.paths).flatMap(([path, item]) =>
    Object.keys(item as object)
      .filter((key) => key === 'get' || key === 'post')
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described).toEqual(
    expect.arrayContaining([
      'POST /auth/token',
      'POST /v1/accounts/open',
      'GET /v1/accounts',
      'GET /v1/accounts/{accountId}',
      'POST /v1/kyc/submit',
      'POST /v1/kyc/widget/session',
      'GET /v1/kyc/widget/session/{sessionId}',
      'POST /v1/kyb/submit',
      'POST /v1/payments/fund',
      'POST /v1/payments/cashout',
      'GET /v1/credit/simulate',
      'POST /v1/credit/apply',
      'GET /v1/score',
      'POST /v1/webhooks',
      'GET /v1/webhooks',
      'GET /v1/webhooks/{webhookId}',
      'GET /v1/webhooks/ip-ranges',
      'GET /portal/usage',
    ]),
  )
})

it('the reference under /docs is a page that needs nothing from elsewhere', async () => {
  const answer = await open('/docs')
  expect(answer.status).toBe(200)
  expectCommonHeaders(answer)
  expect(answer.headers['content-type']).toMatch(/^text\/html/)
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
  expect(answer.bytes.toString()).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
})

describe('/docs/errors/{code}', () => {
  const codes = [...Object.keys(STATUS), ...DECISION_CODES]

  it.each(codes)('explains %s', async (code) => {
    // A window for each, so that this file does not run into the limit of one address.
    const answer = await get({ ...newCallerAt(), from: gateway.nextAddress() }, `/docs/errors/${code}`, {
      token: null,
    })
    expect(answer.status).toBe(200)
    expectCommonHeaders(answer)
    expect(answer.headers['content-type']).toMatch(/^text\/html/)
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    const text = answer.bytes.toString()
    expect(text).toContain(code)
    const status = STATUS[code as keyof typeof STATUS] ?? 200
    expect(text).toContain(String(status))
  })

  it.each(['NOPE', 'rate_limited', 'constructor', '__proto__', 'toString'])(
    'does not know %s',
    async (code) => {
      const caller = newCallerAt()
      expectProblem(await get(caller, `/docs/errors/${code}`, { token: null }), 'NOT_FOUND')
    },
  )
})

function newCallerAt() {
  return callerFor(gateway, partner('nobody'))
}

it('the documents take GET and HEAD alone, and are counted per client IP in other', async () => {
  const caller = newCallerAt()
  const paths = ['/.well-known/jwks.json', '/.well-known/oauth-authorization-server', '/openapi.json']
  let left = 300
  for (const path of paths) {
    const head = await send(caller, 'HEAD', path, undefined, { token: null })
    expect(head.status).toBe(200)
    expect(head.bytes).toHaveLength(0)
    expect(head.headers['x-ratelimit-remaining']).toBe(String(--left))
    const refused = await send(caller, 'POST', path, {}, { token: null })
    expectProblem(refused, 'METHOD_NOT_ALLOWED')
    expect(refused.headers.allow).toBe('GET, HEAD')
    expect(refused.headers['x-ratelimit-remaining']).toBe(String(--left))
  }
})

it('with a public URL every link is made from it, and from nothing else', async () => {
  const publicUrl = 'http://127.0.0.1:9'
  const other = await startGateway({ config: { listen: { publicUrl } }, runs: 'here' })
  const { json } = await get(other, '/.well-known/oauth-authorization-server', { token: null })
  expect(json).toMatchObject({ issuer: publicUrl, token_endpoint: `${publicUrl}/auth/token` })
  const missing = await get(other, '/v1/nowhere', { headers: { 'x-forwarded-host': 'evil.example' } })
  expect(missing.json.type).toBe(`${publicUrl}/docs/errors/NOT_FOUND`)
  await other.stop()
})
