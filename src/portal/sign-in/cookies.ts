import type { HeaderValue } from '../../http/accept.ts'

/** Who has signed in. */
export const SESSION_COOKIE = 'sandgate_portal'
/** Ties a sign-in form to the browser that it was shown in. */
export const FORM_COOKIE = 'sandgate_form'

/**
 * The value of a cookie by its name. Undefined when it came twice: a page on a sibling domain can set a second one,
 * and which of them is ours cannot be told.
 */
export function readCookie(header: HeaderValue, name: string): string | undefined {
  if (header === undefined) return undefined
  let found: string | undefined
  for (const pair of String(header).split(';')) {
    const equals = pair.indexOf('=')
    if (equals < 0 || pair.slice(0, equals).trim() !== name) continue
    if (found !== undefined) return undefined
    found = pair.slice(equals + 1).trim()
  }
  return found
}

/** `maxAgeSeconds` absent: until the browser is closed; 0: it is forgotten. Only the portal gets it back. */
export function setCookie(
  name: string,
  value: string,
  { isSecure, maxAgeSeconds }: { readonly isSecure: boolean; readonly maxAgeSeconds?: number },
): string {
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${name}=${value}; Path=/portal${age}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}
