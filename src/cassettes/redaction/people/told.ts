import { utf8 } from '../../message/bytes.ts'
import type { PatternHit } from '../secrets/pattern-hit.ts'
import { isPersonal } from './names.ts'

/** Where a value in quotes or brackets begins, and what its kind is marked by in other languages. */
const LEAD = /[([]?(?:[bBfFrRuU]?(["'`])|[|>][+-]?[ \t]{0,8}\r?\n[ \t]{1,40})?/y
const NAME =
  /\p{Lu}[\p{L}\p{M}\p{N}'’-]{1,40}(?: {1,2}(?:\p{Lu}[\p{L}\p{M}'’.-]{0,40}|de|da|di|el|ben|van|von)){0,3}/uy
const LINE = /[^"'`\r\n<>{}[\]|;&]{2,120}/y
const RUN = /[^\s"'`,;&<>{}()[\]|]{2,100}/y
const SPACED = /[+0-9](?:[0-9.()/-]| (?=[0-9(])){5,30}/y
const DATE = /[0-9]{1,4}[-/. ][0-9A-Za-z\x80-\xff]{1,10}[-/. ][0-9]{1,4}(?:T[0-9:.Z+-]{4,20})?|[0-9]{8}/y

/** The value of a person that stands at a position behind its name; undefined when none can be read there. */
export function personAt(text: string, from: number, type: string): PatternHit | undefined {
  LEAD.lastIndex = from
  const lead = LEAD.exec(text)
  const start = from + (lead?.[0].length ?? 0)
  const quote = lead?.[1]
  if (quote !== undefined) {
    const length = text.slice(start, start + 200).indexOf(quote)
    return length < 1 ? undefined : personOf(text, start, start + length, type)
  }
  const find = BY_TYPE[type] ?? RUN
  if (find === NAME) {
    // A name is read as characters; bytes beyond ASCII are a part of them.
    const held = utf8(text.slice(start, start + 160))
    NAME.lastIndex = 0
    const name = NAME.exec(held)?.[0]
    return name === undefined ? undefined : personOf(text, start, start + Buffer.byteLength(name), type)
  }
  find.lastIndex = start
  const held = find.exec(text)?.[0].replace(/[.,:!? ]+$/, '')
  return held === undefined ? undefined : personOf(text, start, start + held.length, type)
}

const BY_TYPE: Readonly<Record<string, RegExp>> = {
  firstName: NAME,
  lastName: NAME,
  birthPlace: NAME,
  address: LINE,
  phone: SPACED,
  dateOfBirth: DATE,
}

function personOf(text: string, start: number, end: number, type: string): PatternHit | undefined {
  if (end <= start || !isPersonText(type, text.slice(start, end))) return undefined
  return { start, end, rule: type, isNamed: true, isPerson: true }
}

/** Whether what stands behind a name in a text is a value: a text says more about a field than a field does. */
export function isPersonText(type: string, bytes: string): boolean {
  const value = utf8(bytes)
  if (!isPersonal(type, value) || isStandIn(value)) return false
  if (type === 'firstName' || type === 'lastName' || type === 'birthPlace') return /^\p{Lu}/u.test(value)
  return (
    type !== 'address' || (/[0-9]/.test(value) && /^(?:[0-9]{1,4}(?![0-9])|\p{Lu}).*\p{L}{3}/u.test(value))
  )
}

/** What stands for a value that its field refuses: nothing but zeros and `a`, a name with a number, a spare number. */
export function isStandIn(value: string): boolean {
  return (
    /^(?:First|Last|person|DOC|TAX|REG|Business)[\w ]*-[0-9]+/.test(value) ||
    /^\+?99[0-9]{7}/.test(value) ||
    /^[^\p{L}\p{N}]*(?:[a0][^\p{L}\p{N}]*){4,}(?:[a-j0-9][^\p{L}\p{N}]*){0,5}$/u.test(value)
  )
}
