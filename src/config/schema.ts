import Type, { type Static } from 'typebox'
import { RATE_LIMIT_GROUPS, type RateLimitGroup } from './contract.ts'
import { DEFAULT_OUTCOMES, DEFAULT_SCORES, RuleSchema } from './outcomes.ts'
import { CapSchema, DEFAULT_CAPS, Limit, type Partner, PartnersSchema } from './partners.ts'
import { closed, count, type Frozen, Host, nullable, oneOf, section } from './schema-parts.ts'
import {
  AssertionAudiencesSchema,
  DecisionsSchema,
  TrustedIssuersSchema,
  UpstreamSchema,
} from './upstream.ts'

/**
 * The configuration, once: types, defaults, the generated reference and every validation error come from here and from
 * the files beside it: contract.ts, partners.ts, outcomes.ts and upstream.ts.
 * Units are in the names. Beside JSON Schema there are options of our own (check.ts reads them):
 *
 * - `reload: true` marks what takes effect without a restart.
 * - `shape` says in words what a `pattern` accepts; `explain` is added to the message when the type is wrong, and
 *   `explainKeys` when one of these keys is used, because there the reason is not obvious.
 * - `secret: true` keeps a value out of error messages; a key pasted into the wrong place must not reach a log.
 * - `format` names a check of formats.ts.
 */

/** A customerRef. */
const SCORE_KEY = '^[A-Za-z0-9._:-]{1,64}$'

const groupLimits = Object.fromEntries(
  Object.entries(RATE_LIMIT_GROUPS).map(([group, limit]) => [
    group,
    Type.Optional(
      Type.Integer({ ...Limit, default: limit, description: `Requests per window in the group ${group}.` }),
    ),
  ]),
) as Record<RateLimitGroup, Type.TOptional<Type.TInteger>>

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
        headerLines: count('The most header lines of a request.', 1000, 1, 100_000),
        headersTimeoutMs: count('How long the headers may take.', 10_000, 100, 600_000),
        bodyTimeoutMs: count(
          'How long a body may take to arrive once its headers are there.',
          10_000,
          100,
          600_000,
        ),
        requestTimeoutMs: count('How long a whole request may take to arrive.', 30_000, 100, 600_000),
        answerTimeoutMs: count(
          'How long a client may take nothing of an answer that is there for it before its connection is closed.',
          30_000,
          100,
          600_000,
        ),
        keepAliveTimeoutMs: count('How long an idle connection stays open.', 65_000, 100, 600_000),
        maxInFlight: count(
          'Requests in flight (arrived to their last byte, not answered) beyond which the gateway answers 503 OVERLOADED.',
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
        connectionsPerAddress: count(
          'Connections of one client address (IPv6: of one /64) beyond which its new ones are closed; trusted proxies are exempt.',
          1000,
          1,
          1_000_000,
        ),
        unfinishedPerAddress: count(
          'Requests of one client address whose bodies have not arrived whole; more are 429 TOO_MANY_UNFINISHED.',
          100,
          1,
          1_000_000,
        ),
        unfinishedPerPartner: count(
          'Requests of one partner whose bodies have not arrived whole; more are 429 TOO_MANY_UNFINISHED.',
          100,
          1,
          1_000_000,
        ),
        lameDuckMs: nullable(
          Type.Integer({ minimum: 0, maximum: 600_000 }),
          'How long everything is served on after SIGTERM, not ready and with `Connection: close`, before the drain. By default 0 while only loopback is served, else 5000.',
        ),
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
        reserveBytes: count(
          'Free bytes below which nothing new is begun, so that there is room for settlements and deletions.',
          8_388_608,
          0,
          2 ** 50,
        ),
        quotas: section(
          {
            accounts: count('Accounts, with their score rows.', 100_000, 0),
            sessions: count('Widget sessions, with their decisions.', 20_000, 0),
            webhooks: count('Webhook endpoints.', 1000, 0),
            answerBytes: count('Bytes of finished answers.', 1_073_741_824, 0, 2 ** 50),
          },
          'What the sandbox keeps at most for each partner; more is 403 STORAGE_QUOTA_EXCEEDED.',
        ),
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
        publishSeconds: count(
          'How long a new signing key is in the JWKS before it signs; the JWKS may be cached as long, at most 300 seconds.',
          300,
          0,
          86_400,
        ),
        failuresPerIp: count('Failed token exchanges per client IP and window.', 100, 1, 1_000_000),
        trustedIssuers: TrustedIssuersSchema,
        assertionAudiences: AssertionAudiencesSchema,
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
    decisions: DecisionsSchema,
    upstream: UpstreamSchema,
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
      default: { ...DEFAULT_SCORES },
      shape: '1 to 64 of A-Z, a-z, 0-9, ".", "_", ":" and -',
      description: 'Score rows by customerRef; they win over computed ones.',
      reload: true,
    }),
    log: section(
      {
        requests: Type.Boolean({ default: true, description: 'One line per request.' }),
        clientAddress: oneOf(['full', 'prefix', 'off'] as const, {
          default: 'prefix',
          description:
            'What the line of a refusal at the door (401, 403, 429, a failed token exchange) says of the client: its address, its /24 or /48, or nothing.',
        }),
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
