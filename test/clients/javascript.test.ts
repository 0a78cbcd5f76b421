import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { ClientCredentials } from 'simple-oauth2'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { ALL_SCOPES, partner, secretOf } from '../support/partners.ts'

/*
 * Unmodified client libraries against a running gateway. The names of these tests, `LIBRARY: what works`, are the
 * rows of docs/reference/clients.md.
 */

let gateway: Gateway
const client = partner('clients')
const second = 'key_second-key_2'

beforeAll(async () => {
  gateway = await startGateway({
    partners: [{ ...client, moreKeys: [{ id: second, scopes: ['payments:write'] }] }],
    config: { rateLimits: { groups: { token: 1000 } } },
  })
})

async function expectToken(token: string | undefined, scope = ALL_SCOPES.join(' ')): Promise<void> {
  const payload = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString())
  expect(payload.scope).toBe(scope)
  const response = await fetch(`${gateway.url}/v1/webhooks/ip-ranges`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(response.status).toBe(200)
}

describe('openid-client', () => {
  const discover = (clientId: string, authentication: openid.ClientAuth) =>
    openid.discovery(new URL(gateway.url), clientId, undefined, authentication, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    })

  it('openid-client: discovery, then the credentials in HTTP Basic, percent-encoded', async () => {
    const configuration = await discover(client.keyId, openid.ClientSecretBasic(client.secret))
    const tokens = await openid.clientCredentialsGrant(configuration)
    await expectToken(tokens.access_token)
    expect(tokens.expires_in).toBe(3600)
    expect(tokens.token_type).toBe('bearer')
  })

  it('openid-client: credentials in the body, and a narrower scope', async () => {
    const configuration = await discover(client.keyId, openid.ClientSecretPost(client.secret))
    const tokens = await openid.clientCredentialsGrant(configuration, { scope: 'payments:write' })
    await expectToken(tokens.access_token, 'payments:write')
  })

  it('openid-client: a wrong secret is reported as invalid_client', async () => {
    const configuration = await discover(client.keyId, openid.ClientSecretPost('wrong'))
    await expect(openid.clientCredentialsGrant(configuration)).rejects.toMatchObject({
      error: 'invalid_client',
      status: 401,
    })
  })
})

describe('oauth4webapi', () => {
  const options = { [oauth.allowInsecureRequests]: true }
  const grant = async (authentication: oauth.ClientAuth, parameters: Record<string, string>) => {
    const issuer = new URL(gateway.url)
    const discovered = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
    const server = await oauth.processDiscoveryResponse(issuer, discovered)
    const who = { client_id: client.keyId }
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      who,
      authentication,
      parameters,
      options,
    )
    return oauth.processClientCredentialsResponse(server, who, response)
  }

  it('oauth4webapi: discovery, then the credentials in HTTP Basic, percent-encoded', async () => {
    const tokens = await grant(oauth.ClientSecretBasic(client.secret), {})
    await expectToken(tokens.access_token)
  })

  it('oauth4webapi: credentials in the body, with an empty scope', async () => {
    const tokens = await grant(oauth.ClientSecretPost(client.secret), { scope: '' })
    await expectToken(tokens.access_token)
  })

  it('oauth4webapi: a scope that the key does not hold is reported as invalid_scope', async () => {
    await expect(grant(oauth.ClientSecretPost(client.secret), { scope: 'admin' })).rejects.toMatchObject({
      error: 'invalid_scope',
    })
  })
})

describe('simple-oauth2', () => {
  const grant = (
    options: {
      authorizationMethod?: 'header' | 'body'
      bodyFormat?: 'form' | 'json'
      credentialsEncodingMode?: 'strict' | 'loose'
    },
    scope?: string[],
  ) =>
    new ClientCredentials({
      client: { id: client.keyId, secret: client.secret },
      auth: { tokenHost: gateway.url, tokenPath: '/auth/token' },
      options,
    }).getToken(scope ? { scope } : {})

  it('simple-oauth2: HTTP Basic, percent-encoded', async () => {
    const { token } = await grant({ authorizationMethod: 'header' })
    await expectToken(String(token.access_token))
  })

  it('simple-oauth2: HTTP Basic, raw', async () => {
    const { token } = await grant({ authorizationMethod: 'header', credentialsEncodingMode: 'loose' })
    await expectToken(String(token.access_token))
  })

  it('simple-oauth2: credentials in a form, with a list of scopes', async () => {
    const { token } = await grant({ authorizationMethod: 'body' }, ['accounts:read', 'payments:write'])
    await expectToken(String(token.access_token), 'accounts:read payments:write')
  })

  it('simple-oauth2: credentials in JSON', async () => {
    const { token } = await grant({ authorizationMethod: 'body', bodyFormat: 'json' })
    await expectToken(String(token.access_token))
  })
})

describe('fetch', () => {
  const exchange = (init: RequestInit) => fetch(`${gateway.url}/auth/token`, { method: 'POST', ...init })
  const credentials = { client_id: second, client_secret: secretOf(second) }

  it('fetch: JSON with a charset', async () => {
    const headers = { 'content-type': 'application/json; charset=UTF-8' }
    const response = await exchange({ headers, body: JSON.stringify(credentials) })
    expect(response.status).toBe(200)
  })

  it('fetch: a form without a content type', async () => {
    const body = Buffer.from(new URLSearchParams(credentials).toString())
    const response = await exchange({ body })
    expect(response.status).toBe(200)
  })

  it('fetch: HTTP Basic and the same credentials in the body together', async () => {
    const basic = Buffer.from(`${credentials.client_id}:${credentials.client_secret}`).toString('base64')
    const headers = { authorization: `Basic ${basic}` }
    expect((await exchange({ headers, body: new URLSearchParams(credentials) })).status).toBe(200)
    const other = new URLSearchParams({ ...credentials, client_secret: 'another' })
    expect(await (await exchange({ headers, body: other })).json()).toMatchObject({
      error: 'invalid_request',
    })
  })

  it('fetch: unknown parameters are ignored', async () => {
    const body = new URLSearchParams({ ...credentials, audience: 'x', resource: 'y' })
    expect((await exchange({ body })).status).toBe(200)
  })
})
