import { utf8 } from '../../message/bytes.ts'
import { secretMeaning } from './names.ts'
import type { PatternHit } from './pattern-hit.ts'

/**
 * `NAME=value`, `name: value` and `"name": "value"` in any text: a log line, a form in a field, JSON in a text, a
 * file of settings. The name is judged as that of a field is.
 *
 * What may be a name of a secret ends in one of these words, with at most a few characters behind it; everything is
 * counted, so that a text is gone through once.
 */
const NAME_END =
  /(?:secret|pass|pwd|psw|mdp|token|key|cl[e\xe9]|pin|nip|otp|cv[vc]|csc|credential|code|number|num|no|carte|card|pan|auth|bearer|jwt|csrf|xsrf|cookie|sig|assertion|jeton|mnemonic|phrase|hmac|psk|puk|senha|kennwort|contrase|answer|verifier|rification|sess)[\w .-]{0,30}["']?\]?\s{0,8}(?::=|=>|[=:]|;s:\d{1,6}:|(?<=\s)(?:is|est|was):?\s)(?!\/\/)\s{0,8}/gi

const NAME_CHARACTER = /[\w.\x80-\xff-]/
const MAX_NAME = 80

/** What stands behind a name in a sentence about it. */
const PROSE =
  /^(?:true|false|null|none|undefined|required|invalid|missing|expired|optional|incorrect|wrong|unknown|hidden|masked|must|is|was|has|string|number|boolean|object|not|no|an?|the|this|that|absent|revoked|redacted|\*+|<.*|\{.*|\[.*|\$\{?.*|%[sdj])$/i

export function findAssignments(text: string): PatternHit[] {
  const hits: PatternHit[] = []
  NAME_END.lastIndex = 0
  for (let match = NAME_END.exec(text); match !== null; match = NAME_END.exec(text)) {
    const valueAt = match.index + match[0].length
    // What stands behind may be the next name.
    NAME_END.lastIndex = Math.max(match.index + 2, valueAt - 1)
    const operator = match[0].search(/["']?\]?\s*(?::=|=>|[=:]|;s:\d+:|\s(?:is|est|was):?\s)\s*$/i)
    const meaning = meaningBefore(text, match.index + operator)
    if (meaning === undefined) continue
    const value = valueFrom(text, valueAt, meaning.type)
    if (value === undefined) continue
    const held = text.slice(value.start, value.end)
    // A sentence says much of a secret; what has digits is the secret itself.
    if (
      /\s(?:is|est|was):?\s+$/i.test(match[0]) &&
      !(/[0-9]/.test(held) && held.length >= (meaning.textOnly ? 8 : 4))
    )
      continue
    if (held.startsWith('redacted-') || /^(?:true|false|null)$/i.test(held)) continue
    if (meaning.textOnly && !value.isQuoted && /^-?[\d.]+$/.test(held)) continue
    if (!value.isQuoted && !match[0].includes('=') && isProse(text, value, held)) continue
    if (meaning.textOnly && held.length < 4) continue
    hits.push({ start: value.start, end: value.end, rule: meaning.type, isNamed: true })
    NAME_END.lastIndex = value.end
  }
  findFlags(text, hits)
  findElements(text, hits)
  return hits
}

/** `--password VALUE` of a command line: no operator stands between them. */
const FLAG = /(?:^|\s)--([A-Za-z][\w-]{0,60})[ \t]{1,4}(?!-)/g

/** `-u USER:PASSWORD` of curl. */
const USER = /(?:^|\s)(?:-u|--user|--proxy-user)[ \t=]{1,4}["']?[^\s"':]{1,200}:([^\s"']{1,1024})/g

/** `<password>VALUE</password>` in a text that is no XML itself: a message in an envelope, a log. */
const ELEMENT = /<([\w.:-]{2,60})(?:\s[^<>]{0,200})?>([^<>]{4,1024})<\//g

function findElements(text: string, hits: PatternHit[]): void {
  if (!text.includes('</')) return
  ELEMENT.lastIndex = 0
  for (let match = ELEMENT.exec(text); match !== null; match = ELEMENT.exec(text)) {
    const held = match[2] ?? ''
    const meaning = secretMeaning((match[1] ?? '').replace(/^.*:/, ''))
    if (!meaning || held.startsWith('redacted-') || PROSE.test(held)) continue
    if (meaning.textOnly && !/[0-9]/.test(held)) continue
    const end = match.index + match[0].length - 2
    hits.push({ start: end - held.length, end, rule: meaning.type, isNamed: true })
  }
}

function findFlags(text: string, hits: PatternHit[]): void {
  if (!text.includes('-')) return
  USER.lastIndex = 0
  for (let match = USER.exec(text); match !== null; match = USER.exec(text)) {
    const held = match[1] ?? ''
    if (held.startsWith('redacted-')) continue
    const end = match.index + match[0].length
    hits.push({ start: end - held.length, end, rule: 'password', isNamed: true })
  }
  if (!text.includes(' --') && !text.startsWith('--')) return
  FLAG.lastIndex = 0
  for (let match = FLAG.exec(text); match !== null; match = FLAG.exec(text)) {
    const meaning = secretMeaning(match[1] ?? '')
    const value = meaning && valueFrom(text, match.index + match[0].length)
    if (!meaning || !value) continue
    const held = text.slice(value.start, value.end)
    if (held.startsWith('redacted-') || PROSE.test(held)) continue
    hits.push({ start: value.start, end: value.end, rule: meaning.type, isNamed: true })
  }
}

/** The meaning of the name that ends before the operator: one word, or the last three of a label such as `card number`. */
function meaningBefore(text: string, end: number): ReturnType<typeof secretMeaning> {
  let start = end
  let spaces = 0
  while (start > 0 && end - start < MAX_NAME) {
    const character = text.charAt(start - 1)
    if (character === ' ' && spaces < 2 && start < end && NAME_CHARACTER.test(text.charAt(start - 2)))
      spaces++
    else if (!NAME_CHARACTER.test(character)) break
    start--
  }
  return secretMeaning(utf8(text.slice(start, end)))
}

type Held = { readonly start: number; readonly end: number; readonly isQuoted: boolean }

const MAX_VALUE = 1024
const BARE = /[^\s,;&"'<>()[\]{}|\\]{1,1024}/y

/** What stands before a text and is none of it: the mark of its kind, further quotes, the mark of a block and its margin. */
const LEAD =
  /[bBfFrRuU]{1,2}(?=["'])|""(?=")|''(?=')|[|>][+-]?[ \t]{0,8}\r?\n[ \t]{1,40}|string\(\d{1,6}\) (?=")|(?:value|text|plain|raw|data):[ \t]{1,8}/y
/** What stands before credentials says how they are meant. */
const SCHEME = /(?:bearer|basic|token|api-?key)[ \t]{1,4}(?=\S)/iy
const MORE_COOKIES = /(?:;[ ]?[^\s;"'\\<>]{1,200}){0,20}/y

function valueFrom(text: string, from: number, type = ''): Held | undefined {
  const before = type === 'credentials' ? SCHEME : LEAD
  before.lastIndex = from
  const at = from + (before.exec(text)?.[0].length ?? 0)
  const quote = text.charAt(at)
  if (quote === '"' || quote === "'") {
    for (let i = at + 1; i < text.length && i - at < MAX_VALUE; i++) {
      const character = text.charAt(i)
      if (character === '\\') i++
      else if (character === quote) return i > at + 1 ? { start: at + 1, end: i, isQuoted: true } : undefined
      else if (character === '\n') break
    }
    return undefined
  }
  BARE.lastIndex = at
  const bare = BARE.exec(text)?.[0].replace(/[.:!?]{1,3}$/, '')
  if (bare === undefined || bare === '') return undefined
  if (type === 'cookie') {
    MORE_COOKIES.lastIndex = at + bare.length
    const more = MORE_COOKIES.exec(text)?.[0].length ?? 0
    return { start: at, end: at + bare.length + more, isQuoted: false }
  }
  return { start: at, end: at + bare.length, isQuoted: false }
}

/** Whether words go on behind it: `password: must be at least eight characters`. */
function isProse(text: string, { end }: Held, held: string): boolean {
  if (PROSE.test(held)) return true
  return /^[A-Za-z'-]+$/.test(held) && /^ [A-Za-z]/.test(text.slice(end, end + 2))
}
