import { expect } from 'vitest'
import type { Reply } from './http.ts'

/** Every code with its status, as the interface and its decisions list them. */
export const STATUS = {
  IDEMPOTENCY_KEY_REQUIRED: 400,
  PARTNER_MISMATCH: 403,
  PARTNER_LIMIT_EXCEEDED: 400,
  SCORE_NOT_FOUND: 404,
  KYC_SESSION_EXPIRED: 410,
  TOKEN_EXPIRED: 401,
  RATE_LIMITED: 429,
  INVALID_CLIENT: 401,
  INVALID_REQUEST: 400,
  UNSUPPORTED_GRANT_TYPE: 400,
  INVALID_SCOPE: 400,
  TOKEN_MISSING: 401,
  TOKEN_INVALID: 401,
  INSUFFICIENT_SCOPE: 403,
  IDEMPOTENCY_KEY_INVALID: 400,
  IDEMPOTENCY_KEY_REUSED: 422,
  IDEMPOTENCY_IN_PROGRESS: 409,
  MALFORMED_BODY: 400,
  VALIDATION_FAILED: 400,
  BAD_REQUEST: 400,
  NOT_FOUND: 404,
  ACCOUNT_NOT_FOUND: 404,
  KYC_SESSION_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  TOO_MANY_UNFINISHED: 429,
  STORAGE_QUOTA_EXCEEDED: 403,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  EXPECTATION_FAILED: 417,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  UPSTREAM_UNAVAILABLE: 502,
  UPSTREAM_INDETERMINATE: 502,
  UPSTREAM_TIMEOUT: 504,
  STORE_UNAVAILABLE: 503,
  OVERLOADED: 503,
  DRAINING: 503,
  CASSETTE_MISS: 424,
} as const satisfies Record<string, number>

export const DECISION_CODES = ['KYB_REJECTED', 'KYC_REJECTED', 'PAYMENT_FAILED', 'CREDIT_REJECTED'] as const

export type Code = keyof typeof STATUS

const REQUEST_ID = /^req_[A-Za-z0-9_-]{16,}$/

/** What every response of the partner listener carries, whatever produced it. */
export function expectCommonHeaders({ headers }: Reply): void {
  expect(headers['x-request-id']).toMatch(REQUEST_ID)
  for (const name of ['limit', 'remaining', 'reset']) {
    expect(headers[`x-ratelimit-${name}`], `X-RateLimit-${name}`).toMatch(/^[0-9]+$/)
  }
  expect(headers['ratelimit-policy']).toMatch(/^"[a-z.]+";q=[0-9]+;w=[0-9]+$/)
  expect(headers.ratelimit).toMatch(/^"[a-z.]+";r=[0-9]+;t=[0-9]+$/)
  expect(headers['cache-control']).toBeDefined()
  expect(headers['x-content-type-options']).toBe('nosniff')
}

/** A problem document of this code: its status, its whole shape, and the common headers. */
export function expectProblem(
  response: Reply,
  code: Code,
  options: { readonly status?: number; readonly replayed?: boolean } = {},
): void {
  const { status, headers, json } = response
  expect({ code: json?.code, status }).toEqual({ code, status: options.status ?? STATUS[code] })
  expectCommonHeaders(response)
  expect(headers['content-type']).toBe('application/problem+json')
  expect(json).toMatchObject({
    type: `${response.origin}/docs/errors/${code}`,
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
    instance: `urn:sandgate:request:${json.requestId}`,
    requestId: expect.stringMatching(REQUEST_ID),
    resolution: expect.stringMatching(/\S/),
  })
  // A stored answer names the request that it answered first.
  if (options.replayed) expect(json.requestId).not.toBe(headers['x-request-id'])
  else expect(json.requestId).toBe(headers['x-request-id'])
  if (code === 'VALIDATION_FAILED') expectFieldErrors(json.errors)
  if (status === 429 || status === 503) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
  expect(headers['cache-control']).toBe('no-store')
}

/** A failure of the token exchange: RFC 6749 section 5.2, with our code beside it. */
export function expectOAuthError(response: Reply, error: string, code: Code): void {
  const { status, headers, json } = response
  expect({ error: json?.error, code: json?.code, status }).toEqual({ error, code, status: STATUS[code] })
  expectCommonHeaders(response)
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    pragma: 'no-cache',
  })
  expect(Object.keys(json).sort()).toEqual(['code', 'error', 'error_description', 'requestId'])
  // RFC 6749 section 5.2: no quotation mark, no backslash, nothing beyond ASCII.
  expect(json.error_description).toMatch(/^[ !#-[\]-~]+$/)
  expect(json.requestId).toBe(headers['x-request-id'])
}

function expectFieldErrors(errors: unknown): void {
  expect(Array.isArray(errors) && errors.length > 0).toBe(true)
  for (const each of errors as Record<string, string>[]) {
    const places = Object.keys(each).filter((name) => name !== 'detail')
    expect(places).toHaveLength(1)
    expect(['pointer', 'parameter', 'header']).toContain(places[0])
    expect(each.detail).toMatch(/\S/)
    if (each.pointer !== undefined) expect(each.pointer).toMatch(/^#(\/|$)/)
  }
}
