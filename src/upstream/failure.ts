import type { ErrorCode } from '../errors/catalogue.ts'
import { systemCode } from '../system-error.ts'

export type Failure = {
  readonly code: Extract<ErrorCode, `UPSTREAM_${string}` | 'BODY_TOO_LARGE'>
  /** For the client: what happened, without an address. */
  readonly detail: string
  /** Of the error, for the person who runs the recorder. */
  readonly cause: string
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
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS_|^ERR_SSL_|^EPROTO$/

/** A body that has to be kept until it is known where it goes, and is too long for that. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
}

/** What an error of the network means to the client. */
export function failureOf(error: unknown): Failure {
  const cause = causeOf(error)
  if (error instanceof BodyTooLargeError)
    return { code: 'BODY_TOO_LARGE', detail: 'The body is longer than a recording can hold.', cause }
  const unreached = UNREACHED[cause]
  if (unreached !== undefined) return { code: 'UPSTREAM_UNAVAILABLE', detail: unreached, cause }
  if (CERTIFICATE.test(cause))
    return { code: 'UPSTREAM_UNAVAILABLE', detail: 'Its TLS certificate is not trusted.', cause }
  if (cause === 'UND_ERR_HEADERS_TIMEOUT')
    return { code: 'UPSTREAM_TIMEOUT', detail: 'It did not answer in time.', cause }
  return { code: 'UPSTREAM_INDETERMINATE', detail: 'It broke off before it answered.', cause }
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
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code = systemCode(error)
  if (code !== undefined) return code
  if (error instanceof AggregateError) return causeOf(error.errors[0])
  return error.cause === undefined ? error.name : causeOf(error.cause)
}
