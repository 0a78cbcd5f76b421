import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_OUTCOMES, type OutcomeRule } from '../../src/config/outcomes.ts'
import {
  CREDIT_OUTCOMES,
  compileRules,
  judge,
  KYB_OUTCOMES,
  KYC_OUTCOMES,
  type OutcomeNames,
  PAYMENT_OUTCOMES,
} from '../../src/simulator/rules.ts'

const rules = compileRules(DEFAULT_OUTCOMES)
const decided = (
  names: OutcomeNames,
  operation: string,
  fields: Record<string, unknown>,
  requested?: string,
) => {
  const { outcome, rule } = judge(rules, names, operation, fields, requested)
  return `${outcome} by ${rule}`
}
const payments = ['payments.fund', 'payments.cashout']
const credits = ['credit.simulate', 'credit.apply']

describe("the contract's magic inputs", () => {
  it.each([7, 8, 9])(
    'a phone of +225, %i zeros and a final 9 is rejected, with a final 1 approved',
    (zeros) => {
      const phone = `+225${'0'.repeat(zeros)}`
      expect(decided(KYC_OUTCOMES, 'kyc.submit', { phone: `${phone}9` })).toBe('rejected by kyc-phone-9')
      expect(decided(KYC_OUTCOMES, 'kyc.submit', { phone: `${phone}1` })).toBe('approved by kyc-phone-1')
    },
  )

  it.each([
    ['six zeros', '+2250000009'],
    ['ten zeros', '+22500000000009'],
    ['another digit among the zeros', '+22500000070009'],
    ['another country', '+22600000000009'],
    ['no plus sign', '22500000000009'],
    ['a text around it', 'x+22500000009'],
    ['a line end behind it', '+22500000009\n'],
  ])('a phone with %s is not one', (_what, phone) => {
    expect(decided(KYC_OUTCOMES, 'kyc.submit', { phone })).toBe('approved by default')
  })

  it('a businessRef that ends in 009 is rejected, one that ends in 001 approved', () => {
    expect(decided(KYB_OUTCOMES, 'kyb.submit', { businessRef: 'BUS-009' })).toBe('rejected by kyb-ref-009')
    expect(decided(KYB_OUTCOMES, 'kyb.submit', { businessRef: '009' })).toBe('rejected by kyb-ref-009')
    expect(decided(KYB_OUTCOMES, 'kyb.submit', { businessRef: 'BUS-001' })).toBe('approved by kyb-ref-001')
    for (const businessRef of ['BUS-0090', 'BUS-09', '009-BUS', 'BUS-9'])
      expect(decided(KYB_OUTCOMES, 'kyb.submit', { businessRef })).toBe('approved by default')
  })

  it.each(payments)(
    'an amount of %s fails exactly when it ends in 00, and 77 is named by its rule',
    (operation) => {
      fc.assert(
        fc.property(
          fc.maxSafeNat().filter((amount) => amount > 0),
          fc.constantFrom(0, 77, 7, 70),
          (n, last) => {
            const amount = Math.max(1, Math.min(n, 2 ** 53 - 200) - (n % 100) + last)
            const expected =
              amount % 100 === 0 && amount >= 100
                ? 'failed by payment-amount-00'
                : amount % 100 === 77
                  ? 'success by payment-amount-77'
                  : 'success by default'
            expect(decided(PAYMENT_OUTCOMES, operation, { amount })).toBe(expected)
          },
        ),
      )
    },
  )

  it.each(credits)('an amount of %s is rejected when it ends in 99, whatever its size', (operation) => {
    for (const amount of [99, 50_099, 100_099, 9_007_199_254_740_899])
      expect(decided(CREDIT_OUTCOMES, operation, { amount })).toBe('rejected by credit-amount-99')
  })

  it.each(credits)('an amount of %s that ends in 11 is named by its rule up to 100000 only', (operation) => {
    expect(decided(CREDIT_OUTCOMES, operation, { amount: 99_911 })).toBe('approved by credit-amount-11')
    expect(decided(CREDIT_OUTCOMES, operation, { amount: 11 })).toBe('approved by credit-amount-11')
    expect(decided(CREDIT_OUTCOMES, operation, { amount: 100_011 })).toBe('approved by default')
  })

  it('of one operation mean nothing to another', () => {
    expect(decided(CREDIT_OUTCOMES, 'credit.apply', { amount: 500 })).toBe('approved by default')
    expect(decided(PAYMENT_OUTCOMES, 'payments.fund', { amount: 599 })).toBe('success by default')
    expect(decided(KYB_OUTCOMES, 'kyb.submit', { businessRef: 'x', phone: '+22500000009' })).toBe(
      'approved by default',
    )
    expect(decided(KYC_OUTCOMES, 'kyc.submit', { phone: '+2250700000000', customerRef: '009' })).toBe(
      'approved by default',
    )
  })

  it('are outranked by the outcome that the caller names', () => {
    expect(decided(PAYMENT_OUTCOMES, 'payments.fund', { amount: 100 }, 'success')).toBe(
      'success by requested',
    )
    expect(decided(PAYMENT_OUTCOMES, 'payments.fund', { amount: 77 }, 'failed')).toBe('failed by requested')
    expect(decided(PAYMENT_OUTCOMES, 'payments.fund', { amount: 77 }, 'rejected')).toBe(
      'success by payment-amount-77',
    )
  })
})

describe('rules', () => {
  const rule = (
    id: string,
    test: OutcomeRule['test'],
    outcome: OutcomeRule['outcome'] = 'failed',
  ): OutcomeRule => ({
    id,
    operations: ['payments.fund'],
    field: 'amount',
    test,
    outcome,
  })
  const ruleFor = (list: readonly OutcomeRule[], amount: unknown) =>
    compileRules(list)('payments.fund', { amount })?.rule

  it('are evaluated in order, and the first that matches decides', () => {
    const wide = rule('wide', { endsWith: '0' })
    const narrow = rule('narrow', { endsWith: '00' }, 'success')
    expect(ruleFor([wide, narrow], 500)).toBe('wide')
    expect(ruleFor([narrow, wide], 500)).toBe('narrow')
    expect(ruleFor([narrow, wide], 50)).toBe('wide')
    expect(ruleFor([narrow, wide], 5)).toBeUndefined()
  })

  it('need everything in their test to hold', () => {
    const both = rule('both', { endsWith: '7', atMost: 100, matches: '[0-9]{2}' })
    expect(ruleFor([both], 97)).toBe('both')
    for (const amount of [7, 107, 98]) expect(ruleFor([both], amount)).toBeUndefined()
  })

  it('match a pattern against the whole value, alternatives included', () => {
    const either = rule('either', { matches: '12|34' })
    expect(ruleFor([either], 12)).toBe('either')
    expect(ruleFor([either], 34)).toBe('either')
    expect(ruleFor([either], 123)).toBeUndefined()
    expect(ruleFor([either], 934)).toBeUndefined()
  })

  it('pass over a field that is absent or no text or number', () => {
    const any = rule('any', { matches: '.*' })
    for (const amount of [undefined, null, true, [], {}, ['00']])
      expect(ruleFor([any], amount)).toBeUndefined()
    expect(ruleFor([rule('limit', { atMost: 5 })], '3')).toBeUndefined()
    expect(compileRules([rule('own', { matches: '.*' })])('payments.cashout', { amount: 1 })).toBeUndefined()
  })
})
