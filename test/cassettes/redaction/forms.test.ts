import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Interaction } from '../../../src/cassettes/interaction.ts'
import { lintCassette } from '../../../src/cassettes/tools/lint.ts'
import { runs } from '../../support/effort.ts'
import { bodyText, exchange, HEADER, redactor } from '../recording-fixtures.ts'

type Parts = Parameters<typeof exchange>[0]
type Hold = (value: string, name: string) => Parts

const typed = (type: string, body: string): Parts => ({
  headers: [['Content-Type', type]],
  body: Buffer.from(body),
})
const page = (reply: string): Parts => ({ replyHeaders: [['Content-Type', 'text/html']], reply })
const detail = (text: string): Parts => ({ reply: { detail: text } })
const part = (type: string, content: string) =>
  typed(
    'multipart/form-data; boundary=b',
    `--b\r\nContent-Disposition: form-data; name="f"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n--b--`,
  )

/** Where a name can stand that says what a value is. */
const NAMED: Readonly<Record<string, Hold>> = {
  'a cell beside its head': (v, n) => page(`<table><tr><th>${n}</th><td>${v}</td></tr></table>`),
  'a cell below its head': (v, n) =>
    page(`<table><tr><th>Id</th><th>${n}</th></tr><tr><td>1</td><td>${v}</td></tr></table>`),
  'a definition': (v, n) => page(`<dl><dt>${n}</dt><dd>${v}</dd></dl>`),
  'a page in a text': (v, n) => detail(`<p><b>${n}:</b> ${v}</p>`),
  'a table of columns and rows': (v, n) => ({ reply: { columns: ['id', n], rows: [[1, v]] } }),
  'a first row of names': (v, n) => ({
    reply: [
      ['id', n],
      [1, v],
    ],
  }),
  'a table without a label': (v, n) => typed('application/octet-stream', `id;${n}\n1;${v}\n`),
  'a table in a part': (v, n) => part('text/csv', `id,${n}\n1,${v}\n`),
  'a table in a text': (v, n) => ({ reply: { report: `id,${n}\n1,${v}\n` } }),
  'a table of bars': (v, n) => typed('text/plain', `| id | ${n} |\n|----|----|\n| 1 | ${v} |\n`),
  'pairs in a part': (v, n) => part('application/json', JSON.stringify([{ name: n, value: v }])),
  'pairs in JSON in JSON': (v, n) => ({
    body: { x: JSON.stringify(JSON.stringify([{ name: n, value: v }])) },
  }),
  'pairs in an event': (v, n) => ({
    replyHeaders: [['Content-Type', 'text/event-stream']],
    reply: `data: ${JSON.stringify({ name: n, value: v })}\n\n`,
  }),
  'a statement of SQL': (v, n) => detail(`INSERT INTO t (id, ${n}) VALUES (1, '${v}')`),
  'a duplicate of SQL': (v, n) => detail(`Key (${n})=(${v}) already exists.`),
  'a comparison of SQL': (v, n) => detail(`WHERE ${n} = '${v}' AND id = 1`),
  'an object of another language': (v, n) => detail(`{:${n}=>"${v}", :id=>1}`),
  'a block of YAML': (v, n) => typed('application/yaml', `user:\n  ${n}: ${v}\n`),
  'a query of GraphQL': (v, n) => ({ body: { query: `mutation{a(${n}:"${v}"){id}}` } }),
  'a matrix parameter': (v, n) => ({ target: `/v1/x;${n}=${v}/a` }),
}

const letters = fc.stringMatching(/^[A-Z][a-z]{2}[2-9][A-Z][a-z]{2}[2-9][A-Za-z0-9]{4}$/)
const told = fc.oneof(
  fc.tuple(fc.constantFrom('password', 'apiKey', 'client_secret', 'access_token'), letters),
  fc.tuple(fc.constantFrom('firstName', 'last_name', 'customerName'), letters),
  fc.tuple(
    fc.constantFrom('nationalId', 'passport_number', 'ssn'),
    fc.stringMatching(/^[A-Z]{2}[1-9][0-9]{8}$/),
  ),
)

const allOf = (parts: Parts) => {
  const { exchange: one } = redactor().redact(exchange({ target: '/v1/x', ...parts }))
  return [
    one.request.target,
    JSON.stringify(one.request.headers),
    bodyText(one.request),
    JSON.stringify(one.reply?.headers),
    bodyText(one.reply),
  ].join('\n')
}

describe('a value that something names', () => {
  it.each(Object.entries(NAMED))('is found in %s', (_, hold) => {
    fc.assert(
      fc.property(told, ([name, value]) => {
        expect(allOf(hold(value, name))).not.toContain(value)
      }),
      { numRuns: runs(6), examples: [[['password', 'Zq7xW4nTr8Lk']], [['firstName', 'Mariam']]] },
    )
  })

  it.each([
    ['ssn', '190-05-9999'],
    ['nationalId', 'CI0012345678'],
    ['driverLicenseNumber', 'B072RRE2I55'],
    ['taxNumber', 'CI-1234567-A'],
    ['dob', '1990-05-17'],
    ['placeOfBirth', 'Bouaké'],
    ['home_address', '12 rue des Jardins'],
    ['customer_phone_number', '+2250712345678'],
    ['walletNumber', '0712345678'],
    ['iban', 'CI93CI0080111301134291200589'],
    ['contactEmail', 'awa@x.ci'],
    ['cardholderName', 'Mariam Traore'],
    ['ipAddress', '196.47.1.9'],
  ])('%s is a person by the meaning of its name', (name, value) => {
    expect(allOf({ body: { customer: { [name]: value } } })).not.toContain(value)
  })

  it.each([
    ['a person under a person', { beneficiary: { name: 'Mariam Traore' } }, 'Mariam'],
    ['an address of parts', { address: { line1: '12 rue des Jardins', city: 'Bouaké' } }, 'Jardins'],
    [
      'the private parts of a key',
      { kty: 'EC', x: 'f83OJ3D2xF1Bg8vub9tL', d: 'Zq7xW4nTr8Lk' },
      'Zq7xW4nTr8Lk',
    ],
    ['a key of JSON in a text', { x: JSON.stringify({ kty: 'oct', k: 'Zq7xW4nTr8Lk' }) }, 'Zq7xW4nTr8Lk'],
    ['the name of a property', { tokens: { Zq7xW4nTr8Lk: { uses: 3 } } }, 'Zq7xW4nTr8Lk'],
  ])('%s', (_, body, part) => {
    expect(allOf({ body })).not.toContain(part)
  })

  it('and a setting of it is none', () => {
    const body = {
      email: true,
      homePhone: 'required',
      phoneVerified: 'yes',
      addressType: 'home',
      accountName: 'Savings',
      partner: { name: 'Orange' },
      nationality: 'CI',
      passportRequired: 'true',
      note: 'The passport number is missing, the last name: required. Call us at noon.',
    }
    expect(allOf({ body })).toContain(JSON.stringify(body))
  })
})

/** A person or a secret that shows what it is. */
const FORMS: readonly (readonly [what: string, value: string])[] = [
  ['an address of e-mail', 'awa.kone+1@banque.ci'],
  ['a phone number', '+2250712345678'],
  ['one in groups', '+225 07 12 34 56 78'],
  ['one with a code in brackets', '(+225) 0712345678'],
  ['one with two zeros', '002250712345678'],
  ['one in pairs', '07 12 34 56 78'],
  ['a number of mobile money', '2250712345678'],
  ['an IBAN', 'FR7630006000011234567890189'],
  ['an IBAN in groups', 'CI93 CI00 8011 1301 1342 9120 0589'],
  ['a number of social security', '123-45-6789'],
  ['a card', '4111111111111111'],
  ['a card in groups', '5555 5555 5555 4444'],
  ['a card of another length', '378282246310005'],
  ['a key of a cloud', 'AKIAIOSFODNN7EXAMPLE'],
  ['a token of a forge', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
  ['a private key in DER', 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7'],
  ['a hash of a password', '$2b$12$KIXQ4fabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST'],
]
const IN: Readonly<Record<string, (value: string) => Parts>> = {
  'a text of a request': (value) => ({ body: { note: `see ${value} there` } }),
  'a field of its own': (value) => ({ reply: { x: value } }),
  'a text of a reply': (value) => ({ reply: `It is ${value}.` }),
  'a path': (value) => ({ target: `/v1/x/${encodeURIComponent(value)}/y` }),
  'a query': (value) => ({ target: `/v1/x?q=${encodeURIComponent(value)}` }),
  'a header': (value) => ({ replyHeaders: [['Location', `/v1/x/${encodeURIComponent(value)}`]] }),
  base64: (value) => ({ reply: { x: Buffer.from(`see ${value} there`).toString('base64') } }),
}
const spelled = (value: string) => [
  value,
  encodeURIComponent(value),
  Buffer.from(`see ${value} there`).toString('base64'),
]

describe('what shows what it is', () => {
  it.each(FORMS)('%s is found wherever it stands', (_, value) => {
    for (const [where, hold] of Object.entries(IN)) {
      const text = allOf(hold(value))
      for (const each of spelled(value)) expect(text, where).not.toContain(each)
    }
  })

  it.each([
    ['behind the same name', '{"note":"V","note":"x"}'],
    ['as a name', '{"V":true}'],
    ['in a list', '[["a","V"],null,1]'],
    ['behind what is no JSON', '{"a":1} V'],
  ])('is found %s', (_, body) => {
    for (const value of ['sk_live_Zq7xW4nTr8Lk', 'awa.kone@banque.ci', '4111111111111111'])
      expect(allOf({ body: Buffer.from(body.replace('V', value)) })).not.toContain(value)
  })

  it('and what merely looks like it stays', () => {
    const body = {
      instant: 1768469400000,
      micros: '1768469400000000',
      card: '4111111111111112',
      transfer: 'FR7630006000011234567890188',
      date: '2026-01-15T09:30:00+01:00',
      uuid: '6f1b2c34-9d5e-4f60-8a7b-1c2d3e4f5a6b',
      id: 'acc_86AtWLjM0YBxc000000000012',
      amount: 2250712345678,
      version: '1.2.3.4',
      helpdesk: 'write to support@partner.example or user@',
      hint: 'an international number such as +2250700000001',
    }
    expect(allOf({ reply: body })).toContain(JSON.stringify(body))
  })
})

describe('what a server repeats', () => {
  const SECRET = 'Zq7xW4nTr8Lk'
  const bytes = [...Buffer.from(SECRET)]
  it.each([
    ['base32', 'LJYTO6CXGRXFI4RYJRVQ===='],
    ['quoted-printable', bytes.map((byte) => `=${byte.toString(16).toUpperCase()}`).join('')],
    ['bytes with colons', bytes.map((byte) => byte.toString(16)).join(':')],
    ['bytes of JavaScript', bytes.map((byte) => `0x${byte.toString(16)}`).join(', ')],
    ['numbers', bytes.join(', ')],
    ['a line that goes on', 'Zq7xW4n=\r\nTr8Lk'],
    ['characters that nobody sees', 'Zq7xW4\u200bnTr\u00ad8Lk'],
    ['tags within', 'Zq7x<b>W4nT</b>r8<wbr>Lk'],
  ])('as %s', (_, shown) => {
    expect(allOf({ body: { password: SECRET }, reply: `you sent ${shown} !` })).not.toContain(shown)
  })

  it.each([
    [{ dateOfBirth: '1990-05-17' }, 'born on 17 mai 1990, 17/05/90', '1990'],
    [{ fullName: 'Mariam Traoré' }, 'Mme TRAORE', 'TRAORE'],
    [{ lastName: "N'Guessan" }, 'M. N’Guessan', 'Guessan'],
    [{ phone: '+225 07 12 34 56 78' }, 'to 0712345678', '0712345678'],
    [{ iban: 'CI93CI0080111301134291200589' }, 'to CI93 CI00 8011 1301 1342 9120 0589', '8011'],
  ])('of a person: %j', (body, text, part) => {
    expect(allOf({ body, reply: { text } })).not.toContain(part)
  })

  it('as a list of numbers in JSON, which stays JSON', () => {
    const { exchange: one } = redactor().redact(
      exchange({ target: '/v1/x', body: { password: SECRET }, reply: { data: bytes, n: 1 } }),
    )
    expect(JSON.parse(bodyText(one.reply))).toMatchObject({ n: 1 })
    expect(bodyText(one.reply)).not.toContain('90,113,55')
  })
})

describe('lint', () => {
  const cassetteOf = (parts: Parts) => {
    const { exchange: one, redactions, bindings } = redactor().redact(exchange({ target: '/v1/x', ...parts }))
    return {
      ...HEADER,
      interactions: [{ ...one, sequence: 1, redactions, bindings } as unknown as Interaction],
    }
  }
  const errorsIn = (cassette: ReturnType<typeof cassetteOf>) =>
    lintCassette(cassette).filter(({ severity, kind }) => severity === 'error' && kind !== 'binding')

  it('finds nothing in what is recorded', () => {
    for (const [, value] of FORMS)
      for (const hold of Object.values(IN)) expect(errorsIn(cassetteOf(hold(value)))).toEqual([])
    for (const hold of Object.values(NAMED))
      for (const [name, value] of [
        ['password', 'Zq7xW4nTr8Lk'],
        ['firstName', 'Mariam'],
      ] as const)
        expect(errorsIn(cassetteOf(hold(value, name))), hold(value, name).toString()).toEqual([])
  })

  it('finds a person and a secret that somebody has put in by hand', () => {
    for (const [what, value] of FORMS) {
      const cassette = cassetteOf({ reply: { note: 'nothing' } })
      const edited = cassette.interactions.map((one) => ({
        ...one,
        reply: one.reply && {
          ...one.reply,
          body: Buffer.from(JSON.stringify({ note: `see ${value} there` })),
        },
      }))
      expect(errorsIn({ ...cassette, interactions: edited }), what).not.toEqual([])
    }
  })
})
