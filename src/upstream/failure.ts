import type { ErrorCode } from '../errors/catalogue.ts'
import { isError, systemCode } from '../system-error.ts'

export type Failure = {
  readonly code: Extract<ErrorCode, `UPSTREAM_${string}` | 'BODY_TOO_LARGE'>
  /** For the client: what happened, without an address. */
  readonly detail: string
  /** Of the error, for the person who runs it. */
  readonly cause: string
}

/** What an exchange with the upstream ends with that is not an error of the network. */
const FAULTS = {
  CONNECTION_WAIT: 'No connection to it was free in time.',
  ANSWER_TIMEOUT: 'It did not answer in time.',
  ANSWER_TOO_LONG: 'Its answer is longer than can be kept.',
  UNKNOWN_CODING: 'Its answer is encoded in a way that was not asked for.',
  LET_GO: 'Nobody waits for its answer any more.',
  CLOSING: 'The gateway stops.',
} as const

export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault'
  readonly code: keyof typeof FAULTS
  constructor(code: keyof typeof FAULTS) {
    super(FAULTS[code])
    this.code = code
  }
}

/** Nothing has been sent when one of these comes. */
const UNREACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'It refused the connection.',
  ENOTFOUND: 'Its name cannot be resolved.',
  EAI_AGAIN: 'Its name cannot be resolved at the moment.',
  EHOSTUNREACH: 'There is no way to its address.',
  ENETUNREACH: 'There is no way to its address.',
  UND_ERR_CONNECT_TIMEOUT: 'It did not accept the connection in time.',
  UND_ERR_INVALID_ARG: 'A request of this form cannot be passed on.',
  UND_ERR_NOT_SUPPORTED: 'A request of this form cannot be passed on.',
  CONNECTION_WAIT: FAULTS.CONNECTION_WAIT,
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS_|^ERR_SSL_|^EPROTO$/
const LATE = new Set(['UND_ERR_HEADERS_TIMEOUT', 'ANSWER_TIMEOUT'])

/** A body that has to be kept until it is known where it goes, and is too long for that. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
}

/**
 * What an error of an exchange means to the client. `wasSent` is false where nothing can have been sent; without it,
 * the error itself tells.
 */
export function failureOf(error: unknown, wasSent?: boolean): Failure {
  const cause = causeOf(error)
  if (error instanceof BodyTooLargeError)
    return { code: 'BODY_TOO_LARGE', detail: 'The body is longer than a recording can hold.', cause }
  if (wasSent !== true) {
    const unreached =
      UNREACHED[cause] ??
      (CERTIFICATE.test(cause) ? 'Its TLS certificate is not trusted.' : undefined) ??
      (wasSent === false ? 'It broke off before the request was sent.' : undefined)
    if (unreached !== undefined) return { code: 'UPSTREAM_UNAVAILABLE', detail: unreached, cause }
  }
  if (LATE.has(cause)) return { code: 'UPSTREAM_TIMEOUT', detail: FAULTS.ANSWER_TIMEOUT, cause }
  const detail = error instanceof UpstreamFault ? FAULTS[error.code] : 'It broke off before it answered.'
  return { code: 'UPSTREAM_INDETERMINATE', detail, cause }
}

const BROKEN_OFF = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
/** RFC 9110 section 9.2.1. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * A pooled connection may have been closed by the peer while the request was on its way. Only a request that changes
 * nothing, and whose body is still there to be sent, may be sent again.
 */
export function mayRetry(method: string, hasBody: boolean, error: unknown): boolean {
  return SAFE.has(method) && !hasBody && BROKEN_OFF.has(causeOf(error))
}

/** Of the error itself, or of what caused it: an attempt on several addresses fails with one error of many. */
export function causeOf(error: unknown): string {
  if (!isError(error)) return 'unknown'
  const code = systemCode(error)
  if (code !== undefined) return code
  if ('errors' in error && Array.isArray(error.errors)) return causeOf(error.errors[0])
  return error.cause === undefined ? error.name : causeOf(error.cause)
}
