import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { CATALOGUE, type ErrorCode } from '../../src/errors/catalogue.ts'
import { errorWords } from '../../src/errors/catalogue-fr.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { exchange, get, newCaller, post, type Reply, send, transmit } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectOAuthError, expectProblem } from '../support/problems.ts'
import { rawConnection } from '../support/raw.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ runs: 'here', partners: partners(40) })
})

const FRENCH = { 'accept-language': 'fr-CI,fr;q=0.9,en;q=0.5' }

function expectLanguage({ headers, json }: Reply, language: 'en' | 'fr', code: ErrorCode): void {
  expect(headers['content-language']).toBe(language)
  expect(headers.vary).toBe('Accept-Language')
  const { title, resolution } = errorWords(code, language)
  expect(json.resolution).toBe(resolution)
  if (CATALOGUE[code].kind !== 'decision') expect(json.title).toBe(title)
}

describe('title and resolution of a problem', () => {
  it.each([
    [undefined, 'en'],
    ['*', 'en'],
    ['de, wo', 'en'],
    ['en-GB, fr;q=0.9', 'en'],
    ['fr', 'fr'],
    ['de, fr;q=0.3', 'fr'],
    ['fr;q=nonsense, en;q=0.1', 'en'],
  ] as const)('follow Accept-Language %j: %s', async (accepted, language) => {
    const headers = accepted === undefined ? {} : { 'accept-language': accepted }
    const refused = await get(newCaller(gateway), '/v1/accounts', { token: null, headers })
    expectProblem(refused, 'TOKEN_MISSING')
    expectLanguage(refused, language, 'TOKEN_MISSING')
    // For whoever writes the client.
    expect(refused.json.detail).toBe('The request carries no bearer token.')
  })

  it('are French wherever the refusal comes from: the edge, the checks, the window, the operation', async () => {
    const caller = newCaller(gateway)
    const ask = (method: string, path: string, body?: object) =>
      send(caller, method, path, body, { headers: FRENCH })
    const cases: readonly (readonly [ErrorCode, Promise<Reply>])[] = [
      ['NOT_FOUND', ask('GET', '/v1/nothing')],
      ['METHOD_NOT_ALLOWED', ask('POST', '/v1/accounts', {})],
      ['VALIDATION_FAILED', ask('POST', '/v1/payments/fund', {})],
      ['SCORE_NOT_FOUND', ask('GET', '/v1/score?customerRef=NOBODY')],
      ['ACCOUNT_NOT_FOUND', ask('GET', '/v1/accounts/acc_nothing')],
    ]
    for (const [code, answer] of cases) expectLanguage(await answer, 'fr', code)
    const address = newCaller(gateway)
    let last: Reply | undefined
    for (let i = 0; i < 61; i++)
      last = await get(address, '/v1/credit/simulate?amount=77', { headers: FRENCH, token: null })
    if (last) expectLanguage(last, 'fr', 'RATE_LIMITED')
  })

  it('of what is not read at all are English', async () => {
    const connection = await rawConnection(gateway)
    connection.write('GET / HTTP/1.1\r\nAccept-Language: fr\r\nBroken\r\n\r\n')
    expectLanguage(await connection.next(), 'en', 'BAD_REQUEST')
    connection.socket.destroy()
  })

  it('of the token exchange are none: it stays English', async () => {
    const caller = newCaller(gateway)
    const body = Buffer.from(`client_id=${caller.partner.keyId}&client_secret=wrong`)
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...FRENCH }
    const refused = await transmit(caller, 'POST', '/auth/token', body, headers)
    expectOAuthError(refused, 'invalid_client', 'INVALID_CLIENT')
    expect(refused.headers).not.toHaveProperty('content-language')
    const wrong = await exchange(caller, { client_id: caller.partner.keyId, client_secret: 'wrong' })
    expect(refused.json.error_description).toBe(wrong.json.error_description)
  })
})

describe('the resolution of a decision', () => {
  it.each([
    ['PAYMENT_FAILED', 'POST', '/v1/payments/fund', { amount: 5000 }],
    ['KYC_REJECTED', 'POST', '/v1/kyc/submit', { phone: '+2250000000009' }],
    ['KYB_REJECTED', 'POST', '/v1/kyb/submit', { businessRef: 'B-009' }],
    ['CREDIT_REJECTED', 'POST', '/v1/credit/apply', { customerRef: 'C', amount: 599 }],
    ['CREDIT_REJECTED', 'GET', '/v1/credit/simulate?amount=599', undefined],
  ] as const)('%s of %s %s follows Accept-Language', async (code, method, path, body) => {
    const caller = newCaller(gateway)
    expectLanguage(await send(caller, method, path, body), 'en', code)
    expectLanguage(await send(caller, method, path, body, { headers: FRENCH }), 'fr', code)
  })

  it('of a success is none, so that it has no language', async () => {
    const answer = await post(newCaller(gateway), '/v1/payments/fund', { amount: 77 }, { headers: FRENCH })
    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('content-language')
    expect(answer.headers).not.toHaveProperty('vary')
  })

  it('stays in the language that it was first given in, under its key', async () => {
    for (const [first, again] of [
      [FRENCH, {}],
      [{}, FRENCH],
    ]) {
      const caller = newCaller(gateway)
      const key = randomUUID()
      const told = await post(caller, '/v1/payments/fund', { amount: 5000 }, { key, headers: first ?? {} })
      const replayed = await post(
        caller,
        '/v1/payments/fund',
        { amount: 5000 },
        { key, headers: again ?? {} },
      )
      expect(replayed.headers['idempotency-replayed']).toBe('true')
      expect(replayed.bytes.equals(told.bytes)).toBe(true)
      expect(replayed.headers['content-language']).toBe(told.headers['content-language'])
      expectLanguage(replayed, first === FRENCH ? 'fr' : 'en', 'PAYMENT_FAILED')
    }
  })

  it('stays so for a refusal that the decision itself made', async () => {
    const caller = newCaller(gateway)
    const key = randomUUID()
    const body = { amount: 77, accountId: 'acc_nothing' }
    const told = await post(caller, '/v1/payments/fund', body, { key, headers: FRENCH })
    expectLanguage(told, 'fr', 'ACCOUNT_NOT_FOUND')
    const replayed = await post(caller, '/v1/payments/fund', body, { key })
    expect(replayed.bytes.equals(told.bytes)).toBe(true)
    expectLanguage(replayed, 'fr', 'ACCOUNT_NOT_FOUND')
  })

  it('of a widget session is in the language of whoever reads it', async () => {
    const caller = newCaller(gateway)
    const { sessionId } = (await post(caller, '/v1/kyc/widget/session', {})).json
    const dossier = { sessionId, phone: '+2250000000009' }
    expectLanguage(await post(caller, '/v1/kyc/submit', dossier, { headers: FRENCH }), 'fr', 'KYC_REJECTED')
    expectLanguage(await post(caller, '/v1/kyc/submit', dossier), 'en', 'KYC_REJECTED')
    for (const [language, headers] of [
      ['fr', FRENCH],
      ['en', {}],
    ] as const) {
      const read = await get(caller, `/v1/kyc/widget/session/${sessionId}`, { headers })
      expect(read.headers['content-language']).toBe(language)
      expect(read.json.decision.resolution).toBe(errorWords('KYC_REJECTED', language).resolution)
    }
  })
})
