import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isExactInteger } from '../../src/http/decimal.ts'
import { runs } from '../support/effort.ts'

/** The same question, answered by arithmetic: digits * 10^scale is an integer when 10^-scale divides digits. */
function isIntegerByArithmetic(sign: string, whole: string, fraction: string, exponent: number): boolean {
  const digits = BigInt(`${whole}${fraction}`)
  const scale = exponent - fraction.length
  return scale >= 0 || digits % 10n ** BigInt(-scale) === 0n || (sign === '-' && digits === 0n)
}

const digits = (minLength: number, maxLength: number) =>
  fc.oneof(
    fc.array(fc.constantFrom(...'0123456789'), { minLength, maxLength }).map((each) => each.join('')),
    // Runs of zeros are where mistakes are made.
    fc.array(fc.constantFrom('0', '0', '0', '0', '7'), { minLength, maxLength }).map((each) => each.join('')),
  )
const whole = digits(1, 20).map((text) => text.replace(/^0+(?=.)/, ''))

describe('the exact value of a JSON number', () => {
  it('is an integer exactly when BigInt arithmetic on its text says so', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', '-'),
        whole,
        fc.option(digits(1, 25), { nil: '' }),
        fc.option(fc.integer({ min: -30, max: 30 }), { nil: undefined }),
        fc.constantFrom('e', 'E'),
        fc.constantFrom('', '+', '0'),
        (sign, integer, fraction, exponent, e, plus) => {
          const written = exponent === undefined ? '' : `${e}${exponent < 0 ? '' : plus}${exponent}`
          const text = `${sign}${integer}${fraction === '' ? '' : `.${fraction}`}${written}`
          expect(() => JSON.parse(text)).not.toThrow()
          expect(isExactInteger(text), text).toBe(
            isIntegerByArithmetic(sign, integer, fraction, exponent ?? 0),
          )
        },
      ),
      { numRuns: runs(3000) },
    )
  })

  it.each([
    '0',
    '-0',
    '0.0',
    '0e99',
    '0.000e-5',
    '1000.0',
    '1e3',
    '1.5e1',
    '10e-1',
    '9007199254740993',
    '1e400',
    `1e${'9'.repeat(400)}`,
  ])('of %s is an integer', (text) => expect(isExactInteger(text)).toBe(true))

  it.each([
    '1.5',
    '1000.0000000000000000001',
    '9007199254740991.4',
    '1e-1',
    '15e-2',
    '0.1e0',
    '1e-400',
    `1e-${'9'.repeat(400)}`,
  ])('of %s is not an integer', (text) => expect(isExactInteger(text)).toBe(false))

  it('takes no longer for a body full of zeros than for any other', () => {
    const startedAt = performance.now()
    const zeros = '0'.repeat(1_000_000)
    expect(isExactInteger(`0.${zeros}1`)).toBe(false)
    expect(isExactInteger(`1${zeros}.${zeros}`)).toBe(true)
    expect(isExactInteger(`1${zeros}1e-1`)).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(1000)
  })
})
