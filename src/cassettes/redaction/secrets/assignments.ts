import { remembered } from '../../../map-entries.ts'
import { utf8 } from '../../message/bytes.ts'
import { personalMeaning } from '../people/names.ts'
import { isPersonText, personAt } from '../people/told.ts'
import {
  APOSTROPHE,
  EQUALS,
  HYPHEN,
  isNameByte,
  isNameStart,
  LINE,
  type Marks,
  SLASH,
  SPACE,
  TAG,
} from './marks.ts'
import { isInnerName, secretMeaning } from './names.ts'
import type { PatternHit } from './pattern-hit.ts'

/**
 * `NAME=value`, `name: value` and `"name": "value"` in any text: a log line, a form in a field, JSON in a text, a
 * file of settings. The name is judged as that of a field is, for secrets and for people.
 *
 * What may be a name ends in one of these words, with at most a few characters behind it; everything is counted, so that
 * a text is gone through once.
 */
const SECRET_WORDS =
  'secret|pass|pwd|psw|mdp|token|key|cl[e\\xe9]|clave|pin|nip|otp|cv[vc]|csc|credential|code|number|num|no|carte|card|pan|auth|bearer|jwt|csrf|xsrf|cookie|sig|assertion|jeton|mnemonic|phrase|hmac|psk|puk|senha|kennwort|contrase|answer|verifier|rification|sess'
const PERSON_WORDS =
  'phone|mobile|msisdn|tel|whatsapp|mail|courriel|name|nom|nom\\xc3\\xa9e?|birth|naissance|dob|ssn|nin|bvn|cni|pass(?:e)?port|national|identity|id|iban|rib|address|adresse|street|account|licen[cs]e|vat'
const WORD = new RegExp(`(?:${SECRET_WORDS}|${PERSON_WORDS})`, 'i')
const CLOSED = '["\'`\\]]{0,2}'
/** No sign stands between them: `the password is VALUE`, `PASSWORD 'VALUE'`, `token VALUE has expired`. */
const SAID = new RegExp(
  `${CLOSED}(?:\\s(?:is|est|was)(?: now)?\\s?:?\\s|\\s{1,3}(?:like |in |by |eq |provided: |with )?(?=["'\`(])|\\s{0,2}[,|]\\s{1,2}(?=\\S{6})|\\s{1,8}(?:eq )?(?=[^\\s"'\`(=:]{6}))`,
  'iy',
)

const MAX_NAME = 80

/** What stands behind a name in a sentence about it. */
const PROSE =
  /^(?:true|false|null|none|undefined|required|invalid|missing|expired|optional|incorrect|wrong|unknown|hidden|masked|must|is|was|has|string|number|boolean|object|not|no|an?|the|this|that|absent|revoked|redacted|\*+|<.*|\{.*|\[.*|\$\{?.*|%[sdj])$/i

/** `people`: names of persons' values count as well. */
export function findAssignments(text: string, { has, signs }: Marks, people = false): PatternHit[] {
  const hits: PatternHit[] = []
  let done = 0
  for (const at of signs) {
    if (at < done) continue
    const code = text.charCodeAt(at)
    const isSign = code === 0x3a || code === 0x3d || code === 0x3e
    const hit = isSign ? signed(text, at, code, people) : said(text, at, people)
    if (hit === undefined) continue
    hits.push(hit)
    done = hit.end
  }
  if ((has & APOSTROPHE) !== 0 || ((has & EQUALS) !== 0 && text.includes(')=('))) findSql(text, hits, people)
  if ((has & LINE) !== 0) findBlocks(text, hits)
  if ((has & SPACE) !== 0 && /[0-9]{4} (?:is|est|as) /.test(text)) findBefore(text, hits)
  if ((has & SLASH) !== 0 && text.includes('://')) findSegments(text, hits)
  if ((has & HYPHEN) !== 0) findFlags(text, hits)
  if ((has & TAG) !== 0) findElements(text, hits, people)
  return hits
}

type Meaning = { readonly type: string; readonly textOnly: boolean; readonly isPerson?: true }

/** What a name in a text means. */
function meaningOf(name: string, people: boolean): Meaning | undefined {
  const secret = secretMeaning(name)
  if (secret !== undefined || !people) return secret
  const type = personalMeaning(name)
  return type === undefined ? undefined : { type, textOnly: false, isPerson: true }
}

/** The same of bytes. */
function meaningAt(bytes: string, people: boolean): Meaning | undefined {
  if (bytes === '') return undefined
  return people ? anyMeaningOf(bytes) : secretMeaningOf(bytes)
}

const meaningOfBytes = (people: boolean) =>
  remembered((bytes) => (WORD.test(bytes) ? meaningOf(utf8(bytes), people) : undefined))
const anyMeaningOf = meaningOfBytes(true)
const secretMeaningOf = meaningOfBytes(false)

/** Back from a position over white space, and over what closes a name. */
function endOfName(text: string, from: number): number {
  let end = from
  while (end > 0 && from - end < 8 && text.charCodeAt(end - 1) <= 0x20) end--
  for (let closed = 0; closed < 2 && isClosing(text.charCodeAt(end - 1)); closed++) end--
  return end
}

function isClosing(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60 || code === 0x5d
}

/** `NAME=value`, `NAME: value`, `NAME => value`, `(NAME)=(value)`, and the lengths of PHP between them. */
function signed(text: string, at: number, code: number, people: boolean): PatternHit | undefined {
  const next = text.charCodeAt(at + 1)
  let nameEnd = at
  let valueAt = at + 1
  if (code === 0x3a) {
    if (next === 0x3d || (next === 0x2f && text.charCodeAt(at + 2) === 0x2f)) return undefined
    const length = isDigit(text.charCodeAt(at - 1))
      ? /;s:\d{1,6}$/.exec(text.slice(Math.max(0, at - 9), at))
      : null
    if (length !== null) nameEnd = at - length[0].length
  } else if (code === 0x3e) {
    if (text.charCodeAt(at - 1) !== 0x2d) return undefined
    nameEnd = at - 1
  } else {
    if (next === 0x3e) valueAt++
    const before = text.charCodeAt(at - 1)
    if (before === 0x3a || (before === 0x29 && next === 0x28)) nameEnd = at - 1
  }
  const meaning = meaningAt(nameBefore(text, endOfName(text, nameEnd)), people)
  if (meaning === undefined) return undefined
  const signEnd = valueAt
  while (valueAt - signEnd < 8 && text.charCodeAt(valueAt) <= 0x20) valueAt++
  if (meaning.isPerson) return personAt(text, valueAt, meaning.type)
  const below = belowAt(text, valueAt, text.slice(signEnd, valueAt), meaning.textOnly)
  if (below === -1) return undefined
  const value = valueFrom(text, below, meaning.type)
  if (value === undefined) return undefined
  const held = text.slice(value.start, value.end)
  if (held.startsWith('redacted-') || /^(?:true|false|null)$/i.test(held)) return undefined
  if (meaning.textOnly && !value.isQuoted && /^-?[\d.]+$/.test(held)) return undefined
  if (!value.isQuoted && code !== 0x3d && isProse(text, value, held)) return undefined
  if (meaning.textOnly && held.length < 4) return undefined
  return { start: value.start, end: value.end, rule: meaning.type, isNamed: true }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

const BELOW = /(?:-[ \t]{1,8})?(?:([\w-]{1,30}):[ \t]{1,8}(?=\S))?/y

/** Where a value begins: in YAML it may stand in the next line, in a list or under a name of its own; -1 when there is none. */
function belowAt(text: string, valueAt: number, matched: string, textOnly: boolean): number {
  const line = matched.lastIndexOf('\n')
  if (line === -1) return valueAt
  if (line === matched.length - 1) return -1
  BELOW.lastIndex = valueAt
  const below = BELOW.exec(text)
  const name = below?.[1]
  if (name !== undefined && !isInnerName(name, textOnly)) return -1
  return valueAt + (below?.[0].length ?? 0)
}

/** `the password is VALUE`: a sentence says much of a secret; what has digits is the secret itself. */
function said(text: string, at: number, people: boolean): PatternHit | undefined {
  let end = at
  for (let closed = 0; closed < 2 && isClosing(text.charCodeAt(end - 1)); closed++) end--
  let start = end
  while (start > 0 && end - start < MAX_WORD && isWordByte(text.charCodeAt(start - 1))) start--
  if (start === end || !isNameStart(text.charCodeAt(start)) || !mayName(text.slice(start, end)))
    return undefined
  SAID.lastIndex = end
  const matched = SAID.exec(text)?.[0]
  if (matched === undefined) return undefined
  const valueAt = end + matched.length
  const isVerb = /\s(?:is|est|was)(?: now)?\s?:?\s$/i.test(matched)
  const meaning = meaningAt(nameBefore(text, end), people)
  if (meaning === undefined) return undefined
  if (meaning.isPerson)
    return /[0-9@]/.test(text.slice(valueAt, valueAt + 12)) || /["'`(]/.test(text.charAt(valueAt))
      ? personAt(text, valueAt, meaning.type)
      : undefined
  const value = valueFrom(text, valueAt, meaning.type)
  if (value === undefined) return undefined
  const held = text.slice(value.start, value.end)
  if (held.includes('redacted-') || PROSE.test(held) || !/[0-9]/.test(held)) return undefined
  const isEnclosed = (value.isQuoted || value.start > valueAt) && !/[,|]\s+$/.test(matched)
  const least = isVerb ? (meaning.textOnly ? 8 : 4) : isEnclosed ? 6 : 8
  if (held.length < least) return undefined
  // Alone behind a name stand many words; a secret has no meaning.
  if (
    !isVerb &&
    !isEnclosed &&
    !(/[A-Z]/.test(held) && /[a-z]/.test(held) && !/^[a-z]{2,10}_|[/.:]/.test(held))
  )
    return undefined
  return { start: value.start, end: value.end, rule: meaning.type, isNamed: true }
}

const MAX_WORD = 40

function isWordByte(code: number): boolean {
  return code !== 0x2e && isNameByte(code)
}

/** Whether a word can be the last one of a name. */
const mayName = remembered((word) => WORD.test(word))

/** `https://…/reset-password/VALUE`, and the authorization code that a URL brings. */
const SEGMENT = /\/([a-z][a-z_-]{2,30})\/(?=[\w.~-]*[0-9])([\w.~-]{8,300})(?![\w.~-])/gi
const GRANT = /[?&]code=(?!redacted-)(?=[\w.~%-]{0,300}[0-9])([\w.~%-]{8,300})/gi

function findSegments(text: string, hits: PatternHit[]): void {
  for (const { index, 0: all, 1: name = '', 2: held = '' } of text.matchAll(SEGMENT)) {
    const meaning = secretMeaning(name)
    if (!meaning || held.startsWith('redacted-') || /^[a-z]{2,10}_/.test(held)) continue
    hits.push({
      start: index + all.length - held.length,
      end: index + all.length,
      rule: meaning.type,
      isNamed: true,
    })
  }
  for (const { index, 0: all, 1: held = '' } of text.matchAll(GRANT))
    if (!/^[A-Z_]+$/.test(held))
      hits.push({
        start: index + all.length - held.length,
        end: index + all.length,
        rule: 'code',
        isNamed: true,
      })
}

/** A name and a value in two lines of YAML, and the default of a variable. */
const BLOCK =
  /(?:(?<![\w"'])name[:=][ \t]{0,4}["']?([\w.-]{2,60})["']?\r?\n\s{0,20}value[:=]|\bvariable "([\w-]{2,60})" \{[^{}]{0,200}?default\s{0,8}=)\s{0,4}(?=\S)/gi

function findBlocks(text: string, hits: PatternHit[]): void {
  if (!text.includes('name') && !text.includes('variable "')) return
  for (const { index, 0: all, 1: name, 2: variable } of text.matchAll(BLOCK)) {
    const meaning = secretMeaning(name ?? variable ?? '')
    const value = meaning && valueFrom(text, index + all.length)
    if (!meaning || !value || text.slice(value.start, value.end).includes('redacted-')) continue
    hits.push({ start: value.start, end: value.end, rule: meaning.type, isNamed: true })
  }
}

/** `839201 is your verification code`. */
const BEFORE =
  /(?<![\w.])([0-9]{4,8}) (?:is|est|as) (?:your|votre|the)[\w \x80-\xff]{0,24}(?:code|otp|pin|password)(?!\w)/gi

function findBefore(text: string, hits: PatternHit[]): void {
  for (const { index, 1: value = '' } of text.matchAll(BEFORE))
    hits.push({ start: index, end: index + value.length, rule: 'code', isNamed: true })
}

/** `insert into t (a, b) values ('…', '…')`: the first parentheses name what stands in the others. */
const INSERT = /\(([\w"`., []{0,500}\w["`\]]?)\)(?:\s{0,8}values\s{0,8}|=(?=\())/gi
const TUPLE = /\s{0,8},?\s{0,8}\(/y
const ITEM = /\s{0,8}(?:'((?:[^'\\]|''|\\.){0,1024})'|([^,()']{0,1024}?))\s{0,8}([,)])/y
const IDENTIFIED = /identified (?:with \w{1,40} )?(?:by|as) '([^'\n]{1,200})'/gi
const DUPLICATE = /entry '([^'\n]{1,200})' for key '([\w.`-]{1,80})'/gi

function findSql(text: string, hits: PatternHit[], people: boolean): void {
  const add = (name: string, start: number, end: number) => {
    const meaning = meaningOf(name, people)
    const held = text.slice(start, end)
    if (!meaning || held === '' || held.startsWith('redacted-') || PROSE.test(held)) return
    if (meaning.isPerson && !isPersonText(meaning.type, held)) return
    hits.push({ start, end, rule: meaning.type, isNamed: true, ...(meaning.isPerson && { isPerson: true }) })
  }
  for (const { index, 0: all, 1: entry = '', 2: key = '' } of text.matchAll(DUPLICATE)) {
    const start = index + all.indexOf("'") + 1
    add(key, start, start + entry.length)
  }
  for (const { index, 0: all, 1: held = '' } of text.matchAll(IDENTIFIED))
    add('password', index + all.length - 1 - held.length, index + all.length - 1)
  for (const { index, 0: all, 1: list = '' } of text.matchAll(INSERT)) {
    const names = list.split(',').map((name) => name.replaceAll(/["`[\]\s]/g, ''))
    TUPLE.lastIndex = index + all.length
    while (TUPLE.test(text)) {
      ITEM.lastIndex = TUPLE.lastIndex
      for (const name of names) {
        const item = ITEM.exec(text)
        if (item === null) return
        const held = item[1] ?? (all.endsWith('=') ? item[2] : undefined)
        if (held !== undefined && held !== '') {
          const start = item.index + item[0].indexOf(held)
          add(name, start, start + held.length)
        }
        if (item[3] === ')') break
      }
      TUPLE.lastIndex = ITEM.lastIndex
    }
  }
}

/** `--password VALUE` of a command line: no operator stands between them. */
const FLAG = /(?:^|\s)--([A-Za-z][\w-]{0,60})[ \t]{1,4}(?!-)/g

/** `-u USER:PASSWORD` of curl. */
const USER = /(?:^|\s)(?:-[uU]|--user|--proxy-user)[ \t=]{0,4}["']?[^\s"':]{1,200}:([^\s"']{1,1024})/g
/** `-b NAME=VALUE` of curl, `-p VALUE` and `-pVALUE` of others. */
const SHORT_FLAG =
  /(?:^|\s)(?:(?:-b|--cookie)[ \t=]{1,4}["']?[^\s"'=]{1,100}=([^"'\n]{4,1024}?)["']?(?=\s|$)|-p[ \t]?(?=\S*[0-9])([^\s"'-][^\s"']{5,200}))/g

/** `<password>VALUE</password>` in a text that is no XML itself: a message in an envelope, a log. */
const ELEMENT = /<([\w.:-]{2,60})(?:\s[^<>]{0,200})?>([^<>]{4,1024})<\//g

function findElements(text: string, hits: PatternHit[], people: boolean): void {
  if (!text.includes('</')) return
  ELEMENT.lastIndex = 0
  for (let match = ELEMENT.exec(text); match !== null; match = ELEMENT.exec(text)) {
    const held = match[2] ?? ''
    const meaning = meaningOf((match[1] ?? '').replace(/^.*:/, ''), people)
    if (meaning?.isPerson) {
      const end = match.index + match[0].length - 2
      if (isPersonText(meaning.type, held))
        hits.push({ start: end - held.length, end, rule: meaning.type, isNamed: true, isPerson: true })
      continue
    }
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
  SHORT_FLAG.lastIndex = 0
  for (let match = SHORT_FLAG.exec(text); match !== null; match = SHORT_FLAG.exec(text)) {
    const held = match[1] ?? match[2] ?? ''
    if (held.startsWith('redacted-')) continue
    const start = match.index + match[0].lastIndexOf(held)
    hits.push({ start, end: start + held.length, rule: match[1] ? 'cookie' : 'password', isNamed: true })
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

/** The name that ends there, in bytes: one word, or the last three of a label such as `card number`. */
function nameBefore(text: string, end: number): string {
  let start = end
  let spaces = 0
  while (start > 0 && end - start < MAX_NAME) {
    const code = text.charCodeAt(start - 1)
    if (code === 0x20 && spaces < 2 && start < end && isNameByte(text.charCodeAt(start - 2))) spaces++
    else if (!isNameByte(code)) break
    start--
  }
  // Clocks and numbers have colons behind them as well.
  return isNameStart(text.charCodeAt(start)) || text.charCodeAt(start) === 0x2d ? text.slice(start, end) : ''
}

type Held = { readonly start: number; readonly end: number; readonly isQuoted: boolean }

const MAX_VALUE = 1024
const BARE = /[^\s,;&"'<>()[\]{}|\\]{1,1024}/y

/** What stands before a text and is none of it: the mark of its kind, further quotes, the mark of a block and its margin. */
const LEAD =
  /(?:Some)?\(\s?(?=["'][^"'()\s]|[^()\s"']{4,200}\))|\[(?=[^"'[\]\s,]{4,1024}\])|\{(?=[^"'{}\s:]{4,200}\})|!!?\w{1,20}[ \t]|&\w{1,20}[ \t]|[bBfFrRuU]{1,2}(?=["'])|"""\r?\n|""(?=")|''(?=')|[|>][+-]?[ \t]{0,8}\r?\n[ \t]{0,40}|string\(\d{1,6}\) (?=")|(?:value|text|plain|raw|data):[ \t]{1,8}/y
/** What stands before credentials says how they are meant. */
const SCHEME =
  /(?:bearer|basic|token|api-?key|dpop|[A-Z][A-Za-z0-9-]{2,20}(?=[ \t]{1,4}[^\s"']*[0-9=]))[ \t]{1,4}(?=\S)/iy
/** `username="a", response="…"` of schemes that have parameters. */
const PARAMETERS = /[\w-]{1,30}="?[^"\r\n,\\]{0,300}"?(?:,[ ]?[\w-]{1,30}="?[^"\r\n,\\]{0,300}"?){0,15}/y
const MORE_COOKIES = /(?:;[ ]?[^\s;"'\\<>]{1,200}){0,20}/y

function valueFrom(text: string, from: number, type = ''): Held | undefined {
  const before = type === 'credentials' ? SCHEME : LEAD
  before.lastIndex = from
  const at = from + (before.exec(text)?.[0].length ?? 0)
  if (type === 'credentials') {
    PARAMETERS.lastIndex = at
    const all = at > from ? PARAMETERS.exec(text)?.[0] : undefined
    if (all !== undefined) return { start: at, end: at + all.length, isQuoted: false }
  }
  const quote = text.charAt(at)
  if (quote === '"' || quote === "'" || quote === '`') {
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
