import Type, { type Static } from 'typebox'
import { DECIDING_OPERATIONS, type DecidingOperation } from './contract.ts'
import { closed, type Frozen, oneOf } from './schema-parts.ts'

/** One magic input, as data: when `field` of one of `operations` passes `test`, the outcome is `outcome`. */
export const RuleSchema = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
      shape: '1 to 64 of a-z, 0-9 and -, the first not -',
      description: 'Shown in X-Sandbox-Rule.',
    }),
    operations: Type.Array(oneOf(Object.keys(DECIDING_OPERATIONS) as DecidingOperation[]), {
      minItems: 1,
      description: 'The operations it applies to.',
    }),
    field: Type.String({
      pattern: '^[A-Za-z]{1,40}$',
      shape: '1 to 40 letters',
      description: 'A property or query parameter of the request.',
    }),
    test: Type.Object(
      {
        equals: Type.Optional(Type.String({ maxLength: 200, description: 'The whole value.' })),
        endsWith: Type.Optional(
          Type.String({ minLength: 1, maxLength: 200, description: 'The last characters or digits.' }),
        ),
        matches: Type.Optional(
          Type.String({ maxLength: 200, description: 'A regular expression over the whole value.' }),
        ),
        atMost: Type.Optional(Type.Integer({ description: 'And the amount is at most this many XOF.' })),
      },
      { ...closed, minProperties: 1, description: 'What the value must pass; all that is given must hold.' },
    ),
    outcome: oneOf(['success', 'failed', 'approved', 'rejected'] as const, {
      description: '`success` or `failed` on payments, `approved` or `rejected` elsewhere.',
    }),
  },
  closed,
)

export type OutcomeRule = Frozen<Static<typeof RuleSchema>>

/** Beyond so many, judging one request would cost more than the rest of it. */
export const MAX_RULES = 1000

/** The seeded references, with their scores: rows that exist before anybody has opened an account. */
export const DEFAULT_SCORES: Readonly<Record<string, number>> = {
  'CUS-0001': 712,
  'CUS-0002': 455,
  'CUS-0003': 588,
  'CUS-0004': 810,
}

/** The contract's magic inputs, evaluated in order; what no rule names succeeds. */
export const DEFAULT_OUTCOMES: readonly OutcomeRule[] = [
  {
    id: 'kyc-phone-9',
    operations: ['kyc.submit'],
    field: 'phone',
    test: { matches: '\\+2250{7,9}9' },
    outcome: 'rejected',
  },
  {
    id: 'kyc-phone-1',
    operations: ['kyc.submit'],
    field: 'phone',
    test: { matches: '\\+2250{7,9}1' },
    outcome: 'approved',
  },
  {
    id: 'kyb-ref-009',
    operations: ['kyb.submit'],
    field: 'businessRef',
    test: { endsWith: '009' },
    outcome: 'rejected',
  },
  {
    id: 'kyb-ref-001',
    operations: ['kyb.submit'],
    field: 'businessRef',
    test: { endsWith: '001' },
    outcome: 'approved',
  },
  {
    id: 'payment-amount-00',
    operations: ['payments.fund', 'payments.cashout'],
    field: 'amount',
    test: { endsWith: '00' },
    outcome: 'failed',
  },
  {
    id: 'payment-amount-77',
    operations: ['payments.fund', 'payments.cashout'],
    field: 'amount',
    test: { endsWith: '77' },
    outcome: 'success',
  },
  {
    id: 'credit-amount-99',
    operations: ['credit.simulate', 'credit.apply'],
    field: 'amount',
    test: { endsWith: '99' },
    outcome: 'rejected',
  },
  {
    id: 'credit-amount-11',
    operations: ['credit.simulate', 'credit.apply'],
    field: 'amount',
    test: { endsWith: '11', atMost: 100_000 },
    outcome: 'approved',
  },
]
