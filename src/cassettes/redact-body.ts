import type { Place } from './interaction.ts'
import { type Edit, escaped } from './redact-edits.ts'
import { type FormValue, formText, formValues, multipartValues } from './redact-form.ts'
import { htmlAttribute, htmlText, htmlValues } from './redact-html.ts'
import { jsonLeaves, jsonText } from './redact-json.ts'
import { isPublicClientId, utf8 } from './secrets.ts'
import type { StandIns } from './stand-in.ts'
import type { FieldRule, Fields } from './stand-in-table.ts'

/** A value of a body that has a name, and how to write another in its place. */
export type Field = {
  readonly names: readonly string[]
  readonly pointer: string
  readonly start: number
  readonly end: number
  readonly value: string
  readonly number: boolean
  readonly write: (text: string) => string
  /** The value that bytes between `start` and `end` stand for. */
  readonly read: (bytes: string) => string
}

const asIs = (text: string) => text
const percent = (text: string) => encodeURIComponent(text)
const html = (text: string) => plain(htmlAttribute(text))
const plain = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

/** The fields of a body, by what it is or looks like: a body is often not what its label says. */
export function bodyFields(bytes: string, mediaType: string): Field[] {
  if (bytes === '') return []
  if (/^\s*[{["]/.test(bytes) || /[/+]json$/.test(mediaType)) {
    return jsonLeaves(bytes).map(({ names, pointer, start, end, value, kind }) => {
      const number = kind === 'number'
      return { names, pointer, start, end, value, number, write: number ? asIs : escaped, read: jsonText }
    })
  }
  if (mediaType.startsWith('multipart/')) return namedFields(multipartValues(bytes), plain, utf8)
  if (isForm(bytes, mediaType)) return namedFields(formValues(bytes), percent, formText)
  if (mediaType === 'text/html') return namedFields(htmlValues(bytes), html, htmlText)
  return []
}

function namedFields(values: readonly FormValue[], write: Field['write'], read: Field['read']): Field[] {
  // Plain literals: this runs for every request, and spreads cost several times as much.
  return values.map(({ name, pointer, start, end, value }) => {
    return { names: [name], pointer, start, end, value, number: false, write, read }
  })
}

export function queryFields(target: string): Field[] {
  const mark = target.indexOf('?')
  if (mark === -1) return []
  return namedFields(formValues(target, mark + 1), percent, formText)
}

/** The replacements that the fields themselves ask for, by their names. */
export function fieldEdits(
  fields: readonly Field[],
  part: Place['part'],
  standIns: StandIns,
  personal: boolean,
): Edit[] {
  const edits: Edit[] = []
  for (const field of fields) {
    const rule = standIns.fields.rule(field.names)
    if (rule === undefined || field.value === '') continue
    const edit = editOf(field, rule, part, standIns, personal)
    if (edit) edits.push(edit)
  }
  return edits
}

/** The values of fields that are secrets by their names. */
export function secretsOfFields(fields: readonly Field[], table: Fields): string[] {
  return fields
    .filter((field) => {
      const kind = table.rule(field.names)?.kind
      return kind === 'secret' || (kind === 'client-id' && !isPublicClientId(field.value))
    })
    .map(({ value }) => value)
}

function editOf(
  field: Field,
  rule: FieldRule,
  part: Place['part'],
  standIns: StandIns,
  personal: boolean,
): Edit | undefined {
  const { start, end, value, pointer } = field
  const place = { part, pointer }
  const { type } = rule
  if (rule.kind === 'personal') {
    if (!personal) return undefined
    const { text, verbatim } = standIns.personal(type, value)
    if (verbatim) return undefined
    // A number where a text belongs was refused as such, and stays a number.
    const written = field.number ? `1${text.replace(/[^0-9]/g, '')}` : text
    const whole = { type, standIn: written }
    return { start, end, text: field.write(written), kind: 'personal', rule: type, place, value, whole }
  }
  if (rule.kind === 'client-id' && isPublicClientId(value)) return undefined
  const standIn = standIns.secret(type, value)
  const text = field.number ? `"${standIn}"` : field.write(standIn)
  return { start, end, text, kind: 'secret', rule: type, place, value, whole: { type, standIn } }
}

function isForm(bytes: string, mediaType: string): boolean {
  if (mediaType === 'application/x-www-form-urlencoded') return true
  return (mediaType === '' || mediaType === 'text/plain') && /^[\w.~%+-]+=/.test(bytes)
}
