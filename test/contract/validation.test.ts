import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, get, newCaller, post, type Reply } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectProblem } from '../support/problems.ts'

let gateway: Gateway
let caller: Caller
beforeAll(async () => {
  gateway = await startGateway({
    runs: 'here',
    partners: partners(1),
    config: { rateLimits: { groups: { 'accounts.open': 5000, 'kyc.submit': 5000, 'payments.fund': 5000 } } },
  })
  caller = newCaller(gateway)
})

const person = { customerRef: 'C', phone: '+2250700000001', firstName: 'A', lastName: 'B' }
const open = (body: unknown) => post(caller, '/v1/accounts/open', body)
const fund = (body: unknown) => post(caller, '/v1/payments/fund', body)
const pointers = ({ json }: Reply) => json.errors.map(({ pointer }: { pointer: string }) => pointer)

describe('all that is wrong is told at once, by pointer', () => {
  it('missing, mistyped and unknown properties together', async () => {
    const refused = await open({ customerRef: 'a b', phone: 225, lastName: '', extra: 1, 'a/b~c': 2 })
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(pointers(refused).sort()).toEqual(
      ['#/a~1b~0c', '#/customerRef', '#/extra', '#/firstName', '#/lastName', '#/phone'].sort(),
    )
  })

  it('up to fifty, and then how many more', async () => {
    const names = (count: number) => Object.fromEntries([...Array(count).keys()].map((i) => [`x${i}`, 1]))
    const all = await open({ ...person, ...names(50) })
    expect([all.json.errors.length, all.json.errorsNotListed]).toEqual([50, undefined])
    const more = await open({ ...person, ...names(3000), lastName: '' })
    expectProblem(more, 'VALIDATION_FAILED')
    expect([more.json.errors.length, more.json.errorsNotListed]).toEqual([50, 2951])
    expect(more.json.detail).toMatch(/^3001 things .* 2951 more/)
    const query = [...Array(500).keys()].map((i) => `x${i}=1`).join('&')
    const inQuery = await get(caller, `/v1/accounts?${query}`)
    expect([inQuery.json.errors.length, inQuery.json.errorsNotListed]).toEqual([50, 450])
  })

  it.each<[string, string, object, string]>([
    [
      '30000 events',
      '/v1/webhooks',
      { url: 'https://a.example/', events: Array(30_000).fill(1) },
      '#/events',
    ],
    [
      '6000 properties of metadata',
      '/v1/accounts/open',
      { ...person, metadata: Object.fromEntries([...Array(6000).keys()].map((i) => [i, ''])) },
      '#/metadata',
    ],
    [
      'a name of 60000 characters',
      '/v1/accounts/open',
      { ...person, firstName: 'e\u0301'.repeat(20_000) },
      '#/firstName',
    ],
  ])('%s by their number alone', async (_what, path, body, pointer) => {
    const refused = await post(caller, path, body)
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(pointers(refused)).toEqual([pointer])
  })

  it('each property once, with the rule in words and without the value that was sent', async () => {
    const refused = await open({ ...person, phone: '00225 0700000001', email: 'not-an-address' })
    expect(pointers(refused)).toEqual(['#/phone', '#/email'])
    expect(refused.json.errors[0].detail).toContain('+2250700000001')
    expect(refused.bytes.toString()).not.toMatch(/00225 07|not-an-address/)
  })

  it('unknown properties of an object within', async () => {
    const refused = await post(caller, '/v1/kyc/submit', {
      phone: '+2250700000001',
      document: { type: 'id', number: 'C1', issuer: 'x' },
    })
    expect(pointers(refused)).toEqual(['#/document/issuer'])
  })

  it('an unknown query parameter of a POST', async () => {
    const refused = await post(caller, '/v1/payments/fund?dryRun=1', { amount: 0 })
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(refused.json.errors).toEqual([
      { pointer: '#/amount', detail: expect.any(String) },
      { parameter: 'dryRun', detail: expect.any(String) },
    ])
  })

  it('a POST without a body is told what is required', async () => {
    const refused = await open(undefined)
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(pointers(refused).sort()).toEqual(['#/customerRef', '#/firstName', '#/lastName', '#/phone'])
  })
})

describe('what a property takes', () => {
  const fits: [string, unknown][] = [
    ['customerRef', 'a'.repeat(64)],
    ['customerRef', 'A.z_9:-'],
    ['phone', '+1234567'],
    ['phone', '+123456789012345'],
    ['firstName', 'é'.repeat(100)],
    ['firstName', '🦁'],
    ['firstName', "N'Guessan O'Brien-Touré"],
    ['email', 'a@b.co'],
    ['dateOfBirth', '2000-02-29'],
    ['country', 'CI'],
    ['metadata', Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, 'v']))],
    ['metadata', { ['k'.repeat(40)]: 'v'.repeat(500) }],
    ['metadata', { constructor: 'x', toString: 'y' }],
  ]
  it.each(fits)('%s takes %j', async (name, value) => {
    const answer = await open({ ...person, [name]: value })
    expect(answer.status).toBe(201)
    expect(answer.json[name]).toEqual(value)
  })

  const misfits: [string, unknown][] = [
    ['customerRef', ''],
    ['customerRef', 'a'.repeat(65)],
    ['customerRef', 'é'],
    ['customerRef', 'a/b'],
    ['customerRef', 'a\n'],
    ['customerRef', null],
    ['customerRef', 7],
    ['phone', '2250700000001'],
    ['phone', '002250700000001'],
    ['phone', '+0250700000001'],
    ['phone', '+225 0700000001'],
    ['phone', '+123456'],
    ['phone', '+1234567890123456'],
    ['phone', '+225٠٧٠٠٠٠٠٠٠١'],
    ['firstName', 'a'.repeat(101)],
    ['firstName', true],
    ['email', 'a'],
    ['email', 'a@b'],
    ['email', 'a b@c.co'],
    ['email', `a@${'b'.repeat(250)}.co`],
    ['dateOfBirth', '2001-02-29'],
    ['dateOfBirth', '2001-2-3'],
    ['dateOfBirth', '01/02/2001'],
    ['dateOfBirth', '2001-02-03T00:00:00Z'],
    ['dateOfBirth', '9999-01-01'],
    ['country', 'ci'],
    ['country', 'CIV'],
    ['country', 'XX'],
    ['metadata', Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, 'v']))],
    ['metadata', { ['k'.repeat(41)]: 'v' }],
    ['metadata', { '': 'v' }],
    ['metadata', { k: 'v'.repeat(501) }],
    ['metadata', { k: 1 }],
    ['metadata', { k: { n: 'v' } }],
    ['metadata', []],
    ['metadata', 'x'],
  ]
  it.each(misfits)('%s does not take %j', async (name, value) => {
    const refused = await open({ ...person, [name]: value })
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(pointers(refused).every((pointer: string) => pointer.startsWith(`#/${name}`))).toBe(true)
  })

  it('today is not a date in the past, and yesterday is', async () => {
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    expectProblem(await open({ ...person, dateOfBirth: day(-1) }), 'VALIDATION_FAILED')
    expectProblem(await open({ ...person, dateOfBirth: day(0) }), 'VALIDATION_FAILED')
    expect((await open({ ...person, dateOfBirth: day(2) })).status).toBe(201)
  })

  it.each([
    ['currency', 'EUR'],
    ['currency', 'xof'],
    ['accountId', 'pay_x'],
    ['reference', 'a b'],
    ['description', 'x'.repeat(201)],
    ['phone', '+225'],
    ['amount', 1.5],
  ])('the %s of a payment does not take %j', async (name, value) => {
    const refused = await fund({ amount: 77, [name]: value })
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(pointers(refused)).toEqual([`#/${name}`])
  })

  it.each([
    ['type', ''],
    ['type', 'x'.repeat(33)],
    ['number', ''],
    ['number', 'x'.repeat(41)],
  ])('the %s of a document does not take %j', async (name, value) => {
    const document = { type: 'id', number: 'C1', [name]: value }
    const refused = await post(caller, '/v1/kyc/submit', { phone: '+2250700000001', document })
    expect(pointers(refused)).toEqual([`#/document/${name}`])
  })
})

describe('a body that is not one JSON text is MALFORMED_BODY', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`
  const bodies: [string, string | Buffer][] = [
    ['nothing', ''],
    ['white space', ' \n'],
    ['half an object', '{"amount":77'],
    ['two objects', '{"amount":77}{"amount":77}'],
    ['a trailing comma', '{"amount":77,}'],
    ['single quotes', "{'amount':77}"],
    ['a comment', '{"amount":77/**/}'],
    ['a form', 'amount=77'],
    ['a byte order mark', '\ufeff{"amount":77}'],
    ['a repeated property', '{"amount":5000,"amount":77}'],
    ['a repeated property, one of them escaped', '{"amount":5000,"\\u0061mount":77}'],
    ['a repeated property further in', '{"amount":77,"metadata":{"a":"1","a":"2"}}'],
    ['33 levels', `{"amount":77,"metadata":${nested(32)}}`],
    ['thousands of levels', nested(20_000)],
    ['UTF-8 that is none', Buffer.from('7b22616d6f756e74223a37372c2272223a22ff227d', 'hex')],
    ['UTF-16', Buffer.from('{"amount":77}', 'utf16le')],
    ['a raw NUL', '{"amount":77,"description":"a\u0000b"}'],
  ]
  it.each(bodies)('%s', async (_what, body) => {
    expectProblem(await fund(body), 'MALFORMED_BODY')
  })

  it('as many levels as are allowed are judged like any value', async () => {
    const refused = await fund(`{"amount":77,"metadata":${nested(31)}}`)
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(pointers(refused)).toEqual(['#/metadata'])
  })

  it.each(['[]', '"x"', '77', 'null', 'true'])('%s is JSON, but no object', async (body) => {
    const refused = await fund(body)
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(pointers(refused)).toEqual(['#'])
  })
})

describe('text is valid Unicode without NUL', () => {
  it.each([
    ['a lone high surrogate', '\\ud83d'],
    ['a lone low surrogate', '\\ude00'],
    ['surrogates the wrong way round', '\\ude00\\ud83d'],
    ['an escaped NUL', 'a\\u0000b'],
  ])('%s', async (_what, text) => {
    const refused = await fund(`{"amount":77,"description":"${text}"}`)
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(pointers(refused)).toEqual(['#/description'])
    expectProblem(await fund(`{"amount":77,"metadata":{"k":"${text}"}}`), 'VALIDATION_FAILED')
    expectProblem(await fund(`{"amount":77,"metadata":{"${text}":"v"}}`), 'VALIDATION_FAILED')
  })

  it('a pair of escaped surrogates is one character', async () => {
    const answer = await open(JSON.stringify(person).replace('"A"', '"\\ud83e\\udd81"'))
    expect(answer.json.firstName).toBe('🦁')
  })
})

describe('names from the prototype of objects are names like any other', () => {
  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])('%s', async (name) => {
    const refused = await fund(`{"amount":77,"${name}":{"amount":1}}`)
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(pointers(refused)).toEqual([`#/${name}`])
  })

  it('__proto__ with an amount is no amount', async () => {
    const refused = await fund('{"__proto__":{"amount":77}}')
    expectProblem(refused, 'VALIDATION_FAILED')
    expect(pointers(refused).sort()).toEqual(['#/__proto__', '#/amount'])
  })

  it('__proto__ as a key of metadata is kept as it is, or refused', async () => {
    const answer = await open(JSON.stringify(person).replace('}', ',"metadata":{"__proto__":"x"}}'))
    if (answer.status === 201) expect(answer.bytes.toString()).toContain('"__proto__":"x"')
    else expectProblem(answer, 'VALIDATION_FAILED')
  })
})

describe('the media type', () => {
  const typed = (type: string | undefined, body: unknown = { amount: 77 }) =>
    post(caller, '/v1/payments/fund', body, type === undefined ? {} : { headers: { 'content-type': type } })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
    'application/json; charset="utf-8"',
  ])('%s is JSON', async (type) => {
    expect((await typed(type)).status).toBe(200)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json, text/plain',
    'application/json; charset=iso-8859-1',
    'application/problem+json',
    'multipart/form-data; boundary=x',
    '',
    'application/json\tx',
  ])('"%s" is not', async (type) => {
    expectProblem(await typed(type), 'UNSUPPORTED_MEDIA_TYPE')
  })

  it.each(['gzip', 'br', 'gzip, identity', 'x'])('an encoded body is refused: %s', async (encoding) => {
    const headers = { 'content-encoding': encoding }
    const refused = await post(caller, '/v1/payments/fund', { amount: 77 }, { headers })
    expectProblem(refused, 'UNSUPPORTED_MEDIA_TYPE')
  })
})

it('a body of the largest size is read, and one byte more is not', async () => {
  const padded = (bytes: number) => '{"amount":77}'.padEnd(bytes, ' ')
  expect((await fund(padded(65_536))).status).toBe(200)
  expectProblem(await fund(padded(65_537)), 'BODY_TOO_LARGE')
})
