import type { Place, Redaction } from '../interaction.ts'
import type { EditableField } from '../message/body-fields.ts'
import { BeyondBound, MAX_REPLACED, withinBounds } from '../message/bounds.ts'
import { escaped } from '../message/json-leaves.ts'
import type { Splice } from '../message/splice.ts'
import { fieldAt } from './field-at.ts'
import { tellingParts } from './plain-json.ts'
import { type KnownWords, SEARCHED_LENGTH, type SecretHit, type Secrets } from './secrets/secrets.ts'
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

/** What one exchange holds that is looked for in the rest of it. */
export type Search = {
  readonly secrets: Secrets
  readonly standIns: StandIns
  /** Personal values of earlier exchanges, and of this one its personal values and short secrets. */
  readonly words: readonly KnownWords[]
  /** Whether what is a person by its form is taken out. */
  readonly people: boolean
  /** All of the message was looked through, and holds nothing beside its fields. */
  readonly isSwept: boolean
  /** What a name in a text has shown is looked for as well. True when it was not before. */
  readonly note: (hit: SecretHit, spelled: string) => boolean
}

/**
 * The edits that the fields asked for, and beside them whatever secret and known personal value the rest of the text
 * holds. `placeOf` says where in the exchange a position stands; `fields` are those of a body. @throws BeyondBound
 */
export function withFindings(
  text: string,
  edits: readonly Edit[],
  search: Search,
  placeOf: (start: number, end: number) => Place,
  fields: readonly EditableField[] = [],
): readonly Edit[] {
  if (search.isSwept) return inOrder(edits)
  const { secrets, standIns, words, people, note } = search
  const found: Edit[] = []
  const look = () =>
    secrets.find(text, words, people).flatMap((hit) => {
      if (isJudged(text, fields, hit)) return []
      return hit.isPerson ? withStandIn(hit, standIns) : [hit]
    })
  const first = look()
  if (edits.length + first.length > MAX_REPLACED) throw new BeyondBound('too-many-secrets')
  const isNews = first
    .filter(isTelling)
    .map((hit) => note(hit, text.slice(hit.start, hit.end)))
    .includes(true)
  for (const hit of isNews ? look() : first) {
    const field = fieldAt(fields, hit.start, hit.end)
    if (field?.number && !isWholeNumber(field, hit)) continue
    const isNumber = field?.number ?? fieldAt(fields, hit.start, hit.start + 1)?.number ?? false
    found.push(editOf(text, hit, isNumber, standIns, placeOf))
  }
  if (found.length === 0) return inOrder(edits)
  return merged([...edits, ...found])
}

function inOrder(edits: readonly Edit[]): readonly Edit[] {
  return edits.length < 2 ? edits : [...edits].sort((a, b) => a.start - b.start)
}

/** A search that has nothing left to find, when that is so of all these texts together: most messages hold no more. */
export function sweptSearch(search: Search, texts: readonly string[]): Search {
  return withinBounds(
    () => {
      const { secrets, words, people } = search
      const changing = texts.filter((text) => !secrets.isSteady(text, words))
      const looked = changing.map((each) => lessOf(each, search))
      const text = looked.join('\n')
      const { hits, isPlain } = text === '' ? NOTHING : secrets.findPlain(text, words, people)
      if (hits.length === 0) {
        // Of a text that was looked at in part, nobody has seen whether the rest is encoded.
        for (const [i, each] of changing.entries()) secrets.remember(each, isPlain && looked[i] === each)
        // Written out: it is made for each message, and all of its kind are read in one place.
        const { standIns, note } = search
        return { secrets, standIns, words, people, note, isSwept: true }
      }
      // What one part of a message tells is looked for in all of them.
      const whole = changing.join('\n')
      for (const hit of secrets.find(whole, words, people)) {
        if (!isTelling(hit)) continue
        for (const one of hit.isPerson ? withStandIn(hit, search.standIns) : [hit])
          search.note(one, whole.slice(one.start, one.end))
      }
      return search
    },
    () => search,
  )
}

const NOTHING = { hits: [], isPlain: true } as const

/** Of a JSON text that holds nothing known, what can hold something by its form. */
function lessOf(text: string, { secrets, words }: Search): string {
  const parts = tellingParts(text)
  return parts === undefined || secrets.holdsKnown(text, words) ? text : parts
}

/** What is looked for in the rest of the message as well: by itself it looks like any other text. */
function isTelling({ isNamed, isPerson }: SecretHit): boolean {
  return isNamed === true || isPerson === true
}

/** A person with what stands for it; none for a test value, which is kept. */
function withStandIn(hit: SecretHit, standIns: StandIns): SecretHit[] {
  const { text, verbatim } = standIns.personal(hit.rule, hit.value)
  return verbatim ? [] : [{ ...hit, standIn: text }]
}

/** The name before it is that of its field, by which the field is judged, with all that stands around it. */
export function isJudged(
  text: string,
  fields: readonly EditableField[],
  { start, end, isNamed }: SecretHit,
): boolean {
  if (!isNamed) return false
  const field = fieldAt(fields, start, end)
  if (field?.start !== start || field.end !== end) return false
  // A text that merely looks like a body has other names.
  const before = text.slice(Math.max(0, start - NAMED_WITHIN), start)
  return field.names.some((name) => name !== '' && before.includes(name))
}

const NAMED_WITHIN = 100

/** A short secret, a name and a year can be a number by chance; a card number is one. */
function isWholeNumber(field: EditableField, { start, end, standIn }: SecretHit): boolean {
  return standIn === undefined && end - start >= SEARCHED_LENGTH && start === field.start && end === field.end
}

function editOf(
  text: string,
  hit: SecretHit,
  isNumber: boolean,
  standIns: StandIns,
  placeOf: (start: number, end: number) => Place,
): Edit {
  const { start, end, rule, value } = hit
  const isPersonal = hit.standIn !== undefined
  const standIn = hit.standIn ?? standIns.secret(rule, value)
  const encoded = text.slice(start, end).includes('%')
  return {
    start,
    end,
    rule,
    value,
    kind: isPersonal ? 'personal' : 'secret',
    text: isNumber ? `"${standIn}"` : encoded ? encodeURIComponent(standIn) : escaped(standIn),
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
