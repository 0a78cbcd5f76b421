import type { HeaderLine } from '../../http/header-lines.ts'
import { decodeFormOrKeep, decodePercentOrKeep } from '../../http/percent.ts'
import { remembered } from '../../map-entries.ts'
import { isPublicClientId } from '../../tokens/client-id.ts'
import type { Place } from '../interaction.ts'
import { latin1, utf8 } from '../message/bytes.ts'
import { formValues } from '../message/form-spans.ts'
import { repeatPointer } from '../message/place.ts'
import { spliced } from '../message/splice.ts'
import { type Edit, type Search, withFindings } from './edits.ts'
import type { RedactionPolicy } from './policy.ts'
import { secretMeaning } from './secrets/names.ts'
import type { StandIns } from './stand-ins/stand-ins.ts'

export type RedactedHeaders = { readonly headers: readonly HeaderLine[]; readonly edits: readonly Edit[] }

/** Names whose values are secrets even where the header is left out; what they held is looked for elsewhere. */
const SENSITIVE = /auth|cookie|key|secret|token|session|signature|password/i

/** The allowed lines, and what in each has to go by the name of its header. */
export function readHeaders(
  lines: readonly HeaderLine[],
  part: HeaderPart,
  policy: RedactionPolicy,
  standIns: StandIns,
): readonly Kept[] {
  const allowed = part === 'request-header' ? policy.requestHeaders : policy.replyHeaders
  const seen = new Map<string, number>()
  const kept: Kept[] = []
  for (const line of lines) {
    const [name, value] = line
    const lower = name.toLowerCase()
    if (!allowed.has(lower)) continue
    const count = seen.get(lower) ?? 0
    seen.set(lower, count + 1)
    const place = STRUCTURED.has(lower) ? placeOf(part, lower, count) : undefined
    // Node hands over header values as Latin-1 already; anything beyond that is taken as UTF-8.
    const wide = /[^\0-\xff]/.test(value)
    const bytes = wide ? latin1(value) : value
    kept.push({
      line,
      lower,
      count,
      wide,
      bytes,
      own: place ? structural(lower, bytes, place, standIns) : NO_EDITS,
    })
  }
  return kept
}

/** What is left of the values, for a search in all of them together. */
export function headerTexts(kept: readonly Kept[]): readonly string[] {
  return kept.map(({ bytes, own }) => (own.length === 0 ? bytes : spliced(bytes, own)))
}

/**
 * The lines, in their order and spelling, with stand-ins for what they hold. Credentials keep their scheme, cookies their
 * names and attributes.
 */
export function redactHeaders(kept: readonly Kept[], part: HeaderPart, search: Search): RedactedHeaders {
  const headers: HeaderLine[] = []
  const edits: Edit[] = []
  for (const { line, lower, count, wide, bytes, own } of kept) {
    if (search.isSwept && own.length === 0) {
      headers.push(line)
      continue
    }
    const place = () => placeOf(part, lower, count)
    const found = withFindings(bytes, own, search, place)
    if (found.length === 0) {
      headers.push(line)
      continue
    }
    const text = spliced(bytes, found)
    headers.push([line[0], wide ? utf8(text) : text])
    edits.push(...found)
  }
  return { headers, edits }
}

type HeaderPart = 'request-header' | 'reply-header'

export type Kept = {
  readonly line: HeaderLine
  readonly lower: string
  /** How many lines of this name came before. */
  readonly count: number
  readonly wide: boolean
  readonly bytes: string
  readonly own: readonly Edit[]
}

const NO_EDITS: readonly Edit[] = []

function placeOf(part: Place['part'], name: string, count: number): Place {
  return { part, pointer: repeatPointer(name, count) }
}

/** The values of headers that are secrets by their names, so that they are found wherever else they stand. */
export function secretsOfHeaders(lines: readonly HeaderLine[]): string[] {
  const values: string[] = []
  for (const [name, value] of lines) {
    const lower = name.toLowerCase()
    if (lower === 'idempotency-key' || lower === 'www-authenticate') continue
    if (!isSensitive(lower)) continue
    if (lower === 'cookie')
      values.push(...cookiePairs(value).flatMap(({ start, end }) => cookieSecrets(value.slice(start, end))))
    else if (lower === 'set-cookie')
      values.push(...firstPair(value).flatMap(({ start, end }) => cookieSecrets(value.slice(start, end))))
    else values.push(...credentials(value))
  }
  return values
}

const isSensitive = remembered((lower) => SENSITIVE.test(lower) || secretMeaning(lower) !== undefined)

/** A cookie, and what is put together in it: JSON, a form, a value and its signature. */
function cookieSecrets(value: string): string[] {
  const text = decodePercentOrKeep(value)
  const inner = /^(?:ey|[A-Za-z0-9+/_-]{16,}={0,2}$)/.test(text)
    ? Buffer.from(text, 'base64').toString('latin1')
    : ''
  const readable = /^[[{]/.test(inner) ? inner : text
  const pieces = /[^\w+/-]/.test(readable) ? readable.split(/[^\w+/-]+/) : []
  return [
    value,
    ...pieces.filter((piece) => piece.length >= 8 && /[0-9]/.test(piece) && /[A-Za-z]/.test(piece)),
  ]
}

function credentials(value: string): string[] {
  const [, scheme = '', rest = ''] = /^(\S+)\s+(\S.*)$/.exec(value) ?? []
  if (rest === '') return [value]
  if (scheme.toLowerCase() !== 'basic') return [rest]
  const pair = Buffer.from(rest, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  if (colon === -1) return [rest]
  const halves = [pair.slice(0, colon), pair.slice(colon + 1)]
  return halves.flatMap((half) => [half, decodeFormOrKeep(half)]).filter((half) => !isPublicClientId(half))
}

/** The headers that say by their names what in them is a secret. */
const STRUCTURED = new Set(['authorization', 'cookie', 'set-cookie', 'location'])

function structural(name: string, value: string, place: Place, standIns: StandIns): Edit[] {
  const secret = (start: number, end: number, rule: string): Edit => {
    const found = value.slice(start, end)
    return { start, end, kind: 'secret', rule, place, value: found, text: standIns.secret(rule, found) }
  }
  switch (name) {
    case 'authorization': {
      const scheme = /^(\S+)\s+(?=\S)/.exec(value)
      if (value.trim() === '') return []
      if (scheme === null) return [secret(0, value.length, 'credentials')]
      return [secret(scheme[0].length, value.length, ruleOf(scheme[1] ?? ''))]
    }
    case 'cookie':
      return cookiePairs(value).map(({ start, end }) => secret(start, end, 'cookie'))
    case 'set-cookie':
      return firstPair(value).map(({ start, end }) => secret(start, end, 'cookie'))
    case 'location':
      return locationEdits(value, place, standIns)
    default:
      return []
  }
}

function ruleOf(scheme: string): string {
  const lower = scheme.toLowerCase()
  return lower === 'bearer' ? 'token' : lower === 'basic' ? 'basic' : 'credentials'
}

/** A redirect repeats what a form or a page was given. */
function locationEdits(value: string, place: Place, standIns: StandIns): Edit[] {
  const mark = /[?#]/.exec(value)
  if (mark === null) return []
  const edits: Edit[] = []
  for (const { name, start, end, value: held } of formValues(value.replaceAll('#', '&'), mark.index + 1)) {
    const rule = isGrant(name, held) ? CODE_RULE : standIns.fields.rule([name])
    if (rule === undefined || held === '' || (rule.kind === 'client-id' && isPublicClientId(held))) continue
    if (rule.kind === 'personal') {
      const { text, verbatim } = standIns.personal(rule.type, held)
      if (verbatim) continue
      edits.push({
        start,
        end,
        kind: 'personal',
        rule: rule.type,
        place,
        value: held,
        text: encodeURIComponent(text),
      })
    } else {
      const text = standIns.secret(rule.type, held)
      edits.push({ start, end, kind: 'secret', rule: rule.type, place, value: held, text })
    }
  }
  return edits
}

const CODE_RULE = { kind: 'secret', type: 'code' } as const

/** The authorization code of RFC 6749 in a redirect; a code in capitals is one of an error. */
function isGrant(name: string, value: string): boolean {
  return name === 'code' && value.length >= 8 && !/^[A-Z_]+$/.test(value)
}

function cookiePairs(value: string): { start: number; end: number }[] {
  const pairs: { start: number; end: number }[] = []
  for (const match of value.matchAll(/[^;]+/g)) {
    const equals = match[0].indexOf('=')
    // A pair without a name is all value.
    const lead = equals === -1 ? match[0].length - match[0].trimStart().length : equals + 1
    const start = match.index + lead
    const end = match.index + match[0].trimEnd().length
    if (end > start) pairs.push({ start, end })
  }
  return pairs
}

function firstPair(value: string): { start: number; end: number }[] {
  return cookiePairs(value.split(';', 1)[0] ?? '')
}
