import { type Refusal, refuse } from '../errors/refusal.ts'
import { failureOf } from './failure.ts'

/** What became of a request: an answer, as far as it matters here, or an error. */
export type Happening =
  | { readonly kind: 'failed'; readonly error: unknown; readonly wasSent: boolean }
  | {
      readonly kind: 'answered'
      readonly status: number
      /** The code of its error or decision, where its body has one. */
      readonly code: string | undefined
      /** It says how to authenticate with a bearer token. */
      readonly challenges: boolean
      /** Its Retry-After, where that can be read. */
      readonly retryAfterSeconds: number | undefined
    }

export type Circumstances = {
  /** It reads, and changes nothing. */
  readonly isSafe: boolean
  /** An earlier attempt under the same key may have acted. */
  readonly takeover: boolean
  /** Codes of refusals that a later moment may answer otherwise: they decide nothing. */
  readonly momentary: readonly string[]
  /** The upstream was shown credentials of the gateway, not the partner's own. */
  readonly ownCredentials: boolean
}

export type Verdict = (
  | { readonly kind: 'decided' }
  /** It passes as it is, decides nothing, and is not stored. */
  | { readonly kind: 'passed' }
  /** Nothing has happened. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** It may have happened. */
  | { readonly kind: 'unknown'; readonly refusal: Refusal }
) & {
  /** The upstream is unwell: what the circuit breaker counts. */
  readonly isFailure: boolean
  /** The upstream does not know the gateway: only its operator can mend that. */
  readonly isAlert?: true
}

const DEFAULT_RETRY_SECONDS = 1

/** The one place that says what a request to the upstream has come to: for the client, its key and its caps. */
export function verdictOf(happening: Happening, circumstances: Circumstances): Verdict {
  if (happening.kind === 'failed') {
    const { code, detail } = failureOf(happening.error, happening.wasSent)
    const kind = code === 'UPSTREAM_UNAVAILABLE' ? 'refused' : 'unknown'
    return { kind, refusal: refuse(code, detail), isFailure: true }
  }
  return verdictOfStatus(happening, circumstances)
}

function verdictOfStatus(
  { status, code, challenges, retryAfterSeconds = DEFAULT_RETRY_SECONDS }: Happening & { kind: 'answered' },
  { isSafe, takeover, ownCredentials, momentary }: Circumstances,
): Verdict {
  if (status === 408 || status === 504) {
    const refusal = refuse('UPSTREAM_TIMEOUT', 'It did not answer in time.')
    return { kind: 'unknown', refusal, isFailure: true }
  }
  if (status >= 500) {
    const refusal = refuse('UPSTREAM_INDETERMINATE', 'It failed while it answered.')
    return { kind: 'unknown', refusal, isFailure: true }
  }
  if (status === 401 || status === 403) {
    if (!ownCredentials || (status === 403 && !challenges)) return { kind: 'passed', isFailure: false }
    const refusal = refuse('UPSTREAM_UNAVAILABLE', 'It does not accept the gateway.')
    return { kind: 'refused', refusal, isFailure: status === 401, isAlert: true }
  }
  if (status === 425 || status === 429) {
    const refusal = refuse('OVERLOADED', 'The sandbox behind the gateway has more to do than it can.', {
      retryAfterSeconds,
    })
    return { kind: 'refused', refusal, isFailure: false }
  }
  if (status === 409 && (takeover || code === 'IDEMPOTENCY_IN_PROGRESS')) {
    const detail = 'The first request with this Idempotency-Key has not finished.'
    return {
      kind: 'unknown',
      refusal: refuse('IDEMPOTENCY_IN_PROGRESS', detail, { retryAfterSeconds }),
      isFailure: false,
    }
  }
  if (status >= 300 && status < 400 && !isSafe) {
    const refusal = refuse('UPSTREAM_INDETERMINATE', 'It answered with a redirection.')
    return { kind: 'unknown', refusal, isFailure: true }
  }
  if (status >= 400 && code !== undefined && momentary.includes(code)) {
    return { kind: 'passed', isFailure: false }
  }
  return { kind: 'decided', isFailure: false }
}
