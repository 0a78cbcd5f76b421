import type { Retry } from './retry.ts'

/**
 * The one table of error codes. Status, title, cause and resolution of a code come from here alone: the
 * problem documents, the pages under /docs/errors, the OpenAPI document and the reference are made from it.
 */
export type ErrorEntry = {
  readonly status: number
  readonly title: string
  /** When it happens, in a sentence. */
  readonly cause: string
  /** What the caller does about it, in a sentence. */
  readonly resolution: string
  /** Whether the same request may be sent again, and when. */
  readonly retry: Retry
  /** `decision` codes are outcomes of an operation and travel with HTTP 200. */
  readonly kind: 'contract' | 'decision' | 'gateway' | 'replay'
  /** The `error` value of RFC 6749 that the token exchange shows beside the code. */
  readonly oauth?: 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope'
}

export const CATALOGUE = {
  IDEMPOTENCY_KEY_REQUIRED: {
    status: 400,
    title: 'Idempotency-Key is required',
    cause: 'A POST omitted the Idempotency-Key header.',
    resolution: 'Add an Idempotency-Key header with a fresh UUID v4 and send the request again.',
    retry: 'corrected',
    kind: 'contract',
  },
  PARTNER_MISMATCH: {
    status: 403,
    title: 'X-Tenant-Id does not match the key',
    cause: 'The tenant on the key and X-Tenant-Id disagree.',
    resolution: 'Send the tenant that is on the key, or omit X-Tenant-Id.',
    retry: 'corrected',
    kind: 'contract',
  },
  PARTNER_LIMIT_EXCEEDED: {
    status: 400,
    title: 'Partner cap exceeded',
    cause: 'The call crosses the partner cap for this product and period.',
    resolution:
      'Read the headroom on /portal/usage, then wait for the next period or ask the operator to raise the cap.',
    retry: 'room',
    kind: 'contract',
  },
  SCORE_NOT_FOUND: {
    status: 404,
    title: 'No score for this customerRef',
    cause: 'There is no score row for the customerRef.',
    resolution: 'Check the customerRef. Do not retry the same unknown reference.',
    retry: 'never',
    kind: 'contract',
  },
  KYC_SESSION_EXPIRED: {
    status: 410,
    title: 'The widget session has expired',
    cause: 'The widget session is older than 15 minutes.',
    resolution: 'Create a new session with POST /v1/kyc/widget/session and open the new URL.',
    retry: 'corrected',
    kind: 'contract',
  },
  TOKEN_EXPIRED: {
    status: 401,
    title: 'The access token has expired',
    cause: 'The access token is older than one hour.',
    resolution: 'Exchange the sandbox key again with POST /auth/token.',
    retry: 'token',
    kind: 'contract',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Rate limit exceeded',
    cause: 'The rate-limit window is full.',
    resolution: 'Wait until the instant in X-RateLimit-Reset (or for Retry-After seconds), then try again.',
    retry: 'wait',
    kind: 'contract',
  },
  KYB_REJECTED: {
    status: 200,
    title: 'Business rejected',
    cause: 'The sandbox businessRef ends in 009.',
    resolution: 'Submit a new dossier, or use a businessRef that ends in 001 to get an approval.',
    retry: 'new-key',
    kind: 'decision',
  },
  KYC_REJECTED: {
    status: 200,
    title: 'Identity rejected',
    cause: 'The sandbox phone is +225 followed by zeros and a final 9.',
    resolution: 'Submit a new dossier, or use the same number with a final 1 to get an approval.',
    retry: 'new-key',
    kind: 'decision',
  },
  PAYMENT_FAILED: {
    status: 200,
    title: 'Payment failed',
    cause: 'The sandbox amount ends in 00.',
    resolution: 'Retry with a new Idempotency-Key and an amount that ends in 77 to get a success.',
    retry: 'new-key',
    kind: 'decision',
  },
  CREDIT_REJECTED: {
    status: 200,
    title: 'Credit rejected',
    cause: 'The sandbox amount ends in 99.',
    resolution: 'Simulate again with an amount of at most 100000 XOF that ends in 11.',
    retry: 'new-key',
    kind: 'decision',
  },
  INVALID_CLIENT: {
    status: 401,
    title: 'Client authentication failed',
    cause: 'The client_id and client_secret do not belong together, or one of them is missing or revoked.',
    resolution:
      'Send the key id, the tenant or the sandbox key as client_id and the sandbox key as client_secret.',
    retry: 'corrected',
    kind: 'gateway',
    oauth: 'invalid_client',
  },
  INVALID_REQUEST: {
    status: 400,
    title: 'Malformed token request',
    cause: 'The token request lacks a parameter, repeats one, or authenticates in two ways that differ.',
    resolution: 'Send each parameter once, with the credentials in the body or in HTTP Basic.',
    retry: 'corrected',
    kind: 'gateway',
  },
  UNSUPPORTED_GRANT_TYPE: {
    status: 400,
    title: 'Unsupported grant type',
    cause: 'grant_type is not client_credentials.',
    resolution: 'Send grant_type=client_credentials, or leave it out.',
    retry: 'corrected',
    kind: 'gateway',
    oauth: 'unsupported_grant_type',
  },
  INVALID_SCOPE: {
    status: 400,
    title: 'Scope not granted to this key',
    cause: 'The requested scope is not one that the key holds.',
    resolution: 'Ask for a subset of the scopes of the key, or leave scope out to get all of them.',
    retry: 'corrected',
    kind: 'gateway',
    oauth: 'invalid_scope',
  },
  TOKEN_MISSING: {
    status: 401,
    title: 'No access token',
    cause: 'The request has no Authorization header with a bearer token.',
    resolution: 'Send Authorization: Bearer with a token from POST /auth/token.',
    retry: 'token',
    kind: 'gateway',
  },
  TOKEN_INVALID: {
    status: 401,
    title: 'The access token is not valid',
    cause:
      'The token is malformed, has a bad signature, was made for another service, or its key was revoked.',
    resolution: 'Exchange the sandbox key again with POST /auth/token.',
    retry: 'token',
    kind: 'gateway',
  },
  INSUFFICIENT_SCOPE: {
    status: 403,
    title: 'The access token lacks a scope',
    cause: 'The operation needs a scope that the token does not carry.',
    resolution: 'Exchange the key again with the scope, or ask the operator to grant it to the key.',
    retry: 'token',
    kind: 'gateway',
  },
  IDEMPOTENCY_KEY_INVALID: {
    status: 400,
    title: 'Idempotency-Key is not a UUID v4',
    cause: 'The Idempotency-Key header is not a UUID v4, or was sent twice.',
    resolution: 'Send exactly one Idempotency-Key header with a UUID v4.',
    retry: 'corrected',
    kind: 'gateway',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'Idempotency-Key was used for another request',
    cause: 'The same Idempotency-Key came before with another method, path, query or body.',
    resolution: 'Use a new Idempotency-Key for a new request; repeat a request byte for byte to replay it.',
    retry: 'new-key',
    kind: 'gateway',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    title: 'A request with this Idempotency-Key is in progress',
    cause: 'The first request with this Idempotency-Key has not finished yet.',
    resolution: 'Wait for Retry-After seconds and repeat the request with the same key.',
    retry: 'wait',
    kind: 'gateway',
  },
  MALFORMED_BODY: {
    status: 400,
    title: 'The body is not well-formed JSON',
    cause: 'The body is not valid UTF-8 JSON, repeats a property, or is nested too deeply.',
    resolution: 'Send one JSON object, encoded in UTF-8, with each property once.',
    retry: 'corrected',
    kind: 'gateway',
  },
  VALIDATION_FAILED: {
    status: 400,
    title: 'The request is not valid',
    cause: 'One or more properties, parameters or headers break a rule of the interface.',
    resolution: 'Correct everything listed in errors and send the request again.',
    retry: 'corrected',
    kind: 'gateway',
  },
  BAD_REQUEST: {
    status: 400,
    title: 'Bad request',
    cause:
      'The request is not well-formed HTTP, its path is not canonical, or a security header is doubled or aliased.',
    resolution: 'Send well-formed HTTP/1.1 with a canonical path and each security header once.',
    retry: 'corrected',
    kind: 'gateway',
  },
  NOT_FOUND: {
    status: 404,
    title: 'No such endpoint',
    cause: 'No operation has this path.',
    resolution: 'Compare the path with the list of operations under /docs.',
    retry: 'corrected',
    kind: 'gateway',
  },
  ACCOUNT_NOT_FOUND: {
    status: 404,
    title: 'No such account',
    cause: 'The tenant has no account with this accountId.',
    resolution: 'Use an accountId that POST /v1/accounts/open returned to the same tenant.',
    retry: 'never',
    kind: 'gateway',
  },
  KYC_SESSION_NOT_FOUND: {
    status: 404,
    title: 'No such widget session',
    cause: 'There is no widget session with this sessionId.',
    resolution: 'Use a sessionId that POST /v1/kyc/widget/session returned to the same tenant.',
    retry: 'never',
    kind: 'gateway',
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    title: 'No such webhook endpoint',
    cause: 'The tenant has no webhook endpoint with this webhookId.',
    resolution: 'Use a webhookId that POST /v1/webhooks returned to the same tenant.',
    retry: 'never',
    kind: 'gateway',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    cause: 'The path exists, but not with this method.',
    resolution: 'Use one of the methods in the Allow header.',
    retry: 'corrected',
    kind: 'gateway',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: 'The request took too long to arrive',
    cause: 'The headers or the body did not arrive in time.',
    resolution: 'Send the whole request without pausing, on a new connection.',
    retry: 'same-key',
    kind: 'gateway',
  },
  TOO_MANY_UNFINISHED: {
    status: 429,
    title: 'Too many unfinished requests',
    cause: 'As many requests of this address or partner as may be are still sending their bodies.',
    resolution: 'Finish the bodies that are under way, then send the request again.',
    retry: 'wait',
    kind: 'gateway',
  },
  STORAGE_QUOTA_EXCEEDED: {
    status: 403,
    title: 'The storage quota is used up',
    cause:
      'The sandbox keeps as many accounts, sessions, webhooks or finished answers for the partner as it may.',
    resolution:
      'Free the kind that the problem names with DELETE /v1/sandbox/data, then send the request again.',
    retry: 'corrected',
    kind: 'gateway',
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: 'The body is too large',
    cause: 'The body is larger than the gateway accepts.',
    resolution: 'Send a smaller body.',
    retry: 'corrected',
    kind: 'gateway',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported media type',
    cause: 'The Content-Type is not the one that the operation takes, or the body is encoded.',
    resolution: 'Send application/json in UTF-8 without Content-Encoding.',
    retry: 'corrected',
    kind: 'gateway',
  },
  EXPECTATION_FAILED: {
    status: 417,
    title: 'Expectation failed',
    cause: 'The Expect header asks for something other than 100-continue.',
    resolution: 'Send no Expect header, or Expect: 100-continue.',
    retry: 'corrected',
    kind: 'gateway',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'The headers are too large',
    cause: 'The request line and headers are larger, or more lines, than the gateway accepts.',
    resolution: 'Send fewer or shorter headers.',
    retry: 'corrected',
    kind: 'gateway',
  },
  INTERNAL: {
    status: 500,
    title: 'Internal error',
    cause: 'The gateway failed in a way it did not foresee.',
    resolution:
      'Repeat the request with the same Idempotency-Key, and report the requestId if it fails again.',
    retry: 'same-key',
    kind: 'gateway',
  },
  UPSTREAM_UNAVAILABLE: {
    status: 502,
    title: 'The upstream is unavailable',
    cause: 'The upstream could not be reached; it has not acted.',
    resolution: 'Repeat the request with the same Idempotency-Key.',
    retry: 'same-key',
    kind: 'gateway',
  },
  UPSTREAM_INDETERMINATE: {
    status: 502,
    title: 'The upstream broke off',
    cause: 'The connection to the upstream broke after the request was sent; it may have acted.',
    resolution: 'Repeat the request with the same Idempotency-Key to learn the outcome.',
    retry: 'same-key',
    kind: 'gateway',
  },
  UPSTREAM_TIMEOUT: {
    status: 504,
    title: 'The upstream took too long',
    cause: 'The upstream did not answer in time; it may have acted.',
    resolution: 'Repeat the request with the same Idempotency-Key to learn the outcome.',
    retry: 'same-key',
    kind: 'gateway',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    title: 'The gateway cannot store the outcome',
    cause: 'The store cannot be written at the moment. Nothing has been executed.',
    resolution: 'Wait for Retry-After seconds and repeat the request with the same Idempotency-Key.',
    retry: 'wait',
    kind: 'gateway',
  },
  OVERLOADED: {
    status: 503,
    title: 'The gateway is overloaded',
    cause: 'More requests are in flight than the gateway takes at once. Nothing has been executed.',
    resolution: 'Wait for Retry-After seconds and repeat the request.',
    retry: 'wait',
    kind: 'gateway',
  },
  DRAINING: {
    status: 503,
    title: 'The gateway is shutting down',
    cause: 'The gateway is finishing its last requests. Nothing has been executed.',
    resolution: 'Repeat the request on a new connection.',
    retry: 'wait',
    kind: 'gateway',
  },
  CASSETTE_MISS: {
    status: 424,
    title: 'No recorded answer matches',
    cause: 'The gateway replays a cassette and no recorded exchange matches this request.',
    resolution: 'Read the report in this problem, then change the request or record the cassette again.',
    retry: 'never',
    kind: 'replay',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof CATALOGUE

export function errorEntry(code: ErrorCode): ErrorEntry {
  return CATALOGUE[code]
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(CATALOGUE, text)
}

/** The four decision codes; each is the `code` of an outcome that is a refusal. */
export type DecisionCode = {
  [C in ErrorCode]: (typeof CATALOGUE)[C]['kind'] extends 'decision' ? C : never
}[ErrorCode]
