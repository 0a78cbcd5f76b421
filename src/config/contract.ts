/**
 * What the interface brings into the configuration: its scopes, rate-limit groups, capped products and the operations
 * that decide. The rows of src/operations use these names; test/operations/rows.test.ts holds the two together.
 */

export const SCOPES = [
  'accounts:read',
  'accounts:write',
  'kyc:initiate',
  'payments:write',
  'webhooks:register',
] as const

export type Scope = (typeof SCOPES)[number]

/** The rate-limit groups, with their defaults: requests per window. */
export const RATE_LIMIT_GROUPS = {
  token: 10,
  'accounts.open': 100,
  'kyc.submit': 50,
  'payments.fund': 200,
  'payments.cashout': 200,
  'credit.simulate': 60,
  'credit.apply': 30,
  other: 300,
} as const

export type RateLimitGroup = keyof typeof RATE_LIMIT_GROUPS

/** Groups that count per client or per client IP; a partner cannot have limits of its own for them. */
export const GROUPS_NOT_PER_PARTNER = ['token', 'credit.simulate'] as const

export const CAP_PRODUCTS = ['accounts', 'kyc', 'kyb', 'payments.fund', 'payments.cashout', 'credit'] as const

export type CapProduct = (typeof CAP_PRODUCTS)[number]

/** Products that move no money: their caps count calls alone. */
export const PRODUCTS_WITHOUT_AMOUNT: readonly CapProduct[] = ['accounts', 'kyc', 'kyb']

/** What a decision's two outcomes are called. */
export const REVIEWED = { good: 'approved', bad: 'rejected' } as const
export const PAID = { good: 'success', bad: 'failed' } as const

/** The operations that outcome rules can name. */
export const DECIDING_OPERATIONS = {
  'kyc.submit': { outcomes: REVIEWED, hasAmount: false },
  'kyb.submit': { outcomes: REVIEWED, hasAmount: false },
  'payments.fund': { outcomes: PAID, hasAmount: true },
  'payments.cashout': { outcomes: PAID, hasAmount: true },
  'credit.simulate': { outcomes: REVIEWED, hasAmount: true },
  'credit.apply': { outcomes: REVIEWED, hasAmount: true },
} as const

export type DecidingOperation = keyof typeof DECIDING_OPERATIONS

/** Everything that somebody decides or answers from records: all operations but the token exchange and the usage view. */
export const DECIDED_OPERATIONS = [
  'accounts.open',
  'accounts.list',
  'accounts.read',
  'kyc.submit',
  'kyc.widget.session',
  'kyc.widget.read',
  'kyb.submit',
  'payments.fund',
  'payments.cashout',
  'credit.simulate',
  'credit.apply',
  'score.read',
  'webhooks.register',
  'webhooks.list',
  'webhooks.read',
  'webhooks.ip-ranges',
] as const

export type DecidedOperation = (typeof DECIDED_OPERATIONS)[number]

/** Operations that read what others of them have written. */
export const SHARING_RECORDS: Readonly<Record<string, readonly DecidedOperation[]>> = {
  'accounts, payments, credit and scores': [
    'accounts.open',
    'accounts.list',
    'accounts.read',
    'payments.fund',
    'payments.cashout',
    'credit.simulate',
    'credit.apply',
    'score.read',
  ],
  'identity checks and widget sessions': ['kyc.submit', 'kyc.widget.session', 'kyc.widget.read'],
  webhooks: ['webhooks.register', 'webhooks.list', 'webhooks.read'],
}
