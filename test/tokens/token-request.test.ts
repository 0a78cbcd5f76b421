import { describe, expect, it } from 'vitest'
import { SCOPES } from '../../src/config/contract.ts'
import { refuse } from '../../src/errors/refusal.ts'
import { createRegistry } from '../../src/tokens/registry.ts'
import {
  judgeTokenRequest,
  proveClient,
  type ReadTokenRequest,
  readTokenRequest,
  type TokenRequest,
  tokenProblem,
  tokenResponse,
} from '../../src/tokens/token-request.ts'
import { alpha, beta, keyIdOf, parseJson, SECRET } from './fixtures.ts'

const FORM = 'application/x-www-form-urlencoded'
const registry = createRegistry([alpha, beta])
const good = `client_id=key_alpha&client_secret=${SECRET}`
const basicOf = (text: string | Buffer) => `Basic ${Buffer.from(text).toString('base64')}`
const basic = basicOf(`key_alpha:${SECRET}`)

function read(
  body: string | Buffer,
  contentType: string | undefined = FORM,
  authorization?: string,
): ReadTokenRequest {
  return readTokenRequest({ contentType, authorization, body: Buffer.from(body) }, parseJson)
}
const readJson = (value: unknown) => read(JSON.stringify(value), 'application/json')

function requestOf(result: ReadTokenRequest): TokenRequest {
  if (!result.ok) throw new Error(`refused: ${result.refusal.code} ${result.refusal.detail}`)
  return result.request
}
function refusalOf(result: { ok: true } | { ok: false; refusal: ReturnType<typeof refuse> }) {
  if (result.ok) throw new Error('not refused')
  return result.refusal
}
const provenBy = (result: ReadTokenRequest) => keyIdOf(proveClient(requestOf(result), registry))

function judge(body: string, authorization?: string) {
  const request = requestOf(read(body, FORM, authorization))
  return judgeTokenRequest(request, proveClient(request, registry))
}

describe('credentials in the body', () => {
  it.each([
    ['a form', good, FORM],
    ['a form with a charset', good, `${FORM}; charset=utf-8`],
    ['a form in capitals', good, 'Application/X-WWW-Form-Urlencoded ;charset=ISO-8859-1'],
    ['no content type', good, undefined],
    ['an empty content type', good, ''],
    ['a percent-encoded form', `client_id=key%5Falpha&client_secret=${SECRET.replaceAll('_', '%5F')}`, FORM],
    ['stray ampersands', `&&${good}&`, FORM],
    ['JSON', JSON.stringify({ client_id: 'key_alpha', client_secret: SECRET }), 'application/json'],
    [
      'JSON with a charset',
      JSON.stringify({ client_id: 'key_alpha', client_secret: SECRET }),
      'application/json;charset=UTF-8',
    ],
  ])('are read from %s', (_, body, contentType) => {
    const result = readTokenRequest(
      { contentType, authorization: undefined, body: Buffer.from(body) },
      parseJson,
    )
    expect(provenBy(result)).toBe('key_alpha')
  })

  it('stand beside unknown parameters, which are ignored', () => {
    expect(requestOf(read(`${good}&audience=x&__proto__=y&constructor=z`))).toEqual({
      clientId: 'key_alpha',
      clientSecret: SECRET,
      usedBasic: false,
    })
    expect(
      provenBy(readJson({ client_id: 'key_alpha', client_secret: SECRET, extra: [1], constructor: null })),
    ).toBe('key_alpha')
  })

  it('are not taken from a prototype', () => {
    const body = '{"__proto__":{"client_id":"key_alpha","client_secret":"x"}}'
    expect(refusalOf(read(body, 'application/json')).code).toBe('INVALID_CLIENT')
  })

  it('stand beside a bearer token, which SDKs put on every request', () => {
    expect(provenBy(read(good, FORM, 'Bearer expired'))).toBe('key_alpha')
  })
})

describe('a token request is INVALID_REQUEST', () => {
  it.each([
    ['with a repeated parameter', `${good}&client_id=key_alpha`, FORM, /more than once: client_id/],
    ['with a repeated unknown parameter', `${good}&a=1&a=2`, FORM, /more than once\.$/],
    ['with a repeated encoded parameter', `${good}&s%63ope=a&scope=a`, FORM, /more than once: scope/],
    [
      'as JSON labelled as a form',
      '{"client_id":"key_alpha"}',
      FORM,
      /labelled as a form: send Content-Type: application\/json/,
    ],
    ['as JSON without a label', ' \n{"client_id":"key_alpha"}', '', /labelled as a form/],
    [
      'as a form labelled as JSON',
      good,
      'application/json',
      /labelled as JSON: send Content-Type: application\/x-www/,
    ],
    ['as broken JSON', '{"client_id":', 'application/json', /not well-formed JSON/],
    ['with a repeated JSON property', '{"scope":"a","sc\\u006fpe":"b"}', 'application/json', /./],
    ['as a JSON list', '[]', 'application/json', /has to be a JSON object/],
    ['as JSON null', 'null', 'application/json', /has to be a JSON object/],
    ['with a number', '{"client_id":1}', 'application/json', /client_id has to be a string/],
    ['with null', '{"client_id":"a","grant_type":null}', 'application/json', /grant_type has to be a string/],
    ['with a list of scopes', '{"scope":["a"]}', 'application/json', /scope has to be a string, with spaces/],
    ['with a NUL', `${good}%00`, FORM, /client_secret contains/],
    ['with a line break', `${good}\n`, FORM, /client_secret contains a line break/],
    ['with a NUL in JSON', '{"client_secret":"\\u0000"}', 'application/json', /client_secret contains/],
    ['with a lone surrogate', '{"client_secret":"\\ud800"}', 'application/json', /client_secret contains/],
    ['with a broken escape', `${good}%zz`, FORM, /not form-encoded/],
    ['with an escape that is not UTF-8', `${good}%ff`, FORM, /not form-encoded/],
    ['with a long client_id', `client_id=${'x'.repeat(513)}&client_secret=y`, FORM, /at most 512/],
    ['with a long client_secret', `client_id=x&client_secret=${'y'.repeat(513)}`, FORM, /at most 512/],
  ])('%s', (_, body, contentType, detail) => {
    const refusal = refusalOf(read(body, contentType))
    expect(refusal.code).toBe('INVALID_REQUEST')
    expect(refusal.detail).toMatch(detail)
  })

  it('with bytes that are not UTF-8', () => {
    expect(refusalOf(read(Buffer.from([...Buffer.from(good), 0xff]))).detail).toBe(
      'The body is not valid UTF-8.',
    )
  })

  it.each([
    ['another client_id', 'client_id=key_beta'],
    ['another client_secret', `client_id=key_alpha&client_secret=other`],
    ['another name of the same key', `client_id=tn_sandbox_alpha&client_secret=${SECRET}`],
  ])('with HTTP Basic and %s in the body', (_, body) => {
    const result = read(body, FORM, basic)
    expect(refusalOf(result)).toMatchObject({
      code: 'INVALID_REQUEST',
      detail: expect.stringMatching(/different/),
    })
    expect(result).toMatchObject({ usedBasic: true, namedClient: 'key_alpha' })
  })
})

describe('a media type other than form and JSON', () => {
  it.each([
    'text/plain',
    'application/jsonx',
    'application/vnd.api+json',
    'x',
    'application/json, text/plain',
  ])('is unsupported: %s', (contentType) => {
    expect(refusalOf(read(good, contentType)).code).toBe('UNSUPPORTED_MEDIA_TYPE')
  })

  it('tells a user of curl -F what to do', () => {
    const refusal = refusalOf(read('--x', 'multipart/form-data; boundary=x'))
    expect(refusal).toMatchObject({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      detail: expect.stringMatching(/use -d instead of -F/),
    })
  })
})

describe('missing credentials', () => {
  it.each([
    '',
    'grant_type=client_credentials',
    'client_id=key_alpha',
    'client_id=&client_secret=',
    `client_secret=${SECRET}`,
  ])('are INVALID_CLIENT without a challenge, and say what to send: %j', (body) => {
    const refusal = refusalOf(read(body))
    expect(refusal).toEqual(
      refuse('INVALID_CLIENT', 'Send client_id and client_secret in the body or in HTTP Basic.'),
    )
  })

  it('still name the client for counting, unless the name is too long', () => {
    expect(read('client_id=key_alpha')).toMatchObject({ namedClient: 'key_alpha', usedBasic: false })
    expect(read(`client_id=${'x'.repeat(600)}`)).not.toHaveProperty('namedClient')
    expect(read('')).not.toHaveProperty('namedClient')
  })
})

describe('the judgement of an exchange', () => {
  it('gives an unknown client, a wrong secret and a revoked key one answer', () => {
    const bodies = [
      'client_id=key_nobody&client_secret=x',
      'client_id=key_alpha&client_secret=x',
      'client_id=key_revoked&client_secret=sk_sandbox_revoked',
      'client_id=key_beta&client_secret=x&grant_type=password&scope=nothing',
    ]
    const answers = bodies.map((body) => judge(body))
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(refusalOf(judge('client_id=key_alpha&client_secret=x'))).not.toHaveProperty('headers')
    expect(refusalOf(judge('', basicOf('key_alpha:x')))).toMatchObject({
      code: 'INVALID_CLIENT',
      headers: { 'www-authenticate': 'Basic realm="sandgate"' },
    })
  })

  it.each(['', '&grant_type=', '&grant_type=client_credentials'])('takes the grant type %j', (more) => {
    expect(judge(good + more)).toMatchObject({ ok: true })
  })

  it.each(['password', 'authorization_code', 'Client_Credentials', 'client_credentials '])(
    'refuses the grant type %j before it looks at the scope',
    (grantType) => {
      const answer = judge(`${good}&grant_type=${encodeURIComponent(grantType)}&scope=nothing`)
      expect(refusalOf(answer).code).toBe('UNSUPPORTED_GRANT_TYPE')
    },
  )

  const all = ['accounts:read', 'payments:write', 'webhooks:register']
  it.each([
    ['', all],
    ['&scope=', all],
    ['&scope=+++', all],
    ['&scope=payments:write', ['payments:write']],
    ['&scope=webhooks%3Aregister+accounts:read++webhooks:register', ['accounts:read', 'webhooks:register']],
  ])('grants for %j exactly what was asked, once and in the order of the contract', (more, scopes) => {
    expect(judge(good + more)).toEqual({ ok: true, value: scopes })
    expect(SCOPES.filter((scope) => scopes.includes(scope))).toEqual(scopes)
  })

  it.each([
    'kyc:initiate',
    'accounts:read kyc:initiate',
    'accounts:read,payments:write',
    'ACCOUNTS:READ',
    'x'.repeat(5000),
  ])('refuses a scope that the key does not hold and repeats nothing of it: %s', (scope) => {
    const refusal = refusalOf(judge(`${good}&scope=${encodeURIComponent(scope)}`))
    expect(refusal).toEqual(
      refuse('INVALID_SCOPE', `The key does not hold all of the scope. It holds: ${all.join(' ')}.`),
    )
  })
})

describe('the answer of the exchange', () => {
  it('has exactly the members of the interface', () => {
    const issued = { token: 'a.b.c', expiresIn: 3600, scopes: ['accounts:read', 'payments:write'] }
    expect(tokenResponse(issued)).toEqual({
      access_token: 'a.b.c',
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'accounts:read payments:write',
      liveKeyMinted: false,
    })
  })

  it.each([
    ['INVALID_CLIENT', 'invalid_client'],
    ['INVALID_REQUEST', 'invalid_request'],
    ['UNSUPPORTED_GRANT_TYPE', 'unsupported_grant_type'],
    ['INVALID_SCOPE', 'invalid_scope'],
    ['PARTNER_MISMATCH', 'invalid_request'],
    ['UNSUPPORTED_MEDIA_TYPE', 'invalid_request'],
    ['BODY_TOO_LARGE', 'invalid_request'],
    ['RATE_LIMITED', 'temporarily_unavailable'],
    ['STORE_UNAVAILABLE', 'temporarily_unavailable'],
    ['DRAINING', 'temporarily_unavailable'],
    ['INTERNAL', 'server_error'],
  ] as const)('to %s says %s beside the code', (code, error) => {
    const problem = tokenProblem(refuse(code, 'Why.'), 'req_1')
    expect(problem).toEqual({ error, error_description: 'Why.', code, requestId: 'req_1' })
  })

  it('describes an error only in the characters that RFC 6749 allows', () => {
    const problem = tokenProblem(refuse('INTERNAL', 'a "b" \\ é\n\u{1F600}~!'), 'req_1')
    expect(problem.error_description).toBe("a 'b' ? ???~!")
    expect(problem.error_description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/)
  })
})
