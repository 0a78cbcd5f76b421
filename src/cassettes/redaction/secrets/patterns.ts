import { createNeedles } from './needles.ts'

/**
 * What a secret looks like when nobody has seen it before. A stand-in (`redacted-…`) is never one, so that a redacted
 * text can be redacted again and a cassette can be scanned.
 */
export type PatternHit = { readonly start: number; readonly end: number; readonly rule: string }

type Pattern = {
  readonly rule: string
  readonly find: RegExp
  /** The secret is the first group that took part, or else the whole match. */
  readonly holds?: (secret: string, match: RegExpExecArray) => boolean
}

const PARAMETERS =
  'client_secret|access_token|refresh_token|id_token|token|api_?key|password|secret|client_assertion|signature|sig'

const CREDENTIALS = '\\bbearer\\s+(?!redacted-)([A-Za-z0-9._~+/-]{16,}=*)'
const BASIC = '\\bbasic\\s+(?!redacted-)([A-Za-z0-9+/_-]{4,}={0,2})'
const IN_URL = `[?&#](?:${PARAMETERS})=(?!redacted-)([^&#\\s"'<>\\\\]+)`

const PATTERNS: readonly Pattern[] = [
  { rule: 'sandbox-key', find: /sk_sandbox_[A-Za-z0-9_-]+/g },
  { rule: 'signing-secret', find: /whsec_[A-Za-z0-9+/_=-]+/g },
  { rule: 'token', find: /eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,4}/g, holds: looksLikeJwt },
  { rule: 'userinfo', find: /:\/\/(?!redacted-)([^\s/?#"'<>@\\]+)@/g },
  // One expression for three rules, so that the text is gone through once.
  { rule: 'credentials', find: new RegExp(`${CREDENTIALS}|${BASIC}|${IN_URL}`, 'gi'), holds: isCredential },
]

/** The beginnings that are looked for inside base64 as well: of keys, signing secrets and headers of tokens. */
const BASE64_STARTS = createNeedles<undefined>()
for (const start of ['sk_sandbox_', 'whsec_', 'eyJhbGci', 'eyJ0eXAi', 'eyJraWQi'])
  for (const needle of base64Needles(start)) BASE64_STARTS.add(needle, undefined)

const BASE64_RUN = /[A-Za-z0-9+/_-]*={0,2}/y

export function findPatterns(text: string): PatternHit[] {
  const hits: PatternHit[] = []
  for (const { rule, find, holds } of PATTERNS) {
    find.lastIndex = 0
    for (let match = find.exec(text); match !== null; match = find.exec(text)) {
      const secret = match[1] ?? match[2] ?? match[3] ?? match[0]
      if (holds && !holds(secret, match)) continue
      const start = match.index + match[0].lastIndexOf(secret)
      hits.push({ start, end: start + secret.length, rule })
    }
  }
  BASE64_STARTS.scan(text, (start, end) => {
    BASE64_RUN.lastIndex = end
    const rest = BASE64_RUN.exec(text)?.[0].length ?? 0
    hits.push({ start, end: end + rest, rule: 'base64' })
  })
  return hits
}

/** Prose says "Bearer authentication" and "Basic authentication" as well. */
function isCredential(secret: string, [, bearer, basic]: RegExpExecArray): boolean {
  if (bearer !== undefined) return /[0-9]/.test(secret)
  return basic === undefined || isCredentialPair(secret)
}

/** The header of a JWT is a JSON object; a dotted text that merely starts like one is not. */
function looksLikeJwt(text: string): boolean {
  const header = Buffer.from(text.slice(0, text.indexOf('.')), 'base64url').toString('latin1')
  return /^\{\s*"/.test(header)
}

/** `user:password`, printable: prose such as "Basic authentication" does not decode to that. */
function isCredentialPair(text: string): boolean {
  return /^[^\p{Cc}]*:[^\p{Cc}]*$/u.test(Buffer.from(text, 'base64').toString('latin1'))
}

/**
 * The base64 characters that depend on the bytes of `text` alone, whatever stands before and after it: for each of
 * the three alignments, in both alphabets.
 */
export function base64Needles(text: string): string[] {
  const needles = new Set<string>()
  for (let before = 0; before < 3; before++) {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text, 'latin1')])
    const first = Math.ceil((before * 8) / 6)
    const last = Math.floor((bytes.length * 8) / 6)
    needles.add(bytes.toString('base64').slice(first, last))
    needles.add(bytes.toString('base64url').slice(first, last))
  }
  return [...needles]
}
