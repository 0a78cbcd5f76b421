import { partitionPoint } from '../../../partition-point.ts'
import { latin1 } from '../../message/bytes.ts'
import { ENTITY, entityText } from '../../message/entities.ts'
import { EQUALS, ESCAPING, type Marks, marksOf } from './marks.ts'

/**
 * A secret can be spelled in endless ways: percent-encoded in part or whole, in either case, JSON-escaped, as character
 * references of HTML, and each on top of the others. Rather than guess the spellings, the text is decoded, all of them
 * in one step and as often as something is left, and every decoded byte knows where it came from.
 */
export type View = {
  /** Bytes as a Latin-1 string. */
  readonly text: string
  /** Where the decoded bytes from `start` to `end` stand in the text that was given. */
  readonly source: (start: number, end: number) => readonly [start: number, end: number]
}

const SURROGATES = '\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}'
const ESCAPES = `${SURROGATES}|\\\\(?:["'\\\\/bfnrt]|u[0-9a-fA-F]{4}|u\\{[0-9a-fA-F]{1,6}\\}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`
/** ASCII in UTF-16 is ASCII with a NUL at every second place; four are more than any encoding has. */
const NULS = '\\0{1,4}'
/** Characters that nobody sees, and tags of a page within a word. */
const UNSEEN =
  '\\xe2\\x80[\\x8b-\\x8d]|\\xc2\\xad|\\xef\\xbb\\xbf|(?<=[\\w.-])</?(?:b|i|em|strong|wbr|span|mark|u|a|font|code|small|sub|sup|bdi)(?:\\s[^<>]{0,200})?/?>(?=[\\w.-])'
const UNIT = `%[0-9a-fA-F]{2}|%u[0-9a-fA-F]{4}|${ESCAPES}|${ENTITY}|${NULS}|${UNSEEN}`
const UNITS = new RegExp(UNIT, 'g')
/** Quoted-printable (RFC 2045) is read where something says that it is: else `=50` is the value of a form. */
const QUOTED_UNITS = new RegExp(`=\\r?\\n|=[0-9A-F]{2}|${UNIT}`, 'g')
const QUOTED = /=\r?\n|=3D|(?:=[0-9A-F]{2}){3}|quoted-printable/
/** Nearly every text holds none of these. */
const MARKS = /[%\\&\0]|\xe2\x80[\x8b-\x8d]|\xc2\xad|\xef\xbb\xbf|[\w.-]<\/?[a-z]/

/** Three layers of percent-encoding with two of JSON around them. */
export const STEPS = 5

/** The text itself, then every decoding of it that differs. */
function* views(text: string): Generator<View> {
  let view: View | undefined = asGiven(text)
  for (let step = 0; view !== undefined; step++) {
    yield view
    view = step < STEPS ? decoded(view, marksOf(view.text)) : undefined
  }
}

/** The text itself. */
export function asGiven(text: string): View {
  return { text, source: (start, end) => [start, end] }
}

/** What a text is after each step; the last ones are left out when nothing changes. */
export function decodings(text: string): string[] {
  return [...views(text)].map((view) => view.text)
}

function unitText(unit: string): string | undefined {
  switch (unit.charCodeAt(0)) {
    case 0x25: // %
      return unit.charAt(1) === 'u'
        ? latin1(String.fromCharCode(Number.parseInt(unit.slice(2), 16)))
        : String.fromCharCode(Number.parseInt(unit.slice(1), 16))
    case 0x5c: // backslash
      return escapeText(unit)
    case 0x26: {
      const text = entityText(unit)
      return text === undefined ? undefined : latin1(text)
    }
    case 0x3d: // =
      return unit.length === 3 && unit.charCodeAt(1) !== 0x0d
        ? String.fromCharCode(Number.parseInt(unit.slice(1), 16))
        : ''
    default:
      return ''
  }
}

const PLAIN_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

function escapeText(unit: string): string | undefined {
  const letter = unit.charAt(1)
  if (letter === 'x') return latin1(String.fromCharCode(Number.parseInt(unit.slice(2), 16)))
  if (letter >= '0' && letter <= '3') return String.fromCharCode(Number.parseInt(unit.slice(1), 8))
  if (letter === 'U') return codePointText(unit.slice(2))
  if (letter !== 'u') return PLAIN_ESCAPES[letter] ?? letter
  if (unit.charAt(2) === '{') return codePointText(unit.slice(3, -1))
  const units = unit.split('\\u').slice(1)
  return latin1(String.fromCharCode(...units.map((hex) => Number.parseInt(hex, 16))))
}

function codePointText(hex: string): string | undefined {
  const code = Number.parseInt(hex, 16)
  return code <= 0x10ffff ? latin1(String.fromCodePoint(code)) : undefined
}

/** Only the decoded units are remembered; between them, positions move in step. */
export function decoded(view: View, { has }: Marks): View | undefined {
  if ((has & (ESCAPING | EQUALS)) === 0) return undefined
  const { text } = view
  const isQuoted = (has & EQUALS) !== 0 && QUOTED.test(text)
  if (!isQuoted && !MARKS.test(text)) return undefined
  const find = isQuoted ? QUOTED_UNITS : UNITS
  const units = createUnits()
  const pieces: string[] = []
  let length = 0
  let rest = 0
  find.lastIndex = 0
  for (let match = find.exec(text); match !== null; match = find.exec(text)) {
    const [found] = match
    const unit = unitText(found)
    if (unit === undefined) continue
    const { index } = match
    pieces.push(text.slice(rest, index), unit)
    length += index - rest
    units.push(length, index, found.length, unit.length)
    length += unit.length
    rest = index + found.length
  }
  if (rest === 0) return undefined
  pieces.push(text.slice(rest))
  return {
    text: pieces.join(''),
    source: (start, end) => view.source(units.place(start, 'start'), units.place(end - 1, 'end')),
  }
}

/** Four small numbers for each unit, of which a body can have millions. */
function createUnits() {
  let at = new Uint32Array(64)
  let from = new Uint32Array(64)
  let lengths = new Uint16Array(64)
  let count = 0
  return {
    /** Where the unit stands in the decoded text and in the encoded one, and how long it is in each. */
    push: (decodedAt: number, encodedAt: number, encodedLength: number, decodedLength: number) => {
      if (count === at.length) {
        at = grown(at, Uint32Array)
        from = grown(from, Uint32Array)
        lengths = grown(lengths, Uint16Array)
      }
      at[count] = decodedAt
      from[count] = encodedAt
      lengths[count] = encodedLength * 256 + decodedLength
      count++
    },
    place: (position: number, edge: 'start' | 'end'): number => {
      const unit = partitionPoint(count, (i) => (at[i] ?? 0) <= position) - 1
      if (unit < 0) return edge === 'start' ? position : position + 1
      const packed = lengths[unit] ?? 0
      const start = from[unit] ?? 0
      const inside = position - (at[unit] ?? 0) - (packed % 256)
      if (inside >= 0) return start + (packed >> 8) + inside + (edge === 'start' ? 0 : 1)
      return edge === 'start' ? start : start + (packed >> 8)
    },
  }
}

function grown<T extends Uint16Array | Uint32Array>(full: T, Kind: new (length: number) => T): T {
  const larger = new Kind(full.length * 2)
  larger.set(full)
  return larger
}
