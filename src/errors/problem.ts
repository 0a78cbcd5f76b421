import type { Language } from '../http/language.ts'
import { type ErrorCode, errorEntry } from './catalogue.ts'
import { errorWords } from './catalogue-fr.ts'
import type { FieldError, Refusal } from './refusal.ts'

/** RFC 9457, with our extension members. */
export type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly code: ErrorCode
  readonly requestId: string
  readonly resolution: string
  readonly errors?: readonly FieldError[]
}

/** `publicUrl` without a slash at the end. The page behind it explains the code. */
export function problemType(publicUrl: string, code: ErrorCode): string {
  return `${publicUrl}/docs/errors/${code}`
}

/** `title` and `resolution` are in the language; `detail` is English, for whoever writes the client. */
export function problem(
  refusal: Refusal,
  requestId: string,
  publicUrl: string,
  language: Language = 'en',
): Problem {
  const { code, detail, errors, members } = refusal
  const { status } = errorEntry(code)
  const { title, resolution } = errorWords(code, language)
  return {
    type: problemType(publicUrl, code),
    title,
    status,
    detail,
    instance: `urn:sandgate:request:${requestId}`,
    code,
    requestId,
    resolution,
    ...(errors && { errors }),
    ...members,
  }
}
