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
  return canonical && PLAIN.test(stripped) && isUtf8Encoded(path)
}

/** Octets that are no UTF-8, such as an overlong slash, are read differently by whoever decodes them leniently. */
function isUtf8Encoded(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/**
 * The path and query of a request target. Absolute-form (RFC 9112 section 3.2.2) is served by its path; the
 * authority is never trusted for anything. Undefined for authority-form and asterisk-form.
 */
export function splitTarget(target: string): { path: string; query: string } | undefined {
  let rest = target
  if (target.charCodeAt(0) !== 0x2f) {
    const absolute = /^https?:\/\/[^/?#]+/i.exec(target)
    if (!absolute) return undefined
    rest = target.slice(absolute[0].length)
    if (rest.charCodeAt(0) !== 0x2f) rest = `/${rest}`
  }
  const mark = rest.indexOf('?')
  return mark === -1 ? { path: rest, query: '' } : { path: rest.slice(0, mark), query: rest.slice(mark + 1) }
}

/** The lane of a target `/_lane/NAME/rest`, and the target without it. */
export function takeLane(target: string): { readonly lane: string | undefined; readonly target: string } {
  const found = /^\/_lane\/([A-Za-z0-9._~-]{1,100})(\/.*)$/.exec(target)
  return found ? { lane: found[1], target: found[2] ?? '/' } : { lane: undefined, target }
}
