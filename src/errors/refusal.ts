import type { ErrorCode } from './catalogue.ts'

/** Where a request breaks a rule: one of a JSON pointer into the body, a query parameter, or a header. */
export type FieldError =
  | { readonly pointer: string; readonly detail: string }
  | { readonly parameter: string; readonly detail: string }
  | { readonly header: string; readonly detail: string }

/**
 * An expected refusal, as a value. Everything else about it (status, title, resolution) is in the catalogue;
 * `detail` says what happened this time and never repeats a secret or a personal datum.
 */
export type Refusal = {
  readonly code: ErrorCode
  readonly detail: string
  readonly errors?: readonly FieldError[]
  /** Seconds, at least 1. */
  readonly retryAfterSeconds?: number
  /** Further response headers, such as WWW-Authenticate or Allow; lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  /** Extension members of RFC 9457, such as the cap of PARTNER_LIMIT_EXCEEDED. */
  readonly members?: Readonly<Record<string, unknown>>
}

/** What reading or judging comes to when there is something to hand on; without, it is a `Refusal | undefined`. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal }

export function refuse(
  code: ErrorCode,
  detail: string,
  more: Omit<Refusal, 'code' | 'detail'> = {},
): Refusal {
  return { code, detail, ...more }
}
