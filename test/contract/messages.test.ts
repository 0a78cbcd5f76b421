import { type KeyObject, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { type Caller, exchange, get, newCaller, post, send, token, transmit } from '../support/http.ts'
import { anyKeyPair } from '../support/key-pairs.ts'
import { partner, partnerConfig, partners } from '../support/partners.ts'
import { expectOAuthError, expectProblem } from '../support/problems.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ runs: 'here', partners: partners(60) })
})

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
const stranger = (await anyKeyPair()).privateKey

function signed(header: object, claims: object, key: KeyObject = stranger): string {
  const text = `${encode(header)}.${encode(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

async function partsOf(caller: Caller) {
  const [head, payload] = (await token(caller)).split('.')
  return { header: decode(head), claims: decode(payload) }
}

describe('TOKEN_INVALID says why', () => {
  type Case = readonly [why: string, make: (caller: Caller) => Promise<string>, told: RegExp]
  const cases: readonly Case[] = [
    ['it is cut short', async (c) => (await token(c)).slice(0, -2), /malformed|does not belong/],
    ['it is no token', async () => 'hello', /malformed: it has to be the access_token/],
    ['it is a sandbox key', async (c) => c.partner.secret, /has a sandbox key: exchange it/],
    ['it is a live key', async () => 'sk_live_51HxCanary', /live key of somebody/],
    [
      'it comes from another service',
      async () => signed({ alg: 'RS256', kid: 'theirs', typ: 'at+jwt' }, { iss: 'https://id.example.org' }),
      /another issuer/,
    ],
    [
      'its key is not published',
      async (c) => {
        const { header, claims } = await partsOf(c)
        return signed({ ...header, kid: 'gone' }, claims)
      },
      /not in \/\.well-known\/jwks\.json/,
    ],
    [
      'its signature is of another key',
      async (c) => {
        const { header, claims } = await partsOf(c)
        return signed(header, claims)
      },
      /does not belong to what it says/,
    ],
    [
      'it is an ID token',
      async (c) => signed({ ...(await partsOf(c)).header, alg: 'HS256' }, {}),
      /another kind/,
    ],
  ]

  it.each(cases)('when %s', async (_why, make, told) => {
    const caller = newCaller(gateway)
    const sent = await make(caller)
    const refused = await get(caller, '/v1/accounts', { token: sent })
    expectProblem(refused, 'TOKEN_INVALID')
    expect(refused.json.detail).toMatch(told)
    const { detail } = refused.json
    expect(refused.headers['www-authenticate']).toBe(
      `Bearer error="invalid_token", error_description="${detail.slice(0, -1)}"`,
    )
    expect(JSON.stringify([refused.json, refused.headers])).not.toContain(sent)
    expect(gateway.logs()).not.toContain(sent)
  })

  it('and that a key is revoked only to whoever has a good signature', async () => {
    const directory = temporaryDirectory('messages')
    const file = join(directory, 'partners.yaml')
    const one = partner('leaving', { moreKeys: [{ id: 'key_other' }] })
    const write = (revoked: boolean) => {
      const config = partnerConfig(one) as { keys: object[] }
      const [first, second] = config.keys
      writeFileSync(file, stringify([{ ...config, keys: [{ ...first, revoked }, second] }]))
    }
    write(false)
    const config = stringify({ log: { format: 'json' }, server: { maxLoopDelayMs: 60_000 }, partners: file })
    const other = await startGateway({ partners: [one], config })
    const caller = newCaller(other)
    const held = await token(caller)
    const { header, claims } = await partsOf(caller)
    write(true)
    await expect.poll(async () => (await get(caller, '/v1/accounts', { token: held })).status).toBe(401)
    const told = await get(caller, '/v1/accounts', { token: held })
    expectProblem(told, 'TOKEN_INVALID')
    expect(told.json.detail).toContain('has been revoked')
    const forged = await get(caller, '/v1/accounts', { token: signed(header, claims) })
    expect(forged.json.detail).not.toContain('revoked')
    await other.stop()
  })
})

describe('TOKEN_MISSING says what the Authorization header has instead', () => {
  it.each([
    [
      'a token without its scheme',
      async (c: Caller) => await token(c),
      /without its scheme: send Authorization: Bearer/,
    ],
    ['a sandbox key', async (c: Caller) => c.partner.secret, /without its scheme/],
    ['HTTP Basic', async () => 'Basic a2V5OnNlY3JldA==', /HTTP Basic, which POST \/auth\/token alone takes/],
    ['a scheme and no token', async () => 'Bearer', /says Bearer and carries no token/],
    ['another scheme', async () => 'Token canary', /another scheme than Bearer/],
  ])('%s', async (_what, make, told) => {
    const caller = newCaller(gateway)
    const authorization = await make(caller)
    const refused = await transmit(caller, 'GET', '/v1/accounts', null, { authorization })
    expectProblem(refused, 'TOKEN_MISSING')
    expect(refused.json.detail).toMatch(told)
    expect(refused.headers['www-authenticate']).toBe('Bearer')
    expect(refused.json.detail).not.toContain('canary')
  })
})

describe('NOT_FOUND names the nearest operation', () => {
  it.each([
    ['POST', '/v1/payment/fund', 'POST /v1/payments/fund'],
    ['POST', '/payments/fund', 'POST /v1/payments/fund'],
    ['POST', '/v2/payments/cashout', 'POST /v1/payments/cashout'],
    ['POST', '/v1/fund', 'POST /v1/payments/fund'],
    ['POST', '/oauth/token', 'POST /auth/token'],
    ['POST', '/token', 'POST /auth/token'],
    ['GET', '/v1/account/acc_canary', 'GET /v1/accounts/{accountId}'],
    ['GET', '/v1/accounts/', 'GET /v1/accounts'],
    ['POST', '/v1/webhook', 'POST /v1/webhooks'],
    ['GET', '/v1/webhook', 'GET /v1/webhooks'],
    ['POST', '/v1/kyb', 'POST /v1/kyb/submit'],
  ])('%s %s', async (method, path, nearest) => {
    const refused = await send(newCaller(gateway), method, path, method === 'POST' ? {} : undefined)
    expectProblem(refused, 'NOT_FOUND')
    expect(refused.json.detail).toBe(`No operation has this path; the nearest is ${nearest}.`)
  })

  it.each(['/v1/canary-and-nothing-else', `/v1/${'a'.repeat(4000)}`, '/'.concat('b/'.repeat(2000), 'c')])(
    'or where all of them are, when none is near',
    async (path) => {
      const refused = await get(newCaller(gateway), path)
      expectProblem(refused, 'NOT_FOUND')
      expect(refused.json.detail).toBe('No operation has this path; /docs lists them all.')
    },
  )
})

describe('a secret that begins with sk_live_', () => {
  it.each(['client_secret', 'client_id'])(
    'is told to look like the live key of somebody, and is never repeated: %s',
    async (name) => {
      const caller = newCaller(gateway)
      const { keyId, secret } = caller.partner
      const fields = { client_id: keyId, client_secret: secret, [name]: 'sk_live_canary51Hx' }
      const refused = await exchange(caller, fields)
      expectOAuthError(refused, 'invalid_client', 'INVALID_CLIENT')
      expect(refused.json.error_description).toMatch(/looks like the live key of somebody/)
      expect(JSON.stringify(refused.json)).not.toContain('canary51Hx')
      expect(gateway.logs()).not.toContain('canary51Hx')
    },
  )

  it('is otherwise answered and counted as any wrong secret is', async () => {
    const answers = []
    for (const secret of ['sk_live_canary51Hx', 'sk_sandbox_wrong']) {
      const caller = newCaller(gateway)
      const fields = { client_id: caller.partner.keyId, client_secret: secret }
      const all = []
      for (let i = 0; i < 11; i++) all.push(await exchange(caller, fields))
      answers.push(all.map(({ status, json }) => [status, json.error, json.code]))
    }
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.at(-1)).toEqual([429, 'temporarily_unavailable', 'RATE_LIMITED'])
  })
})

describe('an event name that production has not', () => {
  const url = 'https://partner.example.com/hooks'

  it('is stored, and the answer that is kept warns of it with the names that there are', async () => {
    const caller = newCaller(gateway)
    const key = '2f1c0b5e-58a5-4e0e-9c35-0b1d1a4f7a11'
    const body = { url, events: ['payment.decided', 'payment.decide', '*', 'nothing.like-it'] }
    const answer = await post(caller, '/v1/webhooks', body, { key })
    expect(answer.status).toBe(201)
    expect(answer.json.events).toEqual(body.events)
    const known = 'account.opened, kyc.decided, kyb.decided, payment.decided, credit.decided'
    expect(answer.json.warnings).toEqual([
      {
        pointer: '#/events/1',
        detail: `Stored, but production sends no such event. Did you mean payment.decided? It sends ${known}.`,
      },
      { pointer: '#/events/3', detail: `Stored, but production sends no such event. It sends ${known}.` },
    ])
    const replayed = await post(caller, '/v1/webhooks', body, { key })
    expect(replayed.headers['idempotency-replayed']).toBe('true')
    expect(replayed.bytes.equals(answer.bytes)).toBe(true)
    const read = await get(caller, `/v1/webhooks/${answer.json.webhookId}`)
    expect(read.json).toEqual({ ...answer.json, warnings: undefined })
  })

  it('is the only thing that is warned of', async () => {
    const answer = await post(newCaller(gateway), '/v1/webhooks', { url, events: ['kyb.decided', '*'] })
    expect(answer.json).not.toHaveProperty('warnings')
  })
})

describe('MALFORMED_BODY says where and what', () => {
  it.each([
    ['{"amount": 5077,}', /at line 1, column 17: expected a property name in double quotes, found }/],
    [
      '{\n  "amount": 5077\n  "phone": "x"\n}',
      /at line 3, column 3: expected a comma or }, found a double quote/,
    ],
    ["{'canary': 1}", /at line 1, column 2: .*found a single quote/],
    ['{"amount":1,"amount":2}', /repeats a property of an object at line 1, column 13/],
  ])('of %j', async (body, told) => {
    const refused = await post(newCaller(gateway), '/v1/payments/fund', body)
    expectProblem(refused, 'MALFORMED_BODY')
    expect(refused.json.detail).toMatch(told)
    expect(refused.json.detail).not.toContain('canary')
  })

  it('to the token exchange too', async () => {
    const caller = newCaller(gateway)
    const body = Buffer.from('{"client_id": canary}')
    const refused = await transmit(caller, 'POST', '/auth/token', body, {
      'content-type': 'application/json',
    })
    expectOAuthError(refused, 'invalid_request', 'INVALID_REQUEST')
    expect(refused.json.error_description).toMatch(/line 1, column 15: expected a value, found the letter c/)
  })
})
