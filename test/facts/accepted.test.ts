import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { exitCode } from '../../src/cassettes/tape/ledger.ts'
import { replay } from '../../src/sandgate.ts'
import { FOREIGN_SCOPES } from './foreign-sandbox.ts'
import type { Sent } from './send.ts'
import { CLIENTS, LENIENT, type Target, targetAt } from './ways.ts'

const [one] = CLIENTS
const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }
const PAYMENT = '{"amount":5077}'
const KEY = 'a key of its own'
const CREDENTIALS = new URLSearchParams({ client_id: one.keyId, client_secret: one.secret }).toString()

type Odd = Omit<Partial<Sent>, 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>
  /** With what this version would refuse it. */
  readonly code: string
  readonly isAnonymous?: true
}

/** What a sandbox may take, and this version does not. */
const ODDITIES: Readonly<Record<string, Odd>> = {
  'a property': { body: '{"amount":5077,"surprise":1}', code: 'VALIDATION_FAILED' },
  'a parameter': { path: '/v1/payments/fund?dry=1', code: 'VALIDATION_FAILED' },
  'a method': { method: 'PUT', code: 'METHOD_NOT_ALLOWED' },
  'a path': { path: '/v2/other', code: 'NOT_FOUND' },
  'a media type': {
    headers: { 'content-type': 'application/xml', 'idempotency-key': KEY },
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  'no media type': { headers: { 'idempotency-key': KEY }, code: 'UNSUPPORTED_MEDIA_TYPE' },
  'a body that is cut': { body: '{"amount":5077', code: 'MALFORMED_BODY' },
  'a body that is long': {
    body: JSON.stringify({ amount: 5077, note: 'x'.repeat(70_000) }),
    code: 'BODY_TOO_LARGE',
  },
  'no key': { headers: JSON_TYPE, code: 'IDEMPOTENCY_KEY_REQUIRED' },
  'another form of key': {
    headers: { ...JSON_TYPE, 'idempotency-key': 'order-7' },
    code: 'IDEMPOTENCY_KEY_INVALID',
  },
  'no token': { isAnonymous: true, code: 'TOKEN_MISSING' },
  'a named outcome': {
    headers: { ...JSON_TYPE, 'idempotency-key': KEY, 'x-sandbox-outcome': 'weird' },
    code: 'VALIDATION_FAILED',
  },
  'credentials in a text': {
    path: '/auth/token',
    headers: { 'content-type': 'text/plain' },
    body: CREDENTIALS,
    isAnonymous: true,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  'a way to be granted a token': {
    path: '/auth/token',
    headers: FORM_TYPE,
    body: `${CREDENTIALS}&grant_type=magic`,
    isAnonymous: true,
    code: 'UNSUPPORTED_GRANT_TYPE',
  },
}

async function login(target: Target): Promise<string> {
  const headers = Object.entries(FORM_TYPE)
  const got = await target.send({ method: 'POST', path: '/auth/token', headers, body: CREDENTIALS })
  return String(got.json.access_token)
}

async function told(target: Target, odd: Odd): Promise<number> {
  const token = await login(target)
  const { method = 'POST', path = '/v1/payments/fund', body = PAYMENT, isAnonymous } = odd
  const own = odd.headers ?? { ...JSON_TYPE, 'idempotency-key': KEY }
  const headers = { ...own, ...(isAnonymous ? {} : { authorization: `Bearer ${token}` }) }
  const lines = Object.entries(headers).map(
    ([name, value]) => [name, value === KEY ? randomUUID() : value] as const,
  )
  return (await target.send({ method, path, headers: lines, body })).status
}

describe('what the recorded sandbox accepted and this version does not', () => {
  it.each(Object.entries(ODDITIES))('is served: %s, and the ledger names it', async (_, odd) => {
    let status = 0
    const file = await LENIENT.record(async (target) => {
      status = await told(target, odd)
    })
    const tape = await replay(file)
    expect(await told(targetAt(tape.url), odd)).toBe(status)
    const ledger = await tape.close()
    expect(exitCode(ledger, { failUnused: true })).toBe(0)
    expect(ledger).toMatchObject({ missed: 0, refused: [] })
    if (status < 400) expect(ledger.overruled).toMatchObject([{ code: odd.code }])
  })

  it('is served: what needs every scope, to a client that never had more', async () => {
    const scopes: string[] = FOREIGN_SCOPES
    expect(scopes).not.toContain('webhooks:register')
    const reset = async (target: Target) => {
      const headers = [['authorization', `Bearer ${await login(target)}`]] as const
      return (await target.send({ method: 'DELETE', path: '/v1/sandbox/data', headers })).status
    }
    let status = 0
    const file = await LENIENT.record(async (target) => {
      status = await reset(target)
    })
    const tape = await replay(file)
    expect(await reset(targetAt(tape.url))).toBe(status)
    expect(exitCode(await tape.close(), { failUnused: true })).toBe(0)
  })
})
