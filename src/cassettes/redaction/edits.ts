import type { Place, Redaction } from '../interaction.ts'
import { latin1 } from '../message/bytes.ts'
import { escaped } from '../message/json-leaves.ts'
import { type Splice, spliced } from '../message/splice.ts'
import type { SecretHit, Secrets } from './secrets/secrets.ts'
import type { StandIns } from './stand-ins/stand-ins.ts'

/** A replacement in bytes, which are held as a Latin-1 string, and why it is made. */
export type Edit = Splice & {
  readonly kind: Redaction['kind']
  readonly rule: string
  readonly place: Place
  /** The value that was there, decoded. It goes into digests and nowhere else. */
  readonly value: string
  /** When the whole value of the place was replaced: its type, and the stand-in as the place now reads. */
  readonly whole?: { readonly type: string; readonly standIn: string }
}

/** A personal value of this exchange, which may be repeated outside its field: in an error's detail, in metadata. */
export type PersonalValue = { readonly type: string; readonly value: string; readonly standIn: string }

/** The personal values that these edits have replaced, each once; `known` are those of the request before a reply. */
export function personalValues(
  edits: readonly Edit[],
  known: readonly PersonalValue[] = [],
): PersonalValue[] {
  const byValue = new Map(known.map((one) => [one.value, one]))
  for (const { kind, value, whole } of edits) {
    if (kind === 'personal' && whole && !byValue.has(value))
      byValue.set(value, { type: whole.type, value, standIn: whole.standIn })
  }
  return [...byValue.values()]
}

/** A shorter value cannot be told from a chance likeness. */
const REPEATED_LENGTH = 8

/**
 * The edits that the fields asked for, and beside them whatever secret and repeated personal value the rest of the
 * text holds. `placeOf` says where in the exchange a position stands.
 */
export function withFindings(
  text: string,
  edits: readonly Edit[],
  secrets: Secrets,
  standIns: StandIns,
  personal: readonly PersonalValue[],
  placeOf: (start: number, end: number) => Place,
): Edit[] {
  const found: Edit[] = secrets.find(text).map((hit) => editOf(hit, standIns, placeOf))
  const rest = edits.length === 0 ? text : spliced(text, edits)
  for (const { start, end, type, value, standIn } of repeats(text, mentioned(rest, personal))) {
    const encoded = text.slice(start, end).includes('%')
    const bytes = encoded ? encodeURIComponent(standIn) : escaped(standIn)
    found.push({ start, end, text: bytes, kind: 'personal', rule: type, place: placeOf(start, end), value })
  }
  if (found.length === 0) return [...edits].sort((a, b) => a.start - b.start)
  return merged([...edits, ...found])
}

/** Whether `withFindings` would find anything, without giving out stand-ins. */
export function holdsFindings(text: string, secrets: Secrets, personal: readonly PersonalValue[]): boolean {
  return secrets.find(text).length > 0 || mentioned(text, personal).length > 0
}

type Repeat = PersonalValue & { readonly start: number; readonly end: number }

/** Those that the text mentions beyond their fields. */
function mentioned(text: string, personal: readonly PersonalValue[]): PersonalValue[] {
  return personal.filter(
    ({ value }) =>
      value.length >= REPEATED_LENGTH && spellings(value, text).some((spelling) => text.includes(spelling)),
  )
}

function* repeats(text: string, personal: readonly PersonalValue[]): Generator<Repeat> {
  for (const one of personal) {
    for (const spelling of spellings(one.value, text))
      for (let at = text.indexOf(spelling); at !== -1; at = text.indexOf(spelling, at + spelling.length))
        yield { ...one, start: at, end: at + spelling.length }
  }
}

function editOf(hit: SecretHit, standIns: StandIns, placeOf: (start: number, end: number) => Place): Edit {
  const { start, end, rule, value } = hit
  return {
    start,
    end,
    rule,
    value,
    kind: 'secret',
    text: standIns.secret(rule, value),
    place: placeOf(start, end),
  }
}

/** A finding inside a replaced field is gone already; one that sticks out of it widens the replacement. */
function merged(edits: readonly Edit[]): Edit[] {
  const sorted = [...edits].sort((a, b) => a.start - b.start || b.end - a.end)
  const result: Edit[] = []
  for (const edit of sorted) {
    const last = result[result.length - 1]
    if (last === undefined || edit.start >= last.end) {
      result.push(edit)
      continue
    }
    const keep = edit.whole && !last.whole ? edit : last
    result[result.length - 1] = { ...keep, start: last.start, end: Math.max(last.end, edit.end) }
  }
  return result
}

/** The spellings of a value that can occur in the text at all. */
function spellings(value: string, text: string): string[] {
  const found = [latin1(value)]
  if (text.includes('\\')) found.push(escaped(value))
  if (text.includes('%')) found.push(encodeURIComponent(value.toWellFormed()))
  return found
}
