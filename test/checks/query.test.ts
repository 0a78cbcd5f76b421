import fc from 'fast-check'
import Type from 'typebox'
import { describe, expect, it } from 'vitest'
import { createQueryReader } from '../../src/checks/query.ts'

const schema = Type.Object({ amount: Type.Integer(), customerRef: Type.String() })
const read = createQueryReader(schema)
const fieldsOf = (query: string) => ({ ...read(query).fields })
const errorsOf = (query: string) => read(query).errors

describe('a query', () => {
  it('is read back as it was encoded, whoever encoded it', () => {
    const value = fc
      .string({ unit: 'grapheme' })
      .filter((text) => !text.includes('\0') && text.isWellFormed())
    const fields = fc.dictionary(
      value.filter((name) => name !== 'amount'),
      value,
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(fields, (sent) => {
        const encoded = Object.entries(sent).map((pair) => pair.map(encodeURIComponent).join('='))
        expect(read(encoded.join('&'))).toEqual({
          fields: Object.assign(Object.create(null), sent),
          errors: [],
        })
        expect({ ...read(String(new URLSearchParams(Object.entries(sent)))).fields }).toEqual(sent)
      }),
    )
  })

  it.each([
    ['amount=5077', 5077],
    ['amount=0', 0],
    ['amount=9007199254740991', 9_007_199_254_740_991],
    ['amount=-1', '-1'],
    ['amount=%2B1', '+1'],
    ['amount=+1', ' 1'],
    ['amount=1.0', '1.0'],
    ['amount=1e3', '1e3'],
    ['amount=0x10', '0x10'],
    ['amount=', ''],
    ['amount', ''],
    ['amount=%D9%A1', '١'],
    ['amount=99999999999999999', '99999999999999999'],
  ])('%s reads digits as a number and nothing else', (query, value) => {
    expect(fieldsOf(query)).toEqual({ amount: value })
  })

  it('never makes a number of a text parameter', () =>
    expect(fieldsOf('customerRef=1')).toEqual({ customerRef: '1' }))

  it.each([
    ['amount=1&amount=1', 'amount'],
    ['customerRef=a&customerRef=b', 'customerRef'],
    ['customerRef=a&customer%52ef=b', 'customerRef'],
    ['__proto__=a&__proto__=b', '__proto__'],
    ['toString=a&toString=b', 'toString'],
    ['x%20y=1&x+y=2', '(unreadable)'],
  ])('%s repeats a parameter', (query, parameter) => {
    expect(errorsOf(query)).toEqual([{ parameter, detail: 'must be sent once' }])
  })

  it.each([
    'customerRef=%',
    'customerRef=%zz',
    'customerRef=%ff',
    'customerRef=%C0%AF',
    'customerRef=%ED%A0%80',
    'customerRef=%00',
    '%E0%A4=1',
  ])('%s is not valid percent-encoded text', (query) => {
    const [error] = errorsOf(query)
    expect(error?.detail).toContain('percent-encoded')
    expect(fieldsOf(query)).toEqual({})
  })

  it('says every error at once, and shows only names that are short and plain', () => {
    const secret = `${'canary'.repeat(20)}=%`
    const errors = errorsOf(`amount=1&amount=2&${secret}&a=%ff`)
    expect(errors).toHaveLength(3)
    expect(JSON.stringify(errors)).not.toContain('canary')
  })

  it('keeps __proto__ and constructor as names like any other', () => {
    const { fields } = read('__proto__=x&constructor=y')
    expect(Object.keys(fields)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype)
  })

  it('may be empty, with stray ampersands', () => {
    expect(read('')).toEqual({ fields: {}, errors: [] })
    expect(fieldsOf('&&customerRef=a&')).toEqual({ customerRef: 'a' })
  })
})
