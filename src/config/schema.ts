import Type, { type Static } from 'typebox'

/**
 * The configuration, once: types, defaults, the generated reference and every validation error come from here.
 * Units are in the names. Beside JSON Schema there are options of our own (check.ts reads them):
 *
 * - `reload: true` marks what takes effect without a restart.
 * - `shape` says in words what a `pattern` accepts; `explain` is added to the message when the type is wrong, and
 *   `explainKeys` when one of these keys is used, because there the reason is not obvious.
 * - `secret: true` keeps a value out of error messages; a key pasted into the wrong place must not reach a log.
 * - `format` names a check of formats.ts.
 */

const closed = { additionalProperties: false } as const

export const SCOPES = [
  'accounts:read',
  'accounts:write',
  'kyc:initiate',
  'payments:write',
  'webhooks:register',
] as const
export type Scope = (typeof SCOPES)[number]

/** A configuration is never changed in place; a reload makes another one. */
type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T

/** The rate-limit groups of the contract, with their defaults: requests per window. */
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

/** A customerRef. */
const SCORE_KEY = '^[A-Za-z0-9._:-]{1,64}$'

export const CAP_PRODUCTS = ['accounts', 'kyc', 'kyb', 'payments.fund', 'payments.cashout', 'credit'] as const
export type CapProduct = (typeof CAP_PRODUCTS)[number]

const oneOf = <const V extends readonly string[]>(values: V, options: object = {}) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options })

const count = (description: string, initial: number, minimum = 1, maximum = 2 ** 31 - 1) =>
  Type.Integer({ minimum, maximum, default: initial, description })

const Limit = Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Requests per window.' })

const groupLimits = Object.fromEntries(
  Object.entries(RATE_LIMIT_GROUPS).map(([group, limit]) => [
    group,
    Type.Optional(
      Type.Integer({ ...Limit, default: limit, description: `Requests per window in the group ${group}.` }),
    ),
  ]),
) as Record<RateLimitGroup, Type.TOptional<Type.TInteger>>

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

export const DECIDING_OPERATIONS = [
  'kyc.submit',
  'kyb.submit',
  'payments.fund',
  'payments.cashout',
  'credit.simulate',
  'credit.apply',
] as const

/** One magic input, as data: when `field` of one of `operations` passes `test`, the outcome is `outcome`. */
export const RuleSchema = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
      shape: '1 to 64 of a-z, 0-9 and -, the first not -',
      description: 'Shown in X-Sandbox-Rule.',
    }),
    operations: Type.Array(oneOf(DECIDING_OPERATIONS), {
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

const section = <P extends Type.TProperties>(properties: P, description: string) =>
  Type.Object(properties, { ...closed, description, default: {} })

const nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { default: null, description })

const Host = (description: string) =>
  Type.String({ minLength: 1, format: 'host', default: '127.0.0.1', description })

export const ConfigSchema = Type.Object(
  {
    listen: section(
      {
        host: Host('The address of the partner listener.'),
        port: count('The port of the partner listener; 0 picks a free one.', 8080, 0, 65_535),
        publicUrl: nullable(
          Type.String({ format: 'http-origin' }),
          'The URL that partners use (scheme, host and port); the token issuer and every absolute URL come from it.',
        ),
        trustedProxies: Type.Array(Type.String({ format: 'proxy-cidr' }), {
          default: [],
          explain:
            'a hop count or "trust all" believes addresses that any client can make up, so list the CIDR blocks of your proxies',
          description: 'CIDR blocks of the proxies whose X-Forwarded-For is believed.',
        }),
      },
      'The partner listener.',
    ),
    operator: section(
      {
        host: Host('The address of the operator listener.'),
        port: count('The port of the operator listener; 0 picks a free one.', 8081, 0, 65_535),
        token: nullable(
          Type.String({
            minLength: 16,
            maxLength: 256,
            pattern: '^[!-~]+$',
            shape: 'printable ASCII without spaces, since it travels in a header',
            secret: true,
          }),
          'Bearer token of the operator listener; required beyond loopback.',
        ),
        metricsOpen: Type.Boolean({
          default: false,
          description: 'Serve /metrics without the token beyond loopback.',
        }),
      },
      'The operator listener: health, metrics and everything an operator does.',
    ),
    server: section(
      {
        bodyBytes: count('The largest request body.', 65_536, 1, 16_777_216),
        headerBytes: count('The largest request line and headers together.', 16_384, 1024, 1_048_576),
        headersTimeoutMs: count('How long the headers may take.', 10_000, 100, 600_000),
        requestTimeoutMs: count('How long a whole request may take to arrive.', 30_000, 100, 600_000),
        keepAliveTimeoutMs: count('How long an idle connection stays open.', 65_000, 100, 600_000),
        maxInFlight: count(
          'Requests in flight beyond which the gateway answers 503 OVERLOADED.',
          1000,
          1,
          1_000_000,
        ),
        maxLoopDelayMs: count(
          'How late the event loop may run before the gateway answers 503 OVERLOADED.',
          1000,
          10,
          60_000,
        ),
        maxConnections: count('Connections beyond which new ones are closed.', 10_000, 1, 1_000_000),
        drainMs: count('How long requests in flight may take after SIGTERM.', 10_000, 0, 600_000),
      },
      'Bounds of the partner listener.',
    ),
    store: section(
      {
        engine: oneOf(['memory', 'embedded'] as const, {
          default: 'embedded',
          description: '`embedded` keeps everything in a directory; `memory` forgets it at exit.',
        }),
        path: Type.String({
          minLength: 1,
          default: './data',
          description: 'The data directory, relative to the working directory.',
        }),
      },
      'Where state is kept.',
    ),
    clock: section(
      {
        controllable: Type.Boolean({
          default: false,
          description: 'Let the operator listener move the clock forward.',
        }),
      },
      'The clock.',
    ),
    tokens: section(
      {
        issuer: nullable(Type.String({ format: 'http-origin' }), 'The issuer; by default the public URL.'),
        audience: Type.String({
          minLength: 1,
          default: 'partner-sandbox',
          description: 'The audience of access tokens.',
        }),
        lifetimeSeconds: count('How long an access token is valid.', 3600, 1, 86_400),
        failuresPerIp: count('Failed token exchanges per client IP and window.', 100, 1, 1_000_000),
      },
      'Access tokens.',
    ),
    idempotency: section(
      {
        retentionHours: count('How long a finished answer is kept.', 24, 1, 8760),
        leaseSeconds: count('How long a running key may stay unfinished.', 30, 1, 3600),
        tokenExchange: oneOf(['exempt', 'required'] as const, {
          default: 'exempt',
          description: 'Whether POST /auth/token needs an Idempotency-Key.',
        }),
      },
      'Idempotency keys.',
    ),
    rateLimits: section(
      {
        windowSeconds: count('The length of a window.', 60, 1, 86_400),
        reset: oneOf(['epoch', 'seconds'] as const, {
          default: 'epoch',
          description: 'X-RateLimit-Reset as Unix seconds, or as seconds left.',
        }),
        groups: Type.Object(groupLimits, {
          ...closed,
          default: {},
          description: 'Requests per window, by group.',
          reload: true,
        }),
      },
      'Rate limits.',
    ),
    caps: Type.Array(CapSchema, {
      default: [...DEFAULT_CAPS],
      description: 'The caps of every partner.',
      reload: true,
    }),
    outcomes: Type.Array(RuleSchema, {
      default: [...DEFAULT_OUTCOMES],
      description: 'The magic inputs, evaluated in order; the default outcome is a success.',
      reload: true,
    }),
    widget: section(
      { sessionMinutes: count('How long a KYC widget session is open.', 15, 1, 1440) },
      'The KYC widget.',
    ),
    credit: section(
      {
        simulateAuth: oneOf(['required', 'none'] as const, {
          default: 'required',
          description: 'Whether GET /v1/credit/simulate needs a token.',
        }),
        annualRatePercent: Type.Number({
          minimum: 0,
          maximum: 100,
          default: 12,
          description: 'The annual rate of simulated credit.',
        }),
      },
      'Simulated credit.',
    ),
    decisions: section(
      { from: oneOf(['simulator'] as const, { default: 'simulator', description: 'Who decides.' }) },
      'Where decisions come from.',
    ),
    recording: section(
      {
        mode: oneOf(['off', 'all'] as const, {
          default: 'off',
          description: '`all` records everything that passes, from start to stop, as a cassette.',
        }),
        directory: Type.String({
          minLength: 1,
          default: './recordings',
          description: 'Where cassettes are written, relative to the working directory.',
        }),
        origin: nullable(
          Type.String({ format: 'http-origin' }),
          'The origin of the URLs in a cassette; by default the public URL.',
        ),
        personalData: oneOf(['redact', 'keep'] as const, {
          default: 'redact',
          description: 'Whether personal data become stand-ins. Secrets always do.',
        }),
      },
      'Recording of what passes.',
    ),
    webhooks: section(
      {
        ipRanges: Type.Array(Type.String({ format: 'cidr' }), {
          default: [],
          description: 'The confirmed outbound CIDR blocks.',
          reload: true,
        }),
      },
      'Webhooks.',
    ),
    scores: Type.Record(Type.String({ pattern: SCORE_KEY }), Type.Integer({ minimum: 300, maximum: 850 }), {
      ...closed,
      default: {},
      shape: '1 to 64 of A-Z, a-z, 0-9, ".", "_", ":" and -',
      description: 'Score rows by customerRef; they win over computed ones.',
      reload: true,
    }),
    log: section(
      {
        requests: Type.Boolean({ default: true, description: 'One line per request.' }),
        format: oneOf(['auto', 'json', 'pretty', 'off'] as const, {
          default: 'auto',
          description: '`auto` is pretty on a terminal and JSON elsewhere; `off` writes nothing.',
        }),
      },
      'The log, on standard output.',
    ),
    partners: Type.Union([Type.String({ minLength: 1 }), PartnersSchema], {
      default: './partners.yaml',
      description: 'The partners, or the file that lists them, relative to this file.',
      reload: true,
    }),
  },
  closed,
)

/** A complete configuration: every default filled in, the partners loaded, every limit present. */
export type Config = Frozen<
  Omit<Static<typeof ConfigSchema>, 'partners' | 'rateLimits'> & {
    rateLimits: Omit<Static<typeof ConfigSchema>['rateLimits'], 'groups'> & {
      groups: Record<RateLimitGroup, number>
    }
    partners: Partner[]
  }
>
