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
  /(?:secret|pass|pwd|psw|mdp|token|key|cl[e\xe9]|pin|nip|otp|cv[vc]|csc|credential|code|number|num|no|carte|card|pan|auth|bearer|jwt|csrf|xsrf|cookie|sig|assertion|jeton|mnemonic|phrase|hmac|psk|puk|senha|kennwort|contrase|answer|verifier|sess)[\w .-]{0,30}["']?\]?\s{0,8}(?::=|=>|[=:]|;s:\d{1,6}:)(?!\/\/)\s{0,8}/gi

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
    const operator = match[0].search(/["']?\]?\s*(?::=|=>|[=:]|;s:\d+:)\s*$/)
    const meaning = meaningBefore(text, match.index + operator)
    if (meaning === undefined) continue
    const value = valueFrom(text, valueAt)
    if (value === undefined) continue
    const held = text.slice(value.start, value.end)
    if (held.startsWith('redacted-') || /^(?:true|false|null)$/i.test(held)) continue
    if (meaning.textOnly && !value.isQuoted && /^-?[\d.]+$/.test(held)) continue
    if (!value.isQuoted && !match[0].includes('=') && isProse(text, value, held)) continue
    if (meaning.textOnly && held.length < 4) continue
    hits.push({ start: value.start, end: value.end, rule: meaning.type, isNamed: true })
    NAME_END.lastIndex = value.end
  }
  findFlags(text, hits)
  return hits
}

/** `--password VALUE` of a command line: no operator stands between them. */
const FLAG = /(?:^|\s)--([A-Za-z][\w-]{0,60})[ \t]{1,4}(?!-)/g

function findFlags(text: string, hits: PatternHit[]): void {
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
const LEAD = /[bBfFrRuU]{1,2}(?=["'])|""(?=")|''(?=')|[|>][+-]?[ \t]{0,8}\r?\n[ \t]{1,40}/y

function valueFrom(text: string, from: number): Held | undefined {
  LEAD.lastIndex = from
  const at = from + (LEAD.exec(text)?.[0].length ?? 0)
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
  return { start: at, end: at + bare.length, isQuoted: false }
}

/** Whether words go on behind it: `password: must be at least eight characters`. */
function isProse(text: string, { end }: Held, held: string): boolean {
  if (PROSE.test(held)) return true
  return /^[A-Za-z'-]+$/.test(held) && /^ [A-Za-z]/.test(text.slice(end, end + 2))
}
