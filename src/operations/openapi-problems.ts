import { CAP_PRODUCTS } from '../config/contract.ts'
import { CATALOGUE, type ErrorCode, errorEntry } from '../errors/catalogue.ts'
import { exchangeExample, problemExample } from './openapi-examples.ts'
import { type HeaderName, LANGUAGE, responseHeaders } from './openapi-headers.ts'
import { type Json, refTo, type Schemas } from './openapi-schemas.ts'
import type { OperationRow } from './operation.ts'

export type Problems = {
  /** The response of one status: what it means, its headers, its body and an example for each code. */
  readonly response: (
    row: OperationRow,
    status: number,
    codes: readonly ErrorCode[],
    /** Every code of the operation. */
    all: readonly ErrorCode[],
  ) => Json
  /** The examples that the responses refer to. */
  readonly examples: () => Json
}

export function createProblems(schemas: Schemas, publicUrl: string): Problems {
  const examples = new Map<string, Json>()

  function exampleOf(name: string, example: Json): Json {
    examples.set(name, example)
    return refTo('examples', name)
  }

  return {
    response: (row, status, codes, all) => {
      // What breaks before the gateway knows the endpoint is a problem document there, too.
      const oauth = row.auth === 'client' && status !== 431
      const shown = codes.map((code) => [
        code,
        oauth
          ? exampleOf(`oauth.${code}`, exchangeExample(code))
          : exampleOf(code, problemExample(code, publicUrl)),
      ])
      const schema = oauth ? oauthSchema(schemas, codes, all) : problemSchema(schemas, status, codes)
      return {
        description: describe(codes),
        headers: headersOf(row, status, codes),
        content: {
          [oauth ? 'application/json' : 'application/problem+json']: {
            schema,
            examples: Object.fromEntries(shown),
          },
        },
      }
    },
    examples: () => Object.fromEntries([...examples].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

function describe(codes: readonly ErrorCode[]): string {
  const [only] = codes
  if (only && codes.length === 1) return `\`${only}\`: ${errorEntry(only).cause}`
  return codes.map((code) => `- \`${code}\`: ${errorEntry(code).cause}`).join('\n')
}

const WAITING = [409, 429, 503]

function headersOf(row: OperationRow, status: number, codes: readonly ErrorCode[]): Json {
  const isExchange = row.auth === 'client'
  // Where other codes share the status, a header comes with some of them.
  const always: HeaderName[] = [
    ...(WAITING.includes(status) ? (['Retry-After'] as const) : []),
    ...(status === 401 && !isExchange ? (['WWW-Authenticate'] as const) : []),
    ...(isExchange && status !== 431 ? (['Pragma'] as const) : LANGUAGE),
  ]
  const sometimes: HeaderName[] = [
    ...(codes.includes('PARTNER_LIMIT_EXCEEDED') ? (['Retry-After'] as const) : []),
    // Of the exchange, where HTTP Basic was used.
    ...((status === 401 && isExchange) || codes.includes('INSUFFICIENT_SCOPE')
      ? (['WWW-Authenticate'] as const)
      : []),
    // A 404 that the operation itself decided is stored like any other answer.
    ...(row.method === 'POST' && !isExchange && status === 404 ? (['Idempotency-Replayed'] as const) : []),
  ]
  return responseHeaders(always, sometimes)
}

function problemSchema(schemas: Schemas, status: number, codes: readonly ErrorCode[]): Json {
  const narrowed = {
    type: 'object',
    required: ['status', 'code'],
    properties: { status: { type: 'integer', enum: [status] }, code: { type: 'string', enum: codes } },
  }
  const capped = codes.includes('PARTNER_LIMIT_EXCEEDED') ? [schemas.plain('CapExceeded', CAP_EXCEEDED)] : []
  return { allOf: [schemas.plain('Problem', problemOf(schemas)), narrowed, ...capped] }
}

function problemOf(schemas: Schemas): Json {
  const codes = Object.keys(CATALOGUE).filter((code) => CATALOGUE[code as ErrorCode].kind !== 'decision')
  return {
    type: 'object',
    description: 'An error, as RFC 9457 has it.',
    required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId', 'resolution'],
    properties: {
      type: { type: 'string', format: 'uri', description: 'The page that explains the code.' },
      title: { type: 'string', description: 'The code in a few words.' },
      status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
      detail: { type: 'string', description: 'What happened this time.' },
      instance: { type: 'string', format: 'uri', description: 'Names this occurrence.' },
      code: schemas.plain('ErrorCode', {
        type: 'string',
        enum: codes,
        description: 'What programs branch on.',
      }),
      requestId: { type: 'string', description: 'As in X-Request-Id.' },
      resolution: { type: 'string', description: 'What to do about it.' },
      errors: {
        type: 'array',
        maxItems: 50,
        description: 'Everything that is not valid, all at once; the first 50 of more.',
        items: schemas.plain('FieldError', FIELD_ERROR),
      },
      errorsNotListed: {
        type: 'integer',
        minimum: 1,
        description: 'How many more things are not valid than `errors` lists.',
      },
    },
  }
}

const FIELD_ERROR = {
  description: 'Where the request breaks a rule, and which one.',
  anyOf: [
    place('pointer', 'JSON pointer into the body, such as `#/amount`.'),
    place('parameter', 'Name of a query parameter.'),
    place('header', 'Name of a header.'),
  ],
}

function place(name: string, description: string): Json {
  return {
    type: 'object',
    required: [name, 'detail'],
    properties: {
      [name]: { type: 'string', description },
      detail: { type: 'string', description: 'The rule.' },
    },
  }
}

const COUNT = { type: 'integer', format: 'int64', minimum: 0 }

const CAP_EXCEEDED = {
  type: 'object',
  description: 'Beside PARTNER_LIMIT_EXCEEDED: the cap that is in the way.',
  properties: {
    product: { type: 'string', enum: [...CAP_PRODUCTS], description: 'What is capped.' },
    period: { type: 'string', enum: ['day', 'month'], description: 'The UTC period.' },
    unit: { type: 'string', enum: ['calls', 'amount'], description: 'Decisions, or XOF.' },
    limit: { ...COUNT, description: 'The cap.' },
    used: { ...COUNT, description: 'Committed in this period.' },
    reserved: { ...COUNT, description: 'Held by requests that are being decided.' },
    resetAt: { type: 'string', format: 'date-time', description: 'When the period ends.' },
  },
}

/** RFC 6749 section 5.2, with our code and request id. */
function oauthSchema(schemas: Schemas, codes: readonly ErrorCode[], all: readonly ErrorCode[]): Json {
  const error = schemas.plain('OAuthError', {
    type: 'object',
    description: 'An error of the token exchange, as RFC 6749 section 5.2 has it.',
    required: ['error', 'error_description', 'code', 'requestId'],
    properties: {
      error: {
        type: 'string',
        enum: [
          'invalid_request',
          'invalid_client',
          'unsupported_grant_type',
          'invalid_scope',
          'temporarily_unavailable',
          'server_error',
        ],
        description: 'The error of RFC 6749.',
      },
      error_description: { type: 'string', description: 'What happened this time.' },
      code: { type: 'string', enum: all, description: 'The code of this API.' },
      requestId: { type: 'string', description: 'As in X-Request-Id.' },
    },
  })
  return {
    allOf: [
      error,
      { type: 'object', required: ['code'], properties: { code: { type: 'string', enum: codes } } },
    ],
  }
}
