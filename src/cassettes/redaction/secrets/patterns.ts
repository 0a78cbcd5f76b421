import { findAssignments } from './assignments.ts'
import { createNeedles } from './needles.ts'
import type { PatternHit } from './pattern-hit.ts'

type Pattern = {
  readonly rule: string
  /** Goes through a text once: no two matches can share what they look at. */
  readonly find: RegExp
  /** The secret is the first group that took part, or else the whole match. */
  readonly holds?: (secret: string, match: RegExpExecArray) => boolean
}

const PARAMETERS =
  'client_secret|access_token|refresh_token|id_token|token|api_?key|password|secret|client_assertion|signature|sig'

const CREDENTIALS = '\\bbearer\\s{1,8}(?!redacted-)([A-Za-z0-9._~+/-]{16,}=*)'
const BASIC = '\\bbasic\\s{1,8}(?!redacted-)([A-Za-z0-9+/_-]{4,}={0,2})'
const IN_URL = `[?&#](?:${PARAMETERS})=(?!redacted-)([^&#\\s"'<>\\\\]+)`

const PATTERNS: readonly Pattern[] = [
  { rule: 'sandbox-key', find: /[sr]k_(?:sandbox|live|test|prod)_[A-Za-z0-9_-]+/g },
  { rule: 'signing-secret', find: /whsec_[A-Za-z0-9+/_=-]+/g },
  { rule: 'userinfo', find: /:\/\/(?!redacted-)([^\s/?#"'<>@\\]+)@/g },
  // One expression for three rules, so that the text is gone through once.
  { rule: 'credentials', find: new RegExp(`${CREDENTIALS}|${BASIC}|${IN_URL}`, 'gi'), holds: isCredential },
]

/** The beginnings that are looked for inside base64 as well: of keys, signing secrets and headers of tokens. */
const BASE64_STARTS = createNeedles<object>()
for (const start of ['sk_sandbox_', 'sk_live_', 'whsec_', '-----BEGIN', 'eyJhbGci', 'eyJ0eXAi', 'eyJraWQi'])
  for (const needle of base64Needles(start)) BASE64_STARTS.add(needle, {})

const BASE64_RUN = /[A-Za-z0-9+/_-]*={0,2}/y

/**
 * What looks like a secret that nobody has seen before. A stand-in (`redacted-…`) is never one, so that a redacted text
 * can be redacted again and a cassette can be scanned.
 */
export function findPatterns(text: string): PatternHit[] {
  const hits: PatternHit[] = []
  for (const { rule, find, holds } of PATTERNS) {
    find.lastIndex = 0
    for (let match = find.exec(text); match !== null; match = find.exec(text)) {
      const secret = match[1] ?? match[2] ?? match[3] ?? match[0]
      if (holds && !holds(secret, match)) continue
      const start = match.index + match[0].lastIndexOf(secret)
      hits.push({ start, end: start + secret.length, rule, ...(rule === 'credentials' && { isNamed: true }) })
    }
  }
  findTokens(text, hits)
  findPrivateKeys(text, hits)
  hits.push(...findAssignments(text))
  let runEnd = 0
  BASE64_STARTS.scan(text, (start, end) => {
    if (start < runEnd) return
    BASE64_RUN.lastIndex = end
    const rest = BASE64_RUN.exec(text)?.[0].length ?? 0
    runEnd = end + rest
    hits.push({ start, end: runEnd, rule: 'base64' })
  })
  return hits
}

const TOKEN_RUN = /[A-Za-z0-9_-]{11,}\.[A-Za-z0-9_.-]*/y
const TOKEN_CHARACTER = /[A-Za-z0-9_.-]/

/** JSON Web Tokens: `eyJ…` and one to four parts more, each behind a dot. A run of their characters is gone through once. */
function findTokens(text: string, hits: PatternHit[]): void {
  for (let at = text.indexOf('eyJ'); at !== -1; ) {
    TOKEN_RUN.lastIndex = at
    const run = TOKEN_RUN.exec(text)?.[0]
    if (run === undefined) {
      // No dot follows: nothing in this run is a token.
      at = text.indexOf('eyJ', endOfRun(text, at))
      continue
    }
    const head = run.indexOf('.')
    // Several may stand before one dot; the first whose letters are the header of a token is it.
    let start = 0
    while (start !== -1 && start + 11 <= head && !looksLikeJwt(run.slice(start, start + 64)))
      start = run.indexOf('eyJ', start + 1)
    if (start === -1 || start + 11 > head) {
      at = text.indexOf('eyJ', at + head)
      continue
    }
    hits.push({ start: at + start, end: at + run.length, rule: 'token' })
    at = text.indexOf('eyJ', at + run.length)
  }
}

function endOfRun(text: string, from: number): number {
  let at = from
  while (at < text.length && TOKEN_CHARACTER.test(text.charAt(at)) && text.charAt(at) !== '.') at++
  return at
}

/** A private key in PEM: up to its end, or as far as it goes. */
function findPrivateKeys(text: string, hits: PatternHit[]): void {
  for (let at = text.indexOf('-----BEGIN '); at !== -1; ) {
    const label = text.slice(at, at + 80)
    const opening = /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.exec(label)?.[0]
    if (opening === undefined) {
      at = text.indexOf('-----BEGIN ', at + 11)
      continue
    }
    const closing = text.indexOf('-----END ', at)
    const end = closing === -1 ? -1 : text.indexOf('-----', closing + 9)
    const stop = end === -1 ? text.length : end + 5
    hits.push({ start: at, end: stop, rule: 'private-key' })
    at = text.indexOf('-----BEGIN ', stop)
  }
}

/** Prose says "Bearer authentication" and "Basic authentication" as well. */
function isCredential(secret: string, [, bearer, basic]: RegExpExecArray): boolean {
  if (bearer !== undefined) return /[0-9]/.test(secret)
  return basic === undefined || isCredentialPair(secret)
}

/** The header of a JWT is a JSON object; a dotted text that merely starts like one is not. */
function looksLikeJwt(head: string): boolean {
  return /^\{\s*"/.test(Buffer.from(head, 'base64url').toString('latin1'))
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
