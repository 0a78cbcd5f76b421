import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  FieldMistake,
  type FieldSchema,
  setField,
  splitField,
  toJson,
  type Value,
} from '../../src/cli/call-fields.ts'
import { kycSubmit } from '../../src/operations/kyc-submit.ts'
import { paymentsFund } from '../../src/operations/payments.ts'
import { webhooksRegister } from '../../src/operations/webhooks.ts'
import { runs } from '../support/effort.ts'

const PAYMENT = paymentsFund.body as FieldSchema
const KYC = kycSubmit.body as FieldSchema
const WEBHOOK = webhooksRegister.body as FieldSchema

function json(schema: FieldSchema, ...fields: string[]): string {
  const body = new Map<string, Value>()
  for (const each of fields) {
    const { name, value } = splitField(each)
    setField(body, schema, name, value)
  }
  return toJson(body)
}

describe('the fields of a call', () => {
  it.each([
    [PAYMENT, ['amount=5077', 'reference=007'], '{"amount":5077,"reference":"007"}'],
    [PAYMENT, ['amount=12345678901234567890'], '{"amount":12345678901234567890}'],
    [PAYMENT, ['amount=007'], '{"amount":"007"}'],
    [PAYMENT, ['amount='], '{"amount":""}'],
    [PAYMENT, ['description=a=b'], '{"description":"a=b"}'],
    [PAYMENT, ['metadata.a.b=1', 'metadata.c=2'], '{"metadata":{"a.b":"1","c":"2"}}'],
    [PAYMENT, ['metadata={"a":"1"}', 'metadata.b=2'], '{"metadata":{"a":"1","b":"2"}}'],
    [PAYMENT, ['metadata.__proto__=x'], '{"metadata":{"__proto__":"x"}}'],
    [KYC, ['document.type=id', 'document.number=007'], '{"document":{"type":"id","number":"007"}}'],
    [WEBHOOK, ['events=a', 'events=b'], '{"events":["a","b"]}'],
    [WEBHOOK, ['events=["a","b"]'], '{"events":["a","b"]}'],
  ])('are typed and nested by the schema: %#', (schema, fields, expected) => {
    expect(json(schema, ...fields)).toBe(expected)
  })

  it.each([
    [PAYMENT, ['amount'], '"amount" is no NAME=VALUE'],
    [PAYMENT, ['=1'], '"=1" has no name before its equals sign'],
    [PAYMENT, ['amuont=1'], 'there is no parameter amuont; did you mean amount?'],
    [PAYMENT, ['metadta.branch=1'], 'there is no parameter metadta.branch; did you mean metadata.branch?'],
    [PAYMENT, ['amount=1', 'amount=2'], 'amount is given twice'],
    [PAYMENT, ['amount.x=1'], 'amount.x: amount has nothing in it'],
    [PAYMENT, ['__proto__.x=1'], 'there is no parameter __proto__.x'],
    [PAYMENT, ['constructor=1'], 'there is no parameter constructor'],
    [PAYMENT, ['.=1'], 'there is no parameter .'],
    [PAYMENT, ['metadata=x', 'metadata.a=1'], 'metadata.a: metadata has a value already'],
    [WEBHOOK, ['events.0=a'], 'events is a list; give events=VALUE once for each'],
    [
      KYC,
      ['document.typ=x'],
      'there is no parameter document.typ inside document; did you mean document.type?',
    ],
  ])('are refused in a line that says what to do: %#', (schema, fields, message) => {
    const attempt = () => json(schema, ...fields)
    expect(attempt).toThrow(FieldMistake)
    expect(attempt).toThrow(message)
  })

  it('whatever they are, come to JSON that has their text, or to a mistake; and nothing else is touched', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'amount',
        'reference',
        'metadata',
        'metadata.',
        'metadata.a',
        '__proto__',
        'metadata.__proto__.x',
      ),
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ maxLength: 20 }).map((text) => `metadata.${text}`),
      fc.constant('x'.repeat(100_000)),
    )
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.integer().map(String), fc.json())
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 5 }), (fields) => {
        let text: string
        try {
          text = json(PAYMENT, ...fields.map(([key, given]) => `${key}=${given}`))
        } catch (mistake) {
          expect(mistake).toBeInstanceOf(FieldMistake)
          expect((mistake as Error).message.length).toBeLessThan(400)
          return
        }
        const body = JSON.parse(text) as Record<string, unknown>
        for (const key of Object.keys(body)) expect(Object.keys(PAYMENT.properties ?? {})).toContain(key)
        expect(Object.keys(Object.prototype)).toEqual([])
        expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
      }),
      { numRuns: runs(200) },
    )
  })

  it('of an integer keep every digit, and of a text every character', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.string(), (amount, reference) => {
        expect(json(PAYMENT, `amount=${amount}`)).toBe(`{"amount":${amount}}`)
        expect(JSON.parse(json(PAYMENT, `reference=${reference}`))).toEqual({ reference })
      }),
      { numRuns: runs(100) },
    )
  })
})
