import { decodePercent } from '../http/percent.ts'

/**
 * A canonical path has one spelling: it starts with a single slash, has no empty or dot segment, no semicolon or
 * backslash, and encodes only what must be encoded. Anything else could be read differently by what stands
 * before or behind the gateway, so it is refused rather than repaired.
 */
const PLAIN = /^\/(?:[A-Za-z0-9._~!$&'()*+,=:@-]+(?:\/[A-Za-z0-9._~!$&'()*+,=:@-]+)*\/?)?$/
const ENCODED = /%(?:[0-9A-F]{2})/g
const DOTS = /\/\.{1,2}(?:\/|$)/

export function isCanonicalPath(path: string): boolean {
  if (DOTS.test(path)) return false
  if (PLAIN.test(path)) return true
  if (!path.includes('%')) return false
  let canonical = true
  // An encoded octet stands for itself only when it could not have been written plainly; a separator, a control
  // character or a character of the plain set never is.
  const stripped = path.replace(ENCODED, (octet) => {
    const code = Number.parseInt(octet.slice(1), 16)
    const text = String.fromCharCode(code)
    if (code < 0x21 || code === 0x7f || '/\\;%?#'.includes(text) || PLAIN.test(`/${text}`)) canonical = false
    return 'x'
  })
  // Octets that are no UTF-8, such as an overlong slash, are read differently by whoever decodes them leniently.
  return canonical && PLAIN.test(stripped) && decodePercent(path) !== undefined
}
