import type { Circumstances } from './openapi-codes.ts'
import { EXAMPLE_REQUEST_ID } from './openapi-names.ts'
import { type Json, refTo } from './openapi-schemas.ts'
import type { OperationRow } from './operation.ts'

const UUID_V4 = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$'

/** The docs page replaces this one by a fresh key, so that trying an operation twice is not a replay. */
export const EXAMPLE_KEY = '8f14e45f-ceea-467f-a0e6-2e9b1c3d5a70'

const text = (description: string, example: string, more: Json = {}): Json => ({
  description,
  schema: { type: 'string', ...more },
  example,
})

const count = (description: string, example: number, minimum = 0): Json => ({
  description,
  schema: { type: 'integer', minimum },
  example,
})

export const HEADERS = {
  'X-Request-Id': text('Names this request in the log of the gateway.', EXAMPLE_REQUEST_ID),
  'X-RateLimit-Limit': count('Requests per window.', 200),
  'X-RateLimit-Remaining': count('Requests left in the window.', 199),
  'X-RateLimit-Reset': count(
    'When the window ends, in Unix seconds (an operator may have chosen the seconds left).',
    1768469460,
  ),
  RateLimit: text('The window: requests left (r) and seconds left (t).', '"payments.fund";r=199;t=42'),
  'RateLimit-Policy': text('Its group, quota (q) and length in seconds (w).', '"payments.fund";q=200;w=60'),
  'Retry-After': count('Seconds to wait before the next attempt.', 1, 1),
  Location: text('The path of what was created.', '/v1/accounts/acc_0VhYx3kQm4Zq9TtB2nR7wLc1d'),
  'X-Sandbox-Rule': text(
    'What decided: the id of an outcome rule, `requested` (X-Sandbox-Outcome) or `default`.',
    'payment-amount-77',
  ),
  'Idempotency-Replayed': text(
    '`true` when this is the stored answer to an earlier request with the same key; absent otherwise.',
    'true',
    { enum: ['true'] },
  ),
  'WWW-Authenticate': text('The challenge of RFC 6750, or of HTTP Basic.', 'Bearer error="invalid_token"'),
  'Content-Language': text('The language of what the answer says in words: `en` or `fr`.', 'en', {
    enum: ['en', 'fr'],
  }),
  Vary: text('The words follow `Accept-Language`.', 'Accept-Language'),
  'Cache-Control': text('Answers are never cached.', 'no-store'),
  Pragma: text('RFC 6749 section 5.1.', 'no-cache'),
} as const satisfies Record<string, Json>

export type HeaderName = keyof typeof HEADERS

/** Beside words that follow Accept-Language. */
export const LANGUAGE = ['Content-Language', 'Vary'] as const satisfies readonly HeaderName[]

/** On every response, whatever produced it. */
export const COMMON_HEADERS: readonly HeaderName[] = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'Cache-Control',
]

/** Those of a response: the ones that are on every such response, and the ones that are on some. */
export function responseHeaders(always: readonly HeaderName[], sometimes: readonly HeaderName[] = []): Json {
  return Object.fromEntries([
    ...[...COMMON_HEADERS, ...always].map((name) => [name, refTo('headers', name)]),
    ...sometimes.map((name) => [name, refTo('headers', optional(name))]),
  ])
}

const optional = (name: HeaderName) => `Optional-${name}`

/** Each header as it is where it always comes, and as it is where it sometimes does; a replay is never the only way. */
export function headerComponents(): Json {
  return Object.fromEntries(
    Object.entries(HEADERS).flatMap(([name, header]) => [
      ...(name === 'Idempotency-Replayed' ? [] : [[name, { required: true, ...header }]]),
      ...(SOMETIMES.some((each) => each === name)
        ? [[optional(name as HeaderName), { required: false, ...header }]]
        : []),
    ]),
  )
}

const SOMETIMES: readonly HeaderName[] = [
  'Retry-After',
  'WWW-Authenticate',
  'Idempotency-Replayed',
  ...LANGUAGE,
]

export const HEADER_PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'A UUID v4, fresh for each new request. The same key with the same request replays the stored answer for 24 hours; with another request it is refused.',
    schema: { type: 'string', format: 'uuid', pattern: UUID_V4 },
    example: EXAMPLE_KEY,
  },
  // Without an example: the docs page would fill it in, and it is wrong for every other tenant.
  TenantId: {
    name: 'X-Tenant-Id',
    in: 'header',
    required: false,
    description: 'When sent, it must be the tenant on the key, such as `tn_sandbox_demo`.',
    schema: { type: 'string', pattern: '^tn_sandbox_' },
  },
} as const satisfies Record<string, Json>

/** The request headers that the operation reads, beside Authorization. */
export function headerParameters(row: OperationRow, { exchangeNeedsKey }: Circumstances): readonly Json[] {
  const tenant = refTo('parameters', 'TenantId')
  const key = refTo('parameters', 'IdempotencyKey')
  if (row.auth === 'client') return exchangeNeedsKey ? [key, tenant] : [tenant]
  return [
    ...(row.method === 'POST' ? [key] : []),
    tenant,
    ...(row.outcomes ? [outcomeParameter(row.outcomes)] : []),
  ]
}

function outcomeParameter({ good, bad }: { good: string; bad: string }): Json {
  return {
    name: 'X-Sandbox-Outcome',
    in: 'header',
    required: false,
    description: `Asks the simulator for an outcome, whatever the magic inputs say: \`${good}\` or \`${bad}\`.`,
    schema: { type: 'string', enum: [good, bad] },
  }
}
