/**
 * What a secret looks like when nobody has seen it before. A stand-in (`redacted-…`) is never one, so that a redacted
 * text can be redacted again and a cassette can be scanned.
 */
export type PatternHit = { readonly start: number; readonly end: number; readonly rule: string }

type Pattern = {
  readonly rule: string
  readonly find: RegExp
  /** Which group is the secret; 0 is the whole match. */
  readonly group: 0 | 1
  readonly holds?: (secret: string) => boolean
}

const PARAMETERS =
  'client_secret|access_token|refresh_token|id_token|token|api_?key|password|secret|client_assertion|signature|sig'

const PATTERNS: readonly Pattern[] = [
  { rule: 'sandbox-key', find: /sk_sandbox_[A-Za-z0-9_-]+/g, group: 0 },
  { rule: 'signing-secret', find: /whsec_[A-Za-z0-9+/_=-]+/g, group: 0 },
  { rule: 'token', find: /eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,4}/g, group: 0, holds: looksLikeJwt },
  {
    rule: 'bearer',
    find: /\bbearer\s+(?!redacted-)([A-Za-z0-9._~+/-]{16,}=*)/gi,
    group: 1,
    // Prose says "Bearer authentication" as well.
    holds: (text) => /[0-9]/.test(text),
  },
  {
    rule: 'basic',
    find: /\bbasic\s+(?!redacted-)([A-Za-z0-9+/_-]{4,}={0,2})/gi,
    group: 1,
    holds: isCredentialPair,
  },
  { rule: 'userinfo', find: /:\/\/(?!redacted-)([^\s/?#"'<>@\\]+)@/g, group: 1 },
  {
    rule: 'url-parameter',
    find: new RegExp(`[?&#](?:${PARAMETERS})=(?!redacted-)([^&#\\s"'<>\\\\]+)`, 'gi'),
    group: 1,
  },
  {
    rule: 'base64',
    find: base64Starts(['sk_sandbox_', 'whsec_', 'eyJhbGci', 'eyJ0eXAi', 'eyJraWQi']),
    group: 0,
  },
]

export function findPatterns(text: string): PatternHit[] {
  const hits: PatternHit[] = []
  for (const { rule, find, group, holds } of PATTERNS) {
    for (const match of text.matchAll(find)) {
      const secret = match[group] ?? ''
      if (holds && !holds(secret)) continue
      const start = group === 0 ? match.index : match.index + match[0].lastIndexOf(secret)
      hits.push({ start, end: start + secret.length, rule })
    }
  }
  return hits
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

/** A known beginning inside base64, at each of the three alignments, and all that follows it. */
function base64Starts(beginnings: readonly string[]): RegExp {
  const starts = beginnings.flatMap((text) => base64Needles(text))
  const alternatives = [...new Set(starts)].map((start) => start.replace(/[+/]/g, '\\$&'))
  return new RegExp(`(?:${alternatives.join('|')})[A-Za-z0-9+/_-]*={0,2}`, 'g')
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
