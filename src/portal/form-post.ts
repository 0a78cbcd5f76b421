import { type Refusal, refuse } from '../errors/refusal.ts'
import { mediaType } from '../http/media-type.ts'
import { decodeForm } from '../http/percent.ts'
import type { Visit } from './page.ts'

export type FormRead =
  | { readonly fields: ReadonlyMap<string, string>; readonly refusal?: never }
  | { readonly fields?: never; readonly refusal: Refusal }

const FORM = 'application/x-www-form-urlencoded'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads what one of our forms sent: each field once, in UTF-8. Only the media type that a form sends is taken;
 * others that a script of a foreign page could send without asking (text/plain, multipart) are refused with it.
 */
export function readFormPost({ headers, body }: Visit): FormRead {
  if (mediaType(String(headers['content-type'] ?? '')) !== FORM) {
    return { refusal: refuse('UNSUPPORTED_MEDIA_TYPE', `This page takes ${FORM}.`) }
  }
  if (headers['content-encoding'] !== undefined) {
    return {
      refusal: refuse('UNSUPPORTED_MEDIA_TYPE', 'The body is encoded; send it without Content-Encoding.'),
    }
  }
  const fields = new Map<string, string>()
  for (const pair of utf8Text(body)?.split('&') ?? ['%']) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeForm(equals < 0 ? pair : pair.slice(0, equals))
    const value = decodeForm(equals < 0 ? '' : pair.slice(equals + 1))
    if (name === undefined || value === undefined) return malformed('The form is not encoded in UTF-8.')
    if (fields.has(name)) return malformed('The form has a field more than once.')
    fields.set(name, value)
  }
  return { fields }
}

/**
 * Whether a form may have been sent by a page that is not ours. Browsers say so themselves in Sec-Fetch-Site; on
 * plain HTTP and in older ones there is only Origin, which is `null` on some of our own pages too (their referrer
 * policy hides it). Then the token in the form decides alone. Our origin is the public URL, or what the browser itself
 * calls us: `localhost` where the public URL says 127.0.0.1.
 */
export function isForeign({ headers }: Pick<Visit, 'headers'>, publicUrl: string): boolean {
  const { 'sec-fetch-site': site, origin, host } = headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  if (origin === undefined || origin === 'null') return false
  return origin !== new URL(publicUrl).origin && origin !== `http://${host}` && origin !== `https://${host}`
}

function utf8Text(body: Buffer): string | undefined {
  try {
    return utf8.decode(body)
  } catch {
    return undefined
  }
}

function malformed(detail: string): FormRead {
  return { refusal: refuse('MALFORMED_BODY', detail) }
}
