import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repayment } from '../../src/simulator/loan.ts'
import { bandOf, scoreOf } from '../../src/simulator/score.ts'
import { runs } from '../support/effort.ts'

const term = fc.integer({ min: 1, max: 60 })
const amount = fc.oneof(fc.integer({ min: 1, max: 10_000_000 }), fc.integer({ min: 1, max: 2 ** 53 - 1 }))
const rate = fc.oneof(
  fc.constantFrom(0, 12, 100, 1e-6, 1e-13, 1e-300, 5e-324),
  fc.double({ min: 0, max: 100, noNaN: true }),
)

describe('an annuity', () => {
  it('is paid in whole XOF, and its total is every payment together and covers the amount', () => {
    fc.assert(
      fc.property(amount, rate, term, (sum, percent, months) => {
        const { monthlyPayment, totalRepayable } = repayment(sum, percent, months)
        expect(Number.isInteger(monthlyPayment)).toBe(true)
        expect(monthlyPayment).toBeGreaterThanOrEqual(1)
        expect(totalRepayable).toBe(monthlyPayment * months)
        if (totalRepayable <= Number.MAX_SAFE_INTEGER) expect(totalRepayable).toBeGreaterThanOrEqual(sum)
      }),
      { numRuns: runs(3000) },
    )
  })

  it('pays the loan off: at most one last payment of rounding is left over, and never less than nothing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000_000 }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        term,
        (sum, percent, months) => {
          const { monthlyPayment } = repayment(sum, percent, months)
          const growth = 1 + percent / 1200
          let owed = sum
          let owedWithOneLess = sum
          for (let i = 0; i < months; i++) {
            owed = owed * growth - monthlyPayment
            owedWithOneLess = owedWithOneLess * growth - (monthlyPayment - 1)
          }
          const tolerance = 1e-6 * sum * growth ** months
          expect(owed).toBeLessThanOrEqual(tolerance)
          expect(owedWithOneLess).toBeGreaterThanOrEqual(-tolerance)
        },
      ),
    )
  })

  it('costs nothing without interest, and more with more of it', () => {
    expect(repayment(6000, 0, 6)).toEqual({ monthlyPayment: 1000, totalRepayable: 6000 })
    expect(repayment(6001, 0, 6)).toEqual({ monthlyPayment: 1001, totalRepayable: 6006 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), rate, rate, term, (sum, one, two, months) => {
        const [low, high] = one < two ? [one, two] : [two, one]
        expect(repayment(sum, low, months).monthlyPayment).toBeLessThanOrEqual(
          repayment(sum, high, months).monthlyPayment,
        )
      }),
    )
  })

  it('of a tiny rate is the one without interest, rounded up', () => {
    for (const percent of [5e-324, 1e-300, 1e-15, 1e-13])
      expect(repayment(1000, percent, 6).monthlyPayment).toBe(167)
    expect(repayment(908_301, 7.87391329706724e-280, 3).monthlyPayment).toBe(302_767)
  })

  it('is what the documentation shows', () => {
    expect(repayment(50_011, 12, 6)).toEqual({ monthlyPayment: 8630, totalRepayable: 51_780 })
  })
})

describe('a score', () => {
  it('is a whole number from 300 to 850, the same every time', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9._:-]{1,64}$/), (reference) => {
        const score = scoreOf(reference)
        expect(Number.isInteger(score) && score >= 300 && score <= 850).toBe(true)
        expect(scoreOf(reference)).toBe(score)
      }),
    )
  })

  it.each([
    ['CUS-0001', 766],
    ['CUS-0002', 385],
    ['a', 525],
    ['customer:42', 393],
  ])('of %s never changes', (reference, score) => {
    expect(scoreOf(reference)).toBe(score)
  })

  it('takes every value of its range', () => {
    const seen = new Set([...Array(20_000).keys()].map((i) => scoreOf(`CUS-${i}`)))
    expect([Math.min(...seen), Math.max(...seen), seen.size]).toEqual([300, 850, 551])
  })

  it.each([
    [300, 'poor'],
    [579, 'poor'],
    [580, 'fair'],
    [669, 'fair'],
    [670, 'good'],
    [739, 'good'],
    [740, 'very_good'],
    [799, 'very_good'],
    [800, 'excellent'],
    [850, 'excellent'],
  ])('of %i is in the band %s', (score, band) => expect(bandOf(score)).toBe(band))
})
