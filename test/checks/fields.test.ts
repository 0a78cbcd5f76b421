import fc from 'fast-check'
import Type from 'typebox'
import { Settings } from 'typebox/system'
import { describe, expect, it } from 'vitest'
import { createFieldCheck } from '../../src/checks/fields.ts'
import { parseJson } from '../../src/checks/json.ts'
import type { FieldError } from '../../src/errors/refusal.ts'
import * as field from '../../src/operations/fields.ts'
import { OPERATIONS } from '../../src/operations/operations.ts'
import { runs } from '../support/effort.ts'

const NOW = Date.UTC(2026, 0, 5, 8)
const schema = field.closed({
  customerRef: field.CustomerRef,
  phone: field.Phone,
  firstName: field.FirstName,
  email: field.optional(field.Email),
  dateOfBirth: field.optional(field.DateOfBirth),
  country: field.optional(field.Country),
  document: field.optional(field.Document),
  amount: field.optional(field.Amount),
  termMonths: field.optional(field.TermMonths),
  currency: field.optional(field.Currency),
  events: field.optional(field.EventNames),
  url: field.optional(field.WebhookUrl),
  signingSecret: field.optional(field.SigningSecret),
  metadata: field.optional(field.Metadata),
})
const NAMES = Object.keys(schema.properties).join(', ')
const check = createFieldCheck(schema, 'pointer')
const good = { customerRef: 'CUS-1', phone: '+2250700000001', firstName: 'Awa' }

/** The errors of a body as it comes over the wire, by pointer. */
function errorsOf(text: string): Record<string, string> {
  const judged = parseJson(Buffer.from(text))
  if (!judged.ok) throw new Error(judged.refusal.detail)
  return byPlace(check(judged.value.value, NOW, judged.value))
}
const byPlace = (errors: readonly FieldError[]) =>
  Object.fromEntries(errors.map((error) => ['pointer' in error ? error.pointer : 'other', error.detail]))
const mustBe = (of: object) => `must be ${'expected' in of ? of.expected : '?'}`
const wrong = (more: object) => errorsOf(JSON.stringify({ ...good, ...more }))

describe('a valid body', () => {
  it('has no errors', () => {
    const full = {
      ...good,
      email: 'a@b.example',
      dateOfBirth: '1990-02-28',
      country: 'CI',
      document: { type: 'id', number: 'C1' },
      amount: 5077,
      currency: 'XOF',
      events: ['*', 'payment.decided'],
      url: 'https://partner.example/hook',
      signingSecret: 's'.repeat(16),
      metadata: { branch: 'Plateau', __proto__x: '' },
    }
    expect(wrong(full)).toEqual({})
  })

  it('has an amount whose exact value is a whole number, however it is written', () => {
    for (const amount of ['1000.0', '1e3', '9007199254740991', '90071992547409910e-1'])
      expect(
        errorsOf(`{"customerRef":"a","phone":"+2250700000001","firstName":"A","amount":${amount}}`),
      ).toEqual({})
  })
})

describe('a field that is wrong', () => {
  it.each([
    ['customerRef', field.CustomerRef, ['', 'a b', 'é', 'x'.repeat(65), 5, null]],
    [
      'phone',
      field.Phone,
      ['2250700000001', '+225 07 00', '00225070000', '+0123456789', '+123456', 7, '+2250700000001\n'],
    ],
    ['firstName', field.FirstName, ['', 'x'.repeat(101), 1, ['a'], {}]],
    ['email', field.Email, ['a', 'a@b', '@b.c', 'a b@c.de', `${'x'.repeat(250)}@b.de`, null]],
    [
      'dateOfBirth',
      field.DateOfBirth,
      ['1990-02-30', '1990-13-01', '2026-01-05', '2999-01-01', '90-01-01', '1990-1-1', 19900101],
    ],
    ['country', field.Country, ['ci', 'XX', 'CIV', '', 225]],
    ['amount', field.Amount, [0, -1, 1.5, 2 ** 53, '5077', true, null, [5077], {}]],
    ['termMonths', field.TermMonths, [0, 61, 1.5, '6']],
    ['currency', field.Currency, ['EUR', 'xof', '', null]],
    ['events', field.EventNames, [[], 'payment.decided', Array(51).fill('a'), null, {}]],
    [
      'url',
      field.WebhookUrl,
      [
        '/hook',
        'ftp://a.example',
        'https://u:p@a.example',
        'https:/a',
        'javascript:alert(1)',
        'https://a.example/\\x',
      ],
    ],
    ['signingSecret', field.SigningSecret, ['short', 'x'.repeat(257), 1]],
    ['document', field.Document, ['C1', null, []]],
  ])('%s is told what it must be, and its value is not repeated', (name, of, values) => {
    for (const value of values) {
      expect(wrong({ [name]: value }), JSON.stringify(value)).toEqual({
        [`#/${name}`]: mustBe(of),
      })
    }
  })

  it('inside another is named by its own pointer', () => {
    expect(wrong({ document: { type: '', number: 'C1' } })).toEqual({
      '#/document/type': 'must be a text of 1 to 32 characters',
    })
    expect(wrong({ document: { type: 'id' } })).toEqual({ '#/document/number': 'is required' })
    expect(wrong({ events: ['*', 'Bad Name', 'ok'] })).toEqual({
      '#/events/1': 'must be an event name such as payment.decided, or *',
    })
    expect(wrong({ metadata: { 'a/b~c': 5 } })).toEqual({
      '#/metadata/a~1b~0c': 'must be a text of at most 500 characters',
    })
    expect(Object.keys(wrong({ metadata: { ['k'.repeat(41)]: 'x' } }))).toEqual([
      `#/metadata/${'k'.repeat(41)}`,
    ])
    const many = Object.fromEntries([...Array(21).keys()].map((i) => [`k${i}`, '']))
    expect(wrong({ metadata: many })).toEqual({ '#/metadata': mustBe(field.Metadata) })
  })

  it('is told so when only its exact value is no whole number', () => {
    for (const amount of ['9007199254740991.4', '1000.0000000000000000001', '1e-400', '0.0000001'])
      expect(
        errorsOf(`{"customerRef":"a","phone":"+2250700000001","firstName":"A","amount":${amount}}`),
      ).toEqual({
        '#/amount': mustBe(field.Amount),
      })
  })

  it('is told so when it holds NUL or half a surrogate pair', () => {
    const body = String.raw`{"customerRef":"a","phone":"+2250700000001","firstName":"A\u0000","metadata":{"k":"\ud800"}}`
    expect(errorsOf(body)).toEqual({
      '#/firstName': 'must be valid Unicode without NUL',
      '#/metadata/k': 'must be valid Unicode without NUL',
    })
  })
})

describe('a body with many errors', () => {
  it('is told all of them at once', () => {
    const body = {
      customerRef: 1,
      phone: 1,
      firstName: 1,
      email: 1,
      dateOfBirth: 1,
      country: 1,
      document: { type: 1, number: 1, more: 1 },
      amount: 0,
      termMonths: 0,
      currency: 1,
      events: [1, 2],
      url: 1,
      signingSecret: 1,
      metadata: { a: 1, b: 2 },
      unknown1: 1,
      unknown2: 2,
    }
    expect(Object.keys(wrong(body)).sort()).toEqual(
      [
        ...'customerRef phone firstName email dateOfBirth country amount termMonths currency url signingSecret'.split(
          ' ',
        ),
        ...'document/type document/number document/more events/0 events/1 metadata/a metadata/b unknown1 unknown2'.split(
          ' ',
        ),
      ]
        .map((name) => `#/${name}`)
        .sort(),
    )
  })

  it('is refused however many unknown properties it has', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), (count) => {
        const unknown = Object.fromEntries([...Array(count).keys()].map((i) => [`x${i}`, 1]))
        const errors = wrong(unknown)
        expect(Object.keys(errors)).toEqual(Object.keys(unknown).map((name) => `#/${name}`))
      }),
      { numRuns: runs(50) },
    )
    const flood = Object.fromEntries([...Array(12_000).keys()].map((i) => [`x${i}`, 1]))
    expect(Object.keys(wrong(flood)).length).toBeGreaterThan(0)
  })

  it('is told of what is too large, and of nothing inside', () => {
    const metadata = Object.fromEntries([...Array(8000).keys()].map((i) => [`k${i}`, 1]))
    expect(wrong({ events: Array(30_000).fill(1), metadata })).toEqual({
      '#/events': expect.stringContaining('at most 50 event names'),
      '#/metadata': expect.stringContaining('at most 20 texts'),
    })
  })

  it("does not change the validator's settings for others", () => {
    const before = Settings.Get().maxErrors
    wrong({ a: 1 })
    expect(Settings.Get().maxErrors).toBe(before)
  })
})

describe('an unknown property', () => {
  it.each(['__proto__', 'constructor', 'toString', 'prototype', 'Amount', '', 'a/b', '~'])(
    'is refused by name: %j',
    (name) => {
      const shown = name.replaceAll('~', '~0').replaceAll('/', '~1')
      const body = `{"customerRef":"a","phone":"+2250700000001","firstName":"A",${JSON.stringify(name)}:{}}`
      expect(errorsOf(body)).toEqual({ [`#/${shown}`]: `is not known here; the known ones are ${NAMES}` })
    },
  )

  it('does not stand in for a required one', () => {
    expect(
      errorsOf('{"__proto__":{"customerRef":"a","phone":"+2250700000001","firstName":"A"}}'),
    ).toMatchObject({
      '#/customerRef': 'is required',
      '#/__proto__': expect.stringContaining('not known'),
    })
  })
})

describe('a body that is no object', () => {
  it.each(['null', '[]', '"text"', '5', 'true', '[{"customerRef":"a"}]'])('is told so: %s', (text) => {
    expect(errorsOf(text)).toEqual({ '#': 'must be a JSON object' })
  })
})

describe('a query parameter', () => {
  it('is named as a parameter', () => {
    const query = createFieldCheck(
      Type.Object({ limit: field.PageLimit }, { additionalProperties: false }),
      'parameter',
    )
    expect(query({ limit: '5x', more: '1' }, NOW)).toEqual(
      expect.arrayContaining([
        { parameter: 'limit', detail: 'must be a whole number from 1 to 100' },
        { parameter: 'more', detail: 'is not known here; the known ones are limit' },
      ]),
    )
  })
})

describe('every field of every operation', () => {
  it('says what it must be', () => {
    const silent: string[] = []
    for (const { id, body, query } of OPERATIONS) {
      for (const each of [body, query]) {
        for (const [name, of] of Object.entries(
          each && 'properties' in each ? (each.properties as object) : {},
        ))
          if (typeof of.expected !== 'string') silent.push(`${id} ${name}`)
      }
    }
    expect(silent).toEqual([])
  })

  it('is refused without an exception for any JSON value', () => {
    const checks = OPERATIONS.flatMap(({ body }) =>
      body ? [{ body, judge: createFieldCheck(body, 'pointer') }] : [],
    )
    fc.assert(
      fc.property(fc.nat(checks.length - 1), fc.jsonValue(), fc.nat(20), (which, value, at) => {
        const each = checks[which]
        if (!each) return
        const names = Object.keys('properties' in each.body ? (each.body.properties as object) : {})
        const name = names[at % names.length] ?? 'none'
        for (const error of each.judge({ [name]: value }, NOW)) expect(error.detail).toMatch(/^(must be|is) /)
        expect(each.judge(value, NOW).length).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: runs(1000) },
    )
  })
})
