import { SCOPES, type Scope } from '../config/contract.ts'
import type { Config } from '../config/schema.ts'
import { type Answerer, circumstancesOf, USUAL } from './openapi-codes.ts'
import { HEADER_PARAMETERS, headerComponents } from './openapi-headers.ts'
import { openApiOperation } from './openapi-operation.ts'
import { createProblems } from './openapi-problems.ts'
import { createSchemas, type Json, refTo } from './openapi-schemas.ts'
import type { OperationRow } from './operation.ts'
import { ROWS } from './operations.ts'

/** The version of the interface, not of the gateway: within /v1 only additions. */
const API_VERSION = '1.0.0'

export type OpenApiOptions = {
  /** Scheme, host and port, without a slash at the end. */
  readonly publicUrl: string
  /** Some errors come from a tape or an upstream alone. */
  readonly answerer?: Answerer
  /** Of the gateway that serves it: which operations an upstream decides, and what needs a token or a key. */
  readonly config?: Config
}

/**
 * The interface as an OpenAPI 3.1 document, made from the table of operations and the error catalogue.
 * The same table gives the same document.
 */
export function buildOpenApi({ publicUrl, answerer, config }: OpenApiOptions): object {
  const schemas = createSchemas()
  const problems = createProblems(schemas, publicUrl)
  const operations = ROWS.map((row) => {
    const configured = config ? circumstancesOf(row, config) : USUAL
    const circumstances = answerer ? { ...configured, answerer } : configured
    return [row, openApiOperation(row, circumstances, schemas, problems)] as const
  })
  const responses = shareResponses(operations)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Partner Sandbox API',
      version: API_VERSION,
      summary: 'Accounts, identity, payments, credit and scores, in a sandbox.',
      description: DESCRIPTION,
      contact: { name: 'Sandgate', url: `${publicUrl}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl, description: 'This sandbox' }],
    security: [{ OAuth2: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(operations),
    components: {
      securitySchemes: securitySchemes(publicUrl),
      parameters: HEADER_PARAMETERS,
      headers: headerComponents(),
      responses,
      schemas: schemas.components(),
      examples: problems.examples(),
    },
  }
}

const DESCRIPTION = `Exchange the sandbox key for a token, then call the operations with it.

- Every POST under /v1 takes an \`Idempotency-Key\`: a fresh UUID v4 for each new request, the same one for a retry.
- Errors are RFC 9457 problem documents; programs branch on \`code\`.
- A rejection or a failed payment is a decision: HTTP 200 with \`outcome\`, \`code\` and \`resolution\`.
- Every response carries \`X-Request-Id\` and the rate-limit window: \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\`, \`X-RateLimit-Reset\`, \`RateLimit\` and \`RateLimit-Policy\`.
- With \`Accept-Language: fr\`, \`title\` and \`resolution\` are in French; \`detail\` and the token exchange stay English.
- Money is whole XOF. Certain inputs lead to certain outcomes, and \`X-Sandbox-Outcome\` asks for one.`

const TAGS: Readonly<Record<OperationRow['tag'], string>> = {
  Token: 'The exchange of a sandbox key for an access token.',
  Accounts: 'Opening accounts and reading them.',
  Identity: 'Decisions about persons (KYC) and businesses (KYB), and the KYC widget.',
  Payments: 'Moving money in and out.',
  Credit: 'What a credit would cost, and applying for one.',
  Score: 'The score of a customer.',
  Webhooks: 'Endpoints for production; the sandbox stores them and calls none.',
  Portal: 'Usage and headroom.',
  Sandbox: 'What the sandbox keeps, and beginning anew.',
}

const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'accounts:read': 'Read accounts.',
  'accounts:write': 'Open accounts.',
  'kyc:initiate': 'Submit dossiers and run the KYC widget.',
  'payments:write': 'Fund and cash out.',
  'webhooks:register': 'Register webhook endpoints and read them.',
}

function securitySchemes(publicUrl: string): Json {
  const scopes = Object.fromEntries(SCOPES.map((scope) => [scope, SCOPE_TEXTS[scope]]))
  return {
    OAuth2: {
      type: 'oauth2',
      description:
        'client_id is the key id, the tenant or the sandbox key; client_secret is the sandbox key.',
      flows: { clientCredentials: { tokenUrl: `${publicUrl}/auth/token`, scopes } },
    },
    ClientBasic: {
      type: 'http',
      scheme: 'basic',
      description: 'The credentials of the token exchange, each form-encoded (RFC 6749 section 2.3.1).',
    },
  }
}

type Operations = readonly (readonly [OperationRow, Json])[]

function pathsOf(operations: Operations): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const [row, operation] of operations) {
    const path = paths[row.path] ?? {}
    path[row.method.toLowerCase()] = operation
    paths[row.path] = path
  }
  return paths
}

/**
 * Moves each refusal that several operations share to the components, which makes the document a third as long.
 * A status that means different things to reads and writes has a component for each.
 */
function shareResponses(operations: Operations): Json {
  const shared = new Map<
    string,
    { status: string; response: unknown; uses: { row: OperationRow; in: Record<string, unknown> }[] }
  >()
  for (const [row, operation] of operations) {
    const responses = operation.responses as Record<string, unknown>
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue
      const key = JSON.stringify([status, response])
      const entry = shared.get(key) ?? { status, response, uses: [] }
      entry.uses.push({ row, in: responses })
      shared.set(key, entry)
    }
  }
  const components: Record<string, unknown> = {}
  for (const { status, response, uses } of shared.values()) {
    const methods = new Set(uses.map(({ row }) => row.method))
    const name = `${RESPONSES[status] ?? `Status${status}`}${methods.size > 1 ? '' : methods.has('GET') ? 'OnGet' : 'OnPost'}`
    if (uses.length < 2 || name in components) continue
    components[name] = response
    for (const use of uses) use.in[status] = refTo('responses', name)
  }
  return components
}

const RESPONSES: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'RequestTimeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  417: 'ExpectationFailed',
  422: 'UnprocessableContent',
  424: 'CassetteMiss',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout',
}
