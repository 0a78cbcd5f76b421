import type { Config } from '../config/schema.ts'
import { sourceOf } from '../config/upstream-rules.ts'
import { type ErrorCode, errorEntry } from '../errors/catalogue.ts'
import type { OperationRow } from './operation.ts'

/** Who answers what the gateway has admitted. */
export type Answerer = 'simulator' | 'upstream' | 'tape'

/** The codes that depend on who answers: whoever reads them asks when they can come. The exchange is always ours. */
export const ANSWERERS: Readonly<Record<Answerer, { codes: readonly ErrorCode[]; when: string }>> = {
  simulator: { codes: [], when: 'where the simulator decides' },
  upstream: {
    codes: ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_INDETERMINATE', 'UPSTREAM_TIMEOUT'],
    when: 'where an upstream decides',
  },
  tape: { codes: ['CASSETTE_MISS'], when: 'at replay' },
}

/** What a configuration makes of an operation. */
export type Circumstances = {
  readonly answerer: Answerer
  /** Whether it is refused without a token; of no meaning for the exchange. */
  readonly needsToken: boolean
  /** Whether the token exchange needs an Idempotency-Key. */
  readonly exchangeNeedsKey: boolean
}

export const USUAL: Circumstances = { answerer: 'simulator', needsToken: true, exchangeNeedsKey: false }

/** Those of an operation in a gateway with this configuration. */
export function circumstancesOf({ id, needsToken }: OperationRow, config: Config): Circumstances {
  return {
    answerer: sourceOf(config, id),
    needsToken: needsToken?.(config) ?? true,
    exchangeNeedsKey: config.idempotency.tokenExchange === 'required',
  }
}

/** Every code that the operation can answer with, in the order of the checks of the pipeline. */
export function codesOf(row: OperationRow, circumstances: Circumstances = USUAL): readonly ErrorCode[] {
  if (row.auth === 'client') return exchangeCodes(row, circumstances)
  return [...operationCodes(row, circumstances), ...ANSWERERS[circumstances.answerer].codes]
}

function operationCodes(row: OperationRow, { needsToken }: Circumstances): ErrorCode[] {
  const post = row.method === 'POST'
  return [
    'BAD_REQUEST',
    ...when(post, 'REQUEST_TIMEOUT'),
    'EXPECTATION_FAILED',
    'HEADERS_TOO_LARGE',
    ...when(needsToken, 'TOKEN_MISSING'),
    'TOKEN_INVALID',
    'TOKEN_EXPIRED',
    'PARTNER_MISMATCH',
    ...when(row.auth !== 'any', 'INSUFFICIENT_SCOPE'),
    ...when(post, 'TOO_MANY_UNFINISHED'),
    ...when(post, 'IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_KEY_INVALID'),
    ...when(row.body !== undefined, 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'MALFORMED_BODY'),
    // Without parameters of its own, an operation still refuses unknown ones.
    'VALIDATION_FAILED',
    'RATE_LIMITED',
    ...when(post, 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS'),
    ...when(row.cap !== undefined, 'PARTNER_LIMIT_EXCEEDED'),
    ...when(post, 'STORAGE_QUOTA_EXCEEDED'),
    ...row.errors,
    'INTERNAL',
    // Reads go on while the store cannot be written.
    ...when(post, 'STORE_UNAVAILABLE'),
    'OVERLOADED',
    'DRAINING',
  ]
}

function exchangeCodes(row: OperationRow, { exchangeNeedsKey }: Circumstances): ErrorCode[] {
  return [
    'BAD_REQUEST',
    'REQUEST_TIMEOUT',
    'EXPECTATION_FAILED',
    'HEADERS_TOO_LARGE',
    'TOO_MANY_UNFINISHED',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    ...row.errors,
    'PARTNER_MISMATCH',
    ...when(exchangeNeedsKey, 'IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_KEY_INVALID'),
    'RATE_LIMITED',
    'INTERNAL',
    'STORE_UNAVAILABLE',
    'OVERLOADED',
    'DRAINING',
  ]
}

function when(holds: boolean, ...codes: ErrorCode[]): ErrorCode[] {
  return holds ? codes : []
}

/** The codes under their statuses, lowest first. */
export function byStatus(codes: readonly ErrorCode[]): readonly (readonly [number, readonly ErrorCode[]])[] {
  const statuses = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const { status } = errorEntry(code)
    statuses.set(status, [...(statuses.get(status) ?? []), code])
  }
  return [...statuses].sort(([a], [b]) => a - b)
}
