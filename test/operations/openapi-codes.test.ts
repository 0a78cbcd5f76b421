import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROWS } from '../../src/operations/operations.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { exchange, get, type Reply, token, transmit } from '../support/http.ts'
import {
  type DocumentedOperation,
  type Json,
  type OpenApi,
  type Part,
  readOpenApi,
} from '../support/openapi.ts'
import { partner, secretOf } from '../support/partners.ts'

const PLENTY = 10_000
const caps = ['accounts', 'kyc', 'kyb', 'payments.fund', 'payments.cashout', 'credit']
const client = partner('whole', {
  rateLimits: { 'accounts.open': PLENTY, 'kyc.submit': PLENTY, 'credit.apply': PLENTY, other: PLENTY },
  moreKeys: [{ id: 'key_narrow', scopes: [] }],
})
const capped = partner('capped', {
  caps: caps.map((product) => ({ product, period: 'day', unit: 'calls', limit: 0 })),
})
const limited = partner('limited', {
  rateLimits: Object.fromEntries(
    ['accounts.open', 'kyc.submit', 'payments.fund', 'payments.cashout', 'credit.apply', 'other'].map(
      (group) => [group, 1],
    ),
  ),
})

let gateway: Gateway
/** One in which there is room for next to nothing. */
let tight: Gateway
let openApi: OpenApi
let bearers: { whole: string; narrow: string; capped: string; limited: string; old: string; tight: string }
let session = ''
let addresses = 1

beforeAll(async () => {
  gateway = await startGateway({
    runs: 'here',
    partners: [client, capped, limited],
    config: { rateLimits: { groups: { token: PLENTY } } },
  })
  tight = await startGateway({
    runs: 'here',
    partners: [client],
    config: {
      rateLimits: { groups: { token: 1, 'credit.simulate': 1 } },
      store: { quotas: { answerBytes: 1 } },
    },
  })
  openApi = readOpenApi((await get(gateway, '/openapi.json', { token: null })).json)
  const tokenOf = async (id: string, secret: string) =>
    (await exchange(gateway, { client_id: id, client_secret: secret })).json.access_token as string
  const old = await tokenOf(client.keyId, client.secret)
  await gateway.advance(3601)
  bearers = {
    old,
    whole: await token(gateway),
    narrow: await tokenOf('key_narrow', secretOf('key_narrow')),
    capped: await tokenOf(capped.keyId, capped.secret),
    limited: await tokenOf(limited.keyId, limited.secret),
    tight: await token(tight),
  }
  const opened = await ask(operationOf('kyc.widget.session'))
  session = opened.json.sessionId
  await gateway.advance(901)
})
afterAll(() => Promise.all([gateway.stop(), tight.stop()]))

function operationOf(id: string): DocumentedOperation {
  const found = openApi.operations().find((each) => each.id === id)
  if (!found) throw new Error(`the document has no ${id}`)
  return found
}

const nextAddress = () => `127.0.${1 + (addresses >> 8)}.${addresses++ % 256}`

type Change = {
  readonly from?: string
  /** With a space behind the body: other bytes that say the same. */
  readonly isSpaced?: true
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>
  readonly body?: string
  readonly query?: string
  readonly path?: string
}

/** What the document says is a request of the operation, changed; from an address with windows of its own. */
async function ask(
  { id, method, path, part }: DocumentedOperation,
  change: Change = {},
  at = gateway,
): Promise<Reply> {
  const [media] = Object.values((part.requestBody?.content ?? {}) as Json) as Part[]
  const shown = media && (Object.values(media.examples)[0] as Part).value
  const own = { client_id: client.keyId, client_secret: client.secret }
  const query = (part.parameters as Part[])
    .map((each) => openApi.resolved(each, '')[0])
    .filter((each) => each.in === 'query' && each.required)
    .map((each) => `${each.name}=${encodeURIComponent(each.example)}`)
  const body = change.body ?? (shown && JSON.stringify(id === 'auth.token' ? own : shown))
  const headers: Record<string, string | string[] | undefined> = {
    authorization: id === 'auth.token' ? undefined : `Bearer ${bearers.whole}`,
    'idempotency-key': method === 'POST' ? randomUUID() : undefined,
    'content-type': body === undefined ? undefined : 'application/json',
    ...change.headers,
  }
  const sent = Object.entries(headers).filter(
    (pair): pair is [string, string | string[]] => pair[1] !== undefined,
  )
  return transmit(
    { gateway: at, partner: client, from: change.from ?? nextAddress() },
    method,
    `${(change.path ?? path).replaceAll(/\{[A-Za-z]+\}/g, 'acc_0')}${change.query ?? (query.length ? `?${query.join('&')}` : '')}`,
    body === undefined ? null : Buffer.from(change.isSpaced ? `${body} ` : body),
    Object.fromEntries(sent),
  )
}

/** A request for each code that a client can bring about by what it sends. */
const PROVOKED: Readonly<Record<string, (operation: DocumentedOperation) => Promise<Reply>>> = {
  BAD_REQUEST: (one) => ask(one, { headers: { 'x-tenant-id': ['a', 'b'] } }),
  HEADERS_TOO_LARGE: (one) => ask(one, { headers: { 'x-filler': 'x'.repeat(40_000) } }),
  TOKEN_MISSING: (one) => ask(one, { headers: { authorization: undefined } }),
  TOKEN_INVALID: (one) => ask(one, { headers: { authorization: 'Bearer x' } }),
  TOKEN_EXPIRED: (one) => ask(one, { headers: { authorization: `Bearer ${bearers.old}` } }),
  PARTNER_MISMATCH: (one) => ask(one, { headers: { 'x-tenant-id': 'tn_sandbox_other' } }),
  INSUFFICIENT_SCOPE: (one) => ask(one, { headers: { authorization: `Bearer ${bearers.narrow}` } }),
  IDEMPOTENCY_KEY_REQUIRED: (one) => ask(one, { headers: { 'idempotency-key': undefined } }),
  IDEMPOTENCY_KEY_INVALID: (one) => ask(one, { headers: { 'idempotency-key': 'x' } }),
  BODY_TOO_LARGE: (one) => ask(one, { body: ' '.repeat(70_000) }),
  UNSUPPORTED_MEDIA_TYPE: (one) => ask(one, { headers: { 'content-type': 'text/csv' } }),
  MALFORMED_BODY: (one) => ask(one, { body: '{' }),
  VALIDATION_FAILED: (one) => ask(one, { query: '?unknown=1' }),
  RATE_LIMITED: async (one) => {
    if (one.id === 'auth.token') return ask(one, {}, tight)
    const from = nextAddress()
    if (one.id === 'credit.simulate') {
      const own = { from, headers: { authorization: `Bearer ${bearers.tight}` } }
      await ask(one, own, tight)
      return ask(one, own, tight)
    }
    const headers = { authorization: `Bearer ${bearers.limited}` }
    await ask(one, { headers })
    return ask(one, { headers: { ...headers, 'idempotency-key': randomUUID() } })
  },
  IDEMPOTENCY_KEY_REUSED: async (one) => {
    const headers = { 'idempotency-key': randomUUID() }
    await ask(one, { headers })
    return ask(one, { headers, isSpaced: true })
  },
  PARTNER_LIMIT_EXCEEDED: (one) => ask(one, { headers: { authorization: `Bearer ${bearers.capped}` } }),
  INVALID_CLIENT: (one) => ask(one, { body: '{"client_id":"x","client_secret":"y"}' }),
  INVALID_REQUEST: (one) => ask(one, { body: '{"client_id":1}' }),
  UNSUPPORTED_GRANT_TYPE: (one) => ask(one, { body: granting({ grant_type: 'password' }) }),
  INVALID_SCOPE: (one) => ask(one, { body: granting({ scope: 'everything' }) }),
  STORAGE_QUOTA_EXCEEDED: (one) => ask(one, { headers: { authorization: `Bearer ${bearers.tight}` } }, tight),
  ACCOUNT_NOT_FOUND: (one) =>
    ask(one, { ...(one.part.requestBody && { body: '{"amount":5077,"accountId":"acc_0"}' }) }),
  KYC_SESSION_NOT_FOUND: (one) => ask(one, { ...(one.part.requestBody && { body: dossier('kws_0') }) }),
  KYC_SESSION_EXPIRED: (one) =>
    ask(
      one,
      one.part.requestBody ? { body: dossier(session) } : { path: one.path.replace(/\{.*\}/, session) },
    ),
  SCORE_NOT_FOUND: (one) => ask(one, { query: '?customerRef=CUS-nobody' }),
  WEBHOOK_NOT_FOUND: (one) => ask(one),
}

const granting = (more: object) =>
  JSON.stringify({ client_id: client.keyId, client_secret: client.secret, ...more })
const dossier = (sessionId: string) => JSON.stringify({ phone: '+2250700000001', sessionId })

/** What takes time, a fault, or a wire of its own; every operation that reads the same answers it. */
const UNPROVOKED = [
  ...['EXPECTATION_FAILED', 'REQUEST_TIMEOUT', 'TOO_MANY_UNFINISHED', 'IDEMPOTENCY_IN_PROGRESS'],
  ...['INTERNAL', 'STORE_UNAVAILABLE', 'OVERLOADED', 'DRAINING'],
]

describe('a code that the document lists for an operation', () => {
  it.each(ROWS.map(({ id }) => id))('is answered by it, as the document says: %s', async (id) => {
    const operation = operationOf(id)
    const listed = openApi.codesOf(operation).filter((code) => !UNPROVOKED.includes(code))
    expect(listed.length).toBeGreaterThan(5)
    const wrong: string[] = []
    for (const code of listed) {
      const reply = await PROVOKED[code]?.(operation)
      if (reply?.json?.code !== code) wrong.push(`${code}: ${reply?.status} ${reply?.json?.code}`)
      if (reply) wrong.push(...openApi.undescribed(operation, reply))
    }
    expect(wrong).toEqual([])
  })
})

describe('an example', () => {
  it('is as long as what the gateway makes', async () => {
    const made: Record<string, number> = {}
    const shown: Record<string, number> = {}
    for (const operation of openApi.operations()) {
      const reply = await ask(operation)
      const { status } = operation.part.responses[reply.status] ? reply : { status: 0 }
      const [response] = openApi.resolved(operation.part.responses[status], '')
      const [media] = Object.values((response?.content ?? {}) as Json) as Part[]
      if (reply.status >= 300 || !media) continue
      const [example] = Object.values(media.examples) as Part[]
      for (const [name, value] of Object.entries(example.value as Json)) {
        if (typeof value !== 'string' || !/Id$|^access_token$/.test(name) || reply.json[name] === undefined)
          continue
        // A token names its issuer, and a session its partner.
        const own = (text: string) => text.length - (/-(whole|demo)$/.exec(text)?.[1]?.length ?? 0)
        made[`${operation.id} ${name}`] = Math.round(
          own(reply.json[name]) / (name === 'access_token' ? 100 : 1),
        )
        shown[`${operation.id} ${name}`] = Math.round(own(value) / (name === 'access_token' ? 100 : 1))
      }
      made[`${operation.id} request`] = reply.headers['x-request-id']?.length ?? 0
      shown[`${operation.id} request`] = openApi.resolved(
        { $ref: '#/components/headers/X-Request-Id' },
        '',
      )[0].example.length
    }
    expect(Object.keys(made).length).toBeGreaterThan(15)
    expect(shown).toEqual(made)
  })
})

describe('the document of a gateway', () => {
  it('says what its configuration makes of the operations', async () => {
    const other = await startGateway({
      runs: 'here',
      config: {
        credit: { simulateAuth: 'none' },
        idempotency: { tokenExchange: 'required' },
        decisions: { operations: { 'payments.fund': 'upstream' } },
        upstream: { url: 'http://127.0.0.1:9' },
      },
    })
    const { json } = await get(other, '/openapi.json', { token: null })
    const own = readOpenApi(json)
    const codes = Object.fromEntries(own.operations().map((each) => [each.id, own.codesOf(each)]))
    expect(codes['auth.token']).toEqual(expect.arrayContaining(['IDEMPOTENCY_KEY_REQUIRED']))
    expect(codes['payments.fund']).toContain('UPSTREAM_TIMEOUT')
    expect(codes['payments.cashout']).not.toContain('UPSTREAM_TIMEOUT')
    expect(codes['credit.simulate']).not.toContain('TOKEN_MISSING')
    expect(json.paths['/v1/credit/simulate'].get.security).toEqual([{ OAuth2: [] }, {}])
    expect(json.paths['/auth/token'].post.parameters).toContainEqual({
      $ref: '#/components/parameters/IdempotencyKey',
    })
    expect((await exchange(other, { client_id: 'x', client_secret: 'y' })).json.code).toBe('INVALID_CLIENT')
    await other.stop()
  })
})
