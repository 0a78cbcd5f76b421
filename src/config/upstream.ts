import Type, { type Static } from 'typebox'
import { DECIDED_OPERATIONS } from './contract.ts'
import { closed, count, type Frozen, nullable, oneOf, section } from './schema-parts.ts'

/** Where decisions come from, the sandbox behind the gateway, and the gateways in front of it. */

const RELOADED = { reload: true }

export const SOURCES = ['simulator', 'upstream'] as const
export type Source = (typeof SOURCES)[number]

const perOperation = Object.fromEntries(DECIDED_OPERATIONS.map((id) => [id, whoDecides(id)])) as Record<
  (typeof DECIDED_OPERATIONS)[number],
  ReturnType<typeof whoDecides>
>

function whoDecides(id: string) {
  return nullable(oneOf(SOURCES), `Who decides ${id}; null is whoever \`decisions.from\` says.`)
}

export const DecisionsSchema = section(
  {
    from: oneOf(SOURCES, { default: 'simulator', description: 'Who decides.' }),
    operations: Type.Object(perOperation, {
      ...closed,
      default: {},
      description: 'Who decides single operations, where it is somebody else.',
    }),
  },
  'Where decisions come from.',
  RELOADED,
)

const Path = (description: string) =>
  nullable(Type.String({ minLength: 1 }), `${description}, relative to the working directory.`)

const Secret = (description: string) =>
  nullable(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      pattern: '^[!-~](?:[ -~]*[!-~])?$',
      shape: 'printable ASCII, since it travels in a header',
      secret: true,
    }),
    description,
  )

const Auth = section(
  {
    type: oneOf(['assertion', 'client-credentials', 'header', 'partner'] as const, {
      default: 'assertion',
      description:
        'How the gateway proves itself: a signed `assertion` that names partner and tenant, an access token that it gets by `client-credentials` of its own, a fixed `header`, or the token that the `partner` has sent.',
    }),
    tokenUrl: nullable(
      Type.String({ format: 'http-url' }),
      'Where `client-credentials` are exchanged for a token.',
    ),
    clientId: nullable(
      Type.String({ minLength: 1, maxLength: 256 }),
      'The client id of `client-credentials`.',
    ),
    clientSecret: Secret('The secret of `client-credentials`; better from the environment, or from a file.'),
    clientSecretFile: Path('The file that holds the secret of `client-credentials`'),
    scope: nullable(
      Type.String({ minLength: 1, maxLength: 1000 }),
      'The scope that `client-credentials` ask for.',
    ),
    name: Type.String({
      pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$",
      shape: 'a header name',
      default: 'Authorization',
      description: 'The name of the fixed `header`.',
    }),
    value: Secret('The value of the fixed `header`; better from the environment, or from a file.'),
    valueFile: Path('The file that holds the value of the fixed `header`'),
  },
  'What the upstream is shown.',
)

const Breaker = section(
  {
    requests: count('Fewer requests than this in the window never open it.', 20, 1, 1_000_000),
    failurePercent: count('It opens when this share of the requests in the window has failed.', 50, 1, 100),
    windowSeconds: count('The length of the window.', 10, 1, 600),
    openSeconds: count('How long it stays open before a request is let through on trial.', 5, 1, 600),
  },
  'When the upstream is left alone because it fails.',
)

export const UpstreamSchema = section(
  {
    url: nullable(
      Type.String({ format: 'http-url' }),
      'The sandbox behind the gateway: scheme, host and port, and what its paths begin with.',
    ),
    timeoutMs: count(
      'How long an answer may take: that of a POST until it is whole, that of a GET until it begins, then between two parts of it.',
      10_000,
      10,
      600_000,
    ),
    connectTimeoutMs: count('How long it may take to get a connection.', 3000, 10, 600_000),
    connections: count('Connections to the upstream at once.', 100, 1, 10_000),
    connectionsPerPartner: nullable(
      Type.Integer({ minimum: 1, maximum: 10_000 }),
      'How many of them the requests of one partner take at once, answers included that its clients are still reading; more wait, as long as for a connection. By default half of them.',
    ),
    tls: section(
      {
        ca: Path('The certificates (PEM) of the authorities that are trusted in place of the usual ones'),
        cert: Path("The gateway's own certificate (PEM), for an upstream that wants one"),
        key: Path('The private key (PEM) of that certificate'),
      },
      'Certificates. The files are read again when they change.',
    ),
    headers: Type.Array(
      Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$", shape: 'a header name' }),
      {
        default: [],
        description: 'Request headers of partners that pass, beside those that always do.',
      },
    ),
    tenantHeader: Type.Boolean({
      default: true,
      description: "Send the partner's tenant as X-Tenant-Id.",
    }),
    auth: Auth,
    idempotency: oneOf(['key', 'none'] as const, {
      default: 'key',
      description:
        'Whether the upstream executes once per Idempotency-Key. With `none` a request whose outcome is unknown is not sent again.',
    }),
    validation: oneOf(['contract', 'pass'] as const, {
      default: 'contract',
      description:
        '`contract`: the gateway judges every field. `pass`: it judges size, JSON, key and the amount that a cap counts; fields and X-Sandbox-Outcome are for the upstream.',
    }),
    maxAnswerBytes: count('The longest answer to a POST.', 1_048_576, 1024, 16_777_216),
    breaker: Breaker,
  },
  'The sandbox behind the gateway.',
  RELOADED,
)

const Jwk = Type.Object(
  {
    kty: oneOf(['RSA'] as const),
    kid: Type.String({ minLength: 1, maxLength: 256 }),
    n: Type.String({ minLength: 300, maxLength: 1400 }),
    e: Type.String({ minLength: 1, maxLength: 12 }),
    alg: Type.Optional(oneOf(['RS256'] as const)),
    use: Type.Optional(oneOf(['sig'] as const)),
  },
  closed,
)

const IssuerSchema = Type.Object(
  {
    issuer: Type.String({ format: 'http-origin', description: 'Its issuer, an origin.' }),
    jwksUri: Type.Optional(
      Type.String({
        format: 'http-url',
        description: 'Where its keys are; by default /.well-known/jwks.json of the issuer.',
      }),
    ),
    keys: Type.Optional(
      Type.Array(Jwk, { minItems: 1, description: 'Its public keys, in place of fetching them.' }),
    ),
    skipLimits: Type.Boolean({
      default: false,
      description: 'Rate limits have been applied in front; its requests are not counted again.',
    }),
  },
  closed,
)

export const TrustedIssuersSchema = Type.Array(
  Type.Union([Type.String({ format: 'http-origin' }), IssuerSchema]),
  {
    default: [],
    description:
      'Gateways in front of this one, by their issuer: their assertions are taken for the partner that they name.',
    ...RELOADED,
  },
)

export const AssertionAudiencesSchema = Type.Array(Type.String({ format: 'http-origin' }), {
  default: [],
  description:
    'Origins under which gateways in front know this one, beside the public URL and the bound address.',
  ...RELOADED,
})

export type UpstreamConfig = Frozen<Static<typeof UpstreamSchema>>
export type TrustedIssuerConfig = Frozen<Static<typeof IssuerSchema>>
