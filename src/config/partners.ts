import Type, { type Static } from 'typebox'
import {
  CAP_PRODUCTS,
  GROUPS_NOT_PER_PARTNER,
  RATE_LIMIT_GROUPS,
  type RateLimitGroup,
  SCOPES,
} from './contract.ts'
import { closed, type Frozen, oneOf } from './schema-parts.ts'

export const Limit = Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Requests per window.' })

const partnerLimits = Object.fromEntries(
  Object.keys(RATE_LIMIT_GROUPS)
    .filter((group) => !GROUPS_NOT_PER_PARTNER.some((other) => other === group))
    .map((group) => [group, Type.Optional(Limit)]),
) as Record<RateLimitGroup, Type.TOptional<Type.TInteger>>

export const CapSchema = Type.Object(
  {
    product: oneOf(CAP_PRODUCTS, { description: 'What is capped.' }),
    period: oneOf(['day', 'month'] as const, {
      description: 'The UTC period after which the cap starts anew.',
    }),
    unit: oneOf(['calls', 'amount'] as const, {
      description: '`calls` counts decisions, `amount` sums the XOF of successful ones.',
    }),
    limit: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Calls, or XOF.' }),
  },
  closed,
)

export type Cap = Frozen<Static<typeof CapSchema>>

export const DEFAULT_CAPS: readonly Cap[] = [
  { product: 'accounts', period: 'day', unit: 'calls', limit: 1000 },
  { product: 'kyc', period: 'day', unit: 'calls', limit: 500 },
  { product: 'kyb', period: 'day', unit: 'calls', limit: 200 },
  { product: 'payments.fund', period: 'day', unit: 'amount', limit: 50_000_000 },
  { product: 'payments.cashout', period: 'day', unit: 'amount', limit: 20_000_000 },
  { product: 'credit', period: 'month', unit: 'amount', limit: 10_000_000 },
]

const Key = Type.Object(
  {
    id: Type.String({
      pattern: '^key_[A-Za-z0-9_-]{1,60}$',
      shape: 'key_ and 1 to 60 of A-Z, a-z, 0-9, _ and -',
      description: 'The key id, usable as client_id.',
    }),
    sha256: Type.String({
      pattern: '^[0-9a-f]{64}$',
      shape: 'the SHA-256 of the sandbox key (never the key itself) as 64 lower-case hex digits',
      secret: true,
      description: 'SHA-256 of the sandbox key, in hex.',
    }),
    scopes: Type.Optional(
      Type.Array(oneOf(SCOPES), { description: 'Narrower than the scopes of the partner.' }),
    ),
    revoked: Type.Optional(
      Type.Boolean({ default: false, description: 'A revoked key and its tokens are refused at once.' }),
    ),
  },
  closed,
)

export const PartnerSchema = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,39}$',
      shape: '1 to 40 of a-z, 0-9 and -, the first not -',
      description: 'Names the partner in metrics and logs.',
    }),
    name: Type.String({ minLength: 1, maxLength: 100, description: 'For people.' }),
    tenant: Type.String({
      pattern: '^tn_sandbox_[A-Za-z0-9_-]{1,60}$',
      shape: 'tn_sandbox_ and 1 to 60 of A-Z, a-z, 0-9, _ and -',
      description: 'The tenant on all keys of the partner.',
    }),
    scopes: Type.Array(oneOf(SCOPES), { minItems: 1, description: 'What its keys may ask for.' }),
    keys: Type.Array(Key, { description: 'The sandbox keys, hashed.' }),
    caps: Type.Optional(
      Type.Array(CapSchema, {
        description: 'Override the caps of the same product, period and unit; others are added.',
      }),
    ),
    rateLimits: Type.Optional(
      Type.Object(partnerLimits, {
        ...closed,
        description: 'Override limits by group.',
        explainKeys: Object.fromEntries(
          GROUPS_NOT_PER_PARTNER.map((group) => [
            group,
            'counts per client or per client IP, so a partner cannot have a limit of its own; set it for everybody in rateLimits.groups',
          ]),
        ),
      }),
    ),
  },
  closed,
)

export type Partner = Frozen<Static<typeof PartnerSchema>>

export const PartnersSchema = Type.Array(PartnerSchema, { description: 'The partners.' })
