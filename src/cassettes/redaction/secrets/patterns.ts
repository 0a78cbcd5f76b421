import { findPeople } from '../people/people.ts'
import { findAssignments } from './assignments.ts'
import {
  AMPERSAND,
  AT,
  CAPITAL,
  DOLLAR,
  EQUALS,
  HYPHEN,
  type Marks,
  marksOf,
  SPACE,
  UNDERSCORE,
} from './marks.ts'
import { createNeedles } from './needles.ts'
import type { PatternHit } from './pattern-hit.ts'

type Pattern = {
  readonly rule: string
  /** Goes through a text once: no two matches can share what they look at. */
  readonly find: RegExp
  /** Whether a text can hold one at all. */
  readonly needs: (marks: Marks) => boolean
  /** The secret is the first group that took part, or else the whole match. */
  readonly holds?: (secret: string, match: RegExpExecArray) => boolean
}

const PARAMETERS =
  'client_secret|access_token|refresh_token|id_token|token|api_?key|password|secret|client_assertion|signature|sig'

const CREDENTIALS = '\\bbearer\\s{1,8}(?!redacted-)([A-Za-z0-9._~+/-]{16,}=*)'
const BASIC = '\\bbasic\\s{1,8}(?!redacted-)([A-Za-z0-9+/_-]{4,}={0,2})'
const IN_URL = `[?&#](?:${PARAMETERS})=(?!redacted-)([^&#\\s"'<>\\\\]+)`

function hasUnderscore({ has }: Marks): boolean {
  return (has & UNDERSCORE) !== 0
}

const PATTERNS: readonly Pattern[] = [
  { rule: 'sandbox-key', find: /[sr]k_(?:sandbox|live|test|prod)_[A-Za-z0-9_-]+/g, needs: hasUnderscore },
  { rule: 'signing-secret', find: /whsec_[A-Za-z0-9+/_=-]+/g, needs: hasUnderscore },
  // The marks of those who give keys out; bare keys in DER by what every one of them begins with; hashes of passwords.
  {
    rule: 'key',
    find: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[abeoprs]-[\w-]{10,}|A(?:KIA|SIA)[A-Z0-9]{16}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|SG\.[\w-]{20,}\.[\w-]{20,}|M(?:II[A-Za-z0-9+/]{2,4}IBA(?:DANB|AKC)|HcCAQEE|IGHAgEAM|C4CAQAwBQYDK2V)[A-Za-z0-9+/=]{10,}|\$(?:2[abxy]\$[0-9]{2}|argon2i?d?|[156y])\$[\w.$/+=,-]{20,})/g,
    needs: ({ has, hasRun }) => (hasRun && (has & CAPITAL) !== 0) || (has & DOLLAR) !== 0,
  },
  // One expression for three rules, so that the text is gone through once.
  {
    rule: 'credentials',
    find: new RegExp(`${CREDENTIALS}|${BASIC}|${IN_URL}`, 'gi'),
    needs: ({ has }) => (has & SPACE) !== 0 || (has & (EQUALS | AMPERSAND)) > EQUALS,
    holds: isCredential,
  },
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
export function findPatterns(text: string, people = false, marks = marksOf(text)): PatternHit[] {
  const hits: PatternHit[] = []
  const { has, hasRun, digits } = marks
  for (const { rule, find, needs, holds } of PATTERNS) {
    if (!needs(marks)) continue
    find.lastIndex = 0
    for (let match = find.exec(text); match !== null; match = find.exec(text)) {
      const secret = match[1] ?? match[2] ?? match[3] ?? match[0]
      if (holds && !holds(secret, match)) continue
      const start = match.index + match[0].lastIndexOf(secret)
      hits.push({ start, end: start + secret.length, rule, ...(rule === 'credentials' && { isNamed: true }) })
    }
  }
  findTokens(text, hits)
  if ((has & HYPHEN) !== 0) findPrivateKeys(text, hits)
  hits.push(...findAssignments(text, marks, people))
  if (people) hits.push(...findPeople(text, marks))
  if (digits >= 15) findCards(text, hits)
  if ((has & AT) !== 0) findUserinfo(text, hits)
  if (!hasRun && text.length > 10) return hits
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

/** User information of a URL. A password may hold what separates the rest of a URL; the last `@` before a host ends it. */
function findUserinfo(text: string, hits: PatternHit[]): void {
  if (!text.includes('@')) return
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    const start = at + 3
    USERINFO.lastIndex = start
    const held = USERINFO.exec(text)?.[0]
    if (held === undefined) continue
    const authority = /^[^/?#]*/.exec(held)?.[0] ?? ''
    const inAuthority = authority.lastIndexOf('@')
    // Behind a port begins a path, in which an address may stand.
    const isPath = inAuthority === -1 && !/^[^/?#@]{0,200}:(?![0-9]{1,5}[/?#])/.test(held)
    if (isPath || held.startsWith('redacted-')) continue
    hits.push({
      start,
      end: start + (inAuthority === -1 ? held.indexOf('@') : inAuthority),
      rule: 'userinfo',
    })
  }
}

const USERINFO = /[^\s"'<>\\]{1,300}@(?=[\w[])/y

const CARD =
  /(?<![\w.+-])(?:[0-9]{15,19}|[0-9]{4}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{3,4}(?:\1[0-9]{1,3})?|3[0-9]{3}([ -])[0-9]{6}\2[0-9]{5})(?![\w-]|[.,][0-9])/g
/** Of the cards that there are, with their lengths. */
const ISSUED =
  /^(?:3[47][0-9]{13}|(?:4[0-9]{3}|5[0-8][0-9]{2}|2[2-7][0-9]{2}|3[0568][0-9]{2}|6[0-9]{3})[0-9]{12}(?:[0-9]{3})?)$/

/** Numbers of cards, by their issuer and their check digit. */
function findCards(text: string, hits: PatternHit[]): void {
  CARD.lastIndex = 0
  for (let match = CARD.exec(text); match !== null; match = CARD.exec(text)) {
    const digits = match[0].replaceAll(/[ -]/g, '')
    if (!ISSUED.test(digits) || !isLuhn(digits)) continue
    hits.push({ start: match.index, end: match.index + match[0].length, rule: 'card-number' })
  }
}

function isLuhn(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits.charAt(digits.length - 1 - i))
    const twice = digit * 2
    sum += i % 2 === 0 ? digit : twice > 9 ? twice - 9 : twice
  }
  return sum % 10 === 0 && /[1-9].*[1-9]/.test(digits.slice(4))
}

const BEGIN = /-{4,5}[ +_]?BEGIN[ +_]/g
const OPENING = /^-{4,5}[ +_]?BEGIN[ +_][A-Z0-9 +_]{0,40}PRIVATE[ +_]KEY(?:[ +_]BLOCK)?[ +_]?-{4,5}/
const CLOSING = /-{4,5}[ +_]?END[ +_][^-\n]{0,60}-{4,5}/g

/** A private key in PEM, whatever stands for its spaces and ends of lines: up to its end, or as far as it goes. */
function findPrivateKeys(text: string, hits: PatternHit[]): void {
  const putty = text.indexOf('Private-Lines:')
  if (putty !== -1) hits.push({ start: putty, end: text.length, rule: 'private-key' })
  if (!text.includes('BEGIN')) return
  BEGIN.lastIndex = 0
  for (let match = BEGIN.exec(text); match !== null; match = BEGIN.exec(text)) {
    const at = match.index
    if (!OPENING.test(text.slice(at, at + 80))) continue
    CLOSING.lastIndex = at
    const closing = CLOSING.exec(text)
    const stop = closing === null ? text.length : closing.index + closing[0].length
    hits.push({ start: at, end: stop, rule: 'private-key' })
    BEGIN.lastIndex = stop
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
