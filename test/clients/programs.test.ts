import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { ALL_SCOPES, partner } from '../support/partners.ts'

/* Programs and Python libraries as they are installed; the names of these tests are rows of docs/reference/clients.md. */

const run = promisify(execFile)
let gateway: Gateway
const client = partner('programs')

beforeAll(async () => {
  gateway = await startGateway({
    partners: [client],
    config: { rateLimits: { groups: { token: 1000 } } },
  })
})

async function curl(...args: string[]): Promise<{ status: number; body: Record<string, unknown> }> {
  const { stdout } = await run('curl', ['-s', '-w', '\n%{http_code}', `${gateway.url}/auth/token`, ...args])
  const at = stdout.lastIndexOf('\n')
  return { status: Number(stdout.slice(at + 1)), body: JSON.parse(stdout.slice(0, at)) }
}

it('curl: -u, HTTP Basic, raw', async () => {
  const { status, body } = await curl(
    '-u',
    `${client.keyId}:${client.secret}`,
    '-d',
    'grant_type=client_credentials',
  )
  expect(status).toBe(200)
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, liveKeyMinted: false })
  expect(body).not.toHaveProperty('refresh_token')
})

it('curl: -d, credentials in a form', async () => {
  const { status } = await curl('-d', `client_id=${client.tenant}`, '-d', `client_secret=${client.secret}`)
  expect(status).toBe(200)
})

it('curl: -F is told to send a form or JSON', async () => {
  const { status, body } = await curl(
    '-F',
    `client_id=${client.keyId}`,
    '-F',
    `client_secret=${client.secret}`,
  )
  expect(status).toBe(415)
  expect(body).toMatchObject({ error: 'invalid_request', code: 'UNSUPPORTED_MEDIA_TYPE' })
  expect(body.error_description).toMatch(/multipart|-d|form-urlencoded/)
})

/** Runs a Python program of the system's interpreter, where Debian's packages are. */
async function python(program: string, env: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const { stdout } = await run('/usr/bin/python3', ['-c', program], {
    env: {
      ...process.env,
      ...env,
      OAUTHLIB_INSECURE_TRANSPORT: '1',
      AUTHLIB_INSECURE_TRANSPORT: '1',
      TOKEN_URL: `${gateway.url}/auth/token`,
      CLIENT_ID: client.keyId,
      CLIENT_SECRET: client.secret,
    },
  })
  return JSON.parse(stdout)
}

const REQUESTS = `
import json, os
from oauthlib.oauth2 import BackendApplicationClient
from requests_oauthlib import OAuth2Session
from requests.auth import HTTPBasicAuth
c, s, u = os.environ['CLIENT_ID'], os.environ['CLIENT_SECRET'], os.environ['TOKEN_URL']
scope = os.environ.get('SCOPE', '').split() or None
session = OAuth2Session(client=BackendApplicationClient(client_id=c, scope=scope))
`

it('requests-oauthlib: HTTP Basic', async () => {
  const token = await python(`${REQUESTS}
print(json.dumps(session.fetch_token(u, auth=HTTPBasicAuth(c, s))))`)
  expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: ALL_SCOPES })
})

it('requests-oauthlib: credentials in the body, and the scope that was asked for', async () => {
  const token = await python(
    `${REQUESTS}
print(json.dumps(session.fetch_token(u, client_id=c, client_secret=s, include_client_id=True)))`,
    { SCOPE: 'payments:write' },
  )
  expect(token).toMatchObject({ scope: ['payments:write'] })
})

const AUTHLIB = `
import json, os
from authlib.integrations.requests_client import OAuth2Session
c, s, u = os.environ['CLIENT_ID'], os.environ['CLIENT_SECRET'], os.environ['TOKEN_URL']
session = OAuth2Session(c, s, token_endpoint_auth_method=os.environ['METHOD'])
print(json.dumps(session.fetch_token(u, grant_type='client_credentials')))
`

it('Authlib: HTTP Basic', async () => {
  expect(await python(AUTHLIB, { METHOD: 'client_secret_basic' })).toMatchObject({ expires_in: 3600 })
})

it('Authlib: credentials in the body', async () => {
  expect(await python(AUTHLIB, { METHOD: 'client_secret_post' })).toMatchObject({ expires_in: 3600 })
})
