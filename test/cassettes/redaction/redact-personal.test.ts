import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonLeaves } from '../../../src/cassettes/message/json-leaves.ts'
import { CONTRACT_FIELDS, fieldShape } from '../../../src/cassettes/redaction/contract.ts'
import { satisfies } from '../../../src/cassettes/redaction/stand-ins/field-rules.ts'
import { DEFAULT_OUTCOMES, type OutcomeRule } from '../../../src/config/outcomes.ts'
import { runs } from '../../support/effort.ts'
import { bodyText, exchange, redactor } from '../recording-fixtures.ts'

const phone = fc.stringMatching(/^\+[1-9][0-9]{6,14}$/)
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
const birth = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2020-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const dossier = fc.record(
  {
    amount: fc.constantFrom('10.00', '9007199254740993', '1e3', '-0'),
    phone,
    firstName: name,
    lastName: name,
    email: fc.stringMatching(/^[a-z.]{1,10}@[a-z]{1,8}\.(com|ci)$/),
    dateOfBirth: birth,
    document: fc.record({ type: fc.constant('national_id'), number: fc.stringMatching(/^[A-Z0-9]{1,20}$/) }),
    metadata: fc.dictionary(fc.stringMatching(/^m[a-z]{0,5}$/), fc.string({ maxLength: 20 }), { maxKeys: 3 }),
  },
  { requiredKeys: ['amount'] },
)

/** JSON as somebody wrote it: odd spaces, numbers as they are spelled, escapes that nobody needs. */
function written({ amount, ...rest }: { amount: string } & Record<string, unknown>, style: number): string {
  const text = JSON.stringify(rest, null, style % 3)
  const escaped = style % 2 === 0 ? text : text.replaceAll('/', '\\/').replaceAll('@', '\\u0040')
  return `{ "amount" :${amount}${escaped === '{}' ? '}' : `,${escaped.slice(1)}`}`
}

const PERSONAL = /^\/(phone|firstName|lastName|email|dateOfBirth|document\/number)$/

describe('personal data', () => {
  it.each([
    [{ phone: '+221771234567' }, 'call 77 123 45 67', '123 45 67'],
    [{ phone: '+2250712345678' }, 'call +225-0712-345-678', '345-678'],
    [{ dateOfBirth: '1990-05-17' }, 'born 05/17/1990, 19900517 and 1990-05-17T00:00:00Z', '1990'],
    [{ cardNumber: '4111111111111111' }, 'card 4111 1111 1111 1111 was declined', '1111'],
    [{ authorization: 'Bearer Zq9TtB2nR7wLc1d' }, 'no such token: Zq9TtB2nR7wLc1d!', 'Zq9T'],
    [{ password: ' Zq9TtB2nR7wLc1d\n' }, 'you sent <Zq9TtB2nR7wLc1d>', 'Zq9T'],
  ])('are known as a server writes them: %j', (body, detail, part) => {
    const { exchange: one } = redactor().redact(exchange({ target: '/v1/x', body, reply: { detail } }))
    expect(bodyText(one.reply)).not.toContain(part)
  })

  it('are known in Latin-1', () => {
    const reply = Buffer.from('you sent motdépasse9x', 'latin1')
    const { exchange: one } = redactor().redact(
      exchange({ target: '/v1/x', body: { password: 'motdépasse9x' }, reply }),
    )
    expect(Buffer.from(one.reply?.body ?? []).toString('latin1')).not.toContain('passe9x')
  })

  it('are the fields that the contract annotates', () => {
    const personal = Object.values(CONTRACT_FIELDS.rules).filter(({ kind }) => kind === 'personal')
    expect(new Set(personal.map(({ type }) => type))).toEqual(
      new Set([
        'phone',
        'firstName',
        'lastName',
        'email',
        'dateOfBirth',
        'documentNumber',
        'legalName',
        'registrationNumber',
        'taxId',
      ]),
    )
  })

  it('are replaced at their bytes alone; every other byte stays', () => {
    fc.assert(
      fc.property(dossier, fc.nat(5), (fields, style) => {
        const before = written(fields, style)
        const { exchange: stored, redactions } = redactor().redact(exchange({ body: Buffer.from(before) }))
        const after = bodyText(stored.request)
        // Cut the personal leaves out of both: what is left has to be the same bytes.
        expect(without(after)).toBe(without(before))
        expect(() => JSON.parse(after)).not.toThrow()
        const places = redactions.map(({ place }) => place.pointer)
        expect(
          places.filter((pointer) => !PERSONAL.test(pointer) && !pointer.startsWith('/metadata/')),
        ).toEqual([])
      }),
      { numRuns: runs(60) },
    )
  })

  it('get valid stand-ins: the same value the same one, two values two, and never the value itself', () => {
    fc.assert(
      fc.property(fc.array(dossier, { minLength: 2, maxLength: 12 }), (people) => {
        const { redact, original } = redactor()
        const seen = new Map<string, string>()
        const used = new Map<string, string>()
        for (const person of people) {
          const body = JSON.stringify(person)
          const stored = redact(exchange({ body: Buffer.from(body), reply: Buffer.from(body) })).exchange
          const before = leaves(body)
          const after = leaves(bodyText(stored.request))
          expect(leaves(bodyText(stored.reply))).toEqual(after)
          for (const [pointer, value] of before) {
            if (!PERSONAL.test(pointer) || !/[\p{L}\p{N}]/u.test(value) || isMagicPhone(value)) continue
            const type = pointer === '/document/number' ? 'documentNumber' : pointer.slice(1)
            const standIn = after.get(pointer) ?? ''
            expect(standIn).not.toBe(value)
            expect(seen.get(`${type} ${value}`) ?? standIn).toBe(standIn)
            expect(used.get(`${type} ${standIn}`) ?? value).toBe(value)
            seen.set(`${type} ${value}`, standIn)
            used.set(`${type} ${standIn}`, value)
            const shape = fieldShape(type)
            if (shape && satisfies(shape, value)) expect(satisfies(shape, standIn), standIn).toBe(true)
            expect(original(type, standIn)).toBe(value)
          }
        }
      }),
      { numRuns: runs(30) },
    )
  })

  it('have the same stand-ins when the recording is made again', () => {
    fc.assert(
      fc.property(fc.array(dossier, { maxLength: 6 }), (people) => {
        const record = () => {
          const { redact } = redactor()
          return people.map((person) => bodyText(redact(exchange({ body: person })).exchange.request))
        }
        expect(record()).toEqual(record())
      }),
      { numRuns: runs(20) },
    )
  })

  it('are found in queries, forms, arrays, malformed bodies, errors and bodies of unknown operations', () => {
    const { redact } = redactor()
    const number = '+2250712345678'
    const stored = (body: string, type?: string) =>
      bodyText(
        redact(exchange({ body: Buffer.from(body), ...(type && { headers: [['Content-Type', type]] }) }))
          .exchange.request,
      )
    expect(redact(exchange({ target: '/v1/x?a=1&phone=%2B2250712345678&b=' })).exchange.request.target).toBe(
      '/v1/x?a=1&phone=%2B99900000001&b=',
    )
    expect(stored('phone=%2B2250712345678&csrf=1', 'application/x-www-form-urlencoded')).toBe(
      'phone=%2B99900000001&csrf=redacted-token-1',
    )
    expect(stored(`[{"Phone":["${number}"]},{"phone":{"value":"${number}"}}]`)).toBe(
      '[{"Phone":["+99900000001"]},{"phone":{"value":"+99900000001"}}]',
    )
    expect(stored(`{"phone":"${number}","amount":`)).toBe('{"phone":"+99900000001","amount":')
    expect(stored(`{"first_name":"Awa","x":{"phone":"${number}`)).toBe(
      '{"first_name":"First-1","x":{"phone":"+99900000001',
    )
    expect(stored(`{"phone":"${number}","detail":"${number} is taken"}`)).toBe(
      '{"phone":"+99900000001","detail":"+99900000001 is taken"}',
    )
    const part = `--b\r\nContent-Disposition: form-data; name="phone"\r\n\r\n${number}\r\n--b--`
    expect(stored(part, 'multipart/form-data; boundary=b')).toContain('\r\n\r\n+99900000001\r\n--b--')
  })

  it('that their field refuses are refused for the same reason afterwards', () => {
    const shape = fieldShape('phone')
    const refused = [
      '0712345678',
      '+225 07 12 34 56 78',
      '00225071234',
      '+225',
      '+0712345678',
      'call me',
      '+22507123456789012',
    ]
    const { redact } = redactor()
    const standIns = refused.map(
      (value) => JSON.parse(bodyText(redact(exchange({ body: { phone: value } })).exchange.request)).phone,
    )
    expect(new Set(standIns).size).toBe(refused.length)
    for (const [i, standIn] of standIns.entries()) {
      expect(standIn).not.toBe(refused[i])
      expect(shape && satisfies(shape, standIn)).toBe(false)
    }
    expect(standIns[1]).toBe('+000 00 00 00 00 02')
  })
})

describe('magic values', () => {
  it('stay verbatim: the pattern of the contract, equalities of the configuration, published test values', () => {
    const rules: OutcomeRule[] = [
      ...DEFAULT_OUTCOMES,
      {
        id: 'e',
        operations: ['kyc.submit'],
        field: 'lastName',
        test: { equals: 'Refused' },
        outcome: 'rejected',
      },
    ]
    const { redact } = redactor({ rules, configuredTestValues: ['+2250700000001'] })
    const magic = {
      phone: '+225000000009',
      list: [{ phone: '+2250700000001' }, { phone: '+225000000001' }],
      lastName: 'Refused',
    }
    const { exchange: stored, redactions, bindings } = redact(exchange({ body: magic }))
    expect(JSON.parse(bodyText(stored.request))).toEqual(magic)
    expect({ redactions, bindings }).toEqual({ redactions: [], bindings: [] })
  })

  it('a stand-in ends as its value does, where a rule looks at the end, and is never magic by accident', () => {
    const ending = fc.stringMatching(/^[0-9]{1,3}$/)
    fc.assert(
      fc.property(ending, ending, fc.uniqueArray(phone, { minLength: 1, maxLength: 20 }), (a, b, phones) => {
        const rules: OutcomeRule[] = [
          { id: 'a', operations: ['kyc.submit'], field: 'phone', test: { endsWith: a }, outcome: 'rejected' },
          { id: 'b', operations: ['kyc.submit'], field: 'phone', test: { endsWith: b }, outcome: 'approved' },
          {
            id: 'c',
            operations: ['kyc.submit'],
            field: 'phone',
            test: { matches: '\\+9990000000[0-4]' },
            outcome: 'rejected',
          },
        ]
        const { redact } = redactor({ rules })
        const used = new Set<string>()
        for (const value of phones) {
          const standIn = JSON.parse(
            bodyText(redact(exchange({ body: { phone: value } })).exchange.request),
          ).phone
          if (/^\+9990000000[0-4]$/.test(value)) expect(standIn).toBe(value)
          else {
            expect(standIn).not.toMatch(/^\+9990000000[0-4]$/)
            expect([standIn.endsWith(a), standIn.endsWith(b)]).toEqual([value.endsWith(a), value.endsWith(b)])
            expect(standIn).toMatch(/^\+[1-9][0-9]{6,14}$/)
          }
          expect(used.has(standIn)).toBe(false)
          used.add(standIn)
        }
      }),
      { numRuns: runs(40) },
    )
  })
})

describe('bindings of redacted values', () => {
  it('name every place of one value, and say that the client makes it', () => {
    const { redact } = redactor()
    const sent = { phone: '+2250712345678', firstName: 'Awa' }
    const first = redact(exchange({ body: sent, reply: { accountId: 'acc_1', ...sent } }))
    expect(first.bindings).toEqual([
      {
        type: 'phone',
        value: '+99900000001',
        madeBy: 'client',
        places: [
          { part: 'request-body', pointer: '/phone' },
          { part: 'reply-body', pointer: '/phone' },
        ],
      },
      {
        type: 'firstName',
        value: 'First-1',
        madeBy: 'client',
        places: [
          { part: 'request-body', pointer: '/firstName' },
          { part: 'reply-body', pointer: '/firstName' },
        ],
      },
    ])
    const read = redact(
      exchange({ method: 'GET', target: '/v1/accounts', reply: { items: [sent, { lastName: 'Koné' }] } }),
    )
    expect(read.bindings.map(({ type, madeBy }) => [type, madeBy])).toEqual([
      ['phone', 'client'],
      ['firstName', 'client'],
      ['lastName', 'server'],
    ])
  })

  it('with a cassette key, a redacted value has a keyed digest, and another key gives another', () => {
    const digest = (cassetteKey: string) =>
      redactor({ cassetteKey }).redact(exchange({ body: { phone: '+2250712345678' } })).redactions[0]?.digest
    expect(digest('a')).toMatch(/^[\w-]{43}$/)
    expect(digest('a')).toBe(digest('a'))
    expect(digest('a')).not.toBe(digest('b'))
    expect(
      redactor().redact(exchange({ body: { phone: '+2250712345678' } })).redactions[0],
    ).not.toHaveProperty('digest')
  })
})

function leaves(body: string): Map<string, string> {
  const bytes = Buffer.from(body).toString('latin1')
  return new Map(jsonLeaves(bytes).map(({ pointer, value }) => [pointer, value]))
}

/** The text without its personal leaves, and without values of eight and more that repeat one. */
function without(body: string): string {
  const bytes = Buffer.from(body).toString('latin1')
  let text = ''
  let rest = 0
  for (const leaf of jsonLeaves(bytes)) {
    if (!PERSONAL.test(leaf.pointer) && !leaf.pointer.startsWith('/metadata/')) continue
    text += bytes.slice(rest, leaf.start)
    rest = leaf.end
  }
  return text + bytes.slice(rest)
}

function isMagicPhone(value: string): boolean {
  return /^\+2250{7,9}[19]$/.test(value)
}

describe('a person who is told of otherwise', () => {
  const PERSON = {
    firstName: 'Mariam',
    lastName: 'Traoré',
    phone: '+2250712345678',
    dateOfBirth: '1988-04-17',
  }
  const storedOf = (body: unknown, reply: unknown = {}, target = '/v1/x') => {
    const { exchange: one } = redactor().redact(exchange({ target, body, reply }))
    return `${one.request.target} ${bodyText(one.request)} ${bodyText(one.reply)}`
  }

  it.each([
    'for mariam',
    'M. Traore',
    'TRAORE',
    '2250712345678',
    '002250712345678',
    'call 0712345678',
    '+225 07 12 34 56 78',
    '07-12-34-56-78',
    'born on 17/04/1988',
  ])('as %s is found in a text of the same exchange', (note) => {
    expect(storedOf(PERSON, { note })).not.toContain(note)
  })

  it.each([
    ['in a JSON text inside a JSON text', { a: JSON.stringify({ b: JSON.stringify(PERSON) }) }],
    ['beside the name of a field', { fields: [{ name: 'phone', value: PERSON.phone }] }],
    ['in a text, behind the name of a field', { note: `phone: ${PERSON.phone}; first name: Mariam` }],
    ['by a phone number in a note', { note: `call ${PERSON.phone} at noon` }],
    [
      'under a name of another sandbox',
      { msisdn: PERSON.phone, givenName: 'Mariam', birthDate: '1988-04-17' },
    ],
  ])('is found %s', (_, body) => {
    expect(storedOf(body)).not.toMatch(/0712345678|Mariam|1988-04-17/)
  })

  it('is found in a path', () => {
    expect(storedOf({}, {}, `/v1/customers/${PERSON.phone}`)).not.toContain('0712345678')
  })

  it('is nobody where a text explains what is expected', () => {
    const body = { note: 'phone: required; first name: missing. Email: see below' }
    const stored = bodyText(redactor().redact(exchange({ target: '/v1/x', body })).exchange.request)
    expect(stored).toBe(JSON.stringify(body))
  })
})
