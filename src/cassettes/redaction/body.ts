import { isPublicClientId } from '../../tokens/client-id.ts'
import type { Place } from '../interaction.ts'
import type { EditableField } from '../message/body-fields.ts'
import { BeyondBound, MAX_REPLACED } from '../message/bounds.ts'
import type { Edit } from './edits.ts'
import { isPersonal } from './people/names.ts'
import type { FieldLookup, FieldRule } from './stand-ins/field-rules.ts'
import type { StandIns } from './stand-ins/stand-ins.ts'

/** The replacements that the fields themselves ask for, by their names. @throws BeyondBound */
export function fieldEdits(
  fields: readonly EditableField[],
  part: Place['part'],
  standIns: StandIns,
  personal: boolean,
): Edit[] {
  const edits: Edit[] = []
  for (const field of fields) {
    const rule = ruleOf(field, standIns.fields)
    if (rule === undefined) continue
    const edit = editOf(field, rule, part, standIns, personal)
    if (edit) edits.push(edit)
    if (edits.length > MAX_REPLACED) throw new BeyondBound('too-many-secrets')
  }
  return edits
}

/** The values of fields that are secrets by their names. */
export function secretsOfFields(fields: readonly EditableField[], table: FieldLookup): string[] {
  return fields
    .filter((field) => {
      const kind = ruleOf(field, table)?.kind
      return kind === 'secret' || (kind === 'client-id' && !isPublicClientId(field.value))
    })
    .map(({ value }) => value)
}

/** The rule of a field that has a value which can be what its name says. */
export function ruleOf({ names, number, value }: EditableField, table: FieldLookup): FieldRule | undefined {
  if (value === '') return undefined
  const rule = table.rule(names, number)
  if (rule?.isMeant && !isPersonal(rule.type, value)) return undefined
  if (rule?.kind !== 'secret') return rule
  // A form and XML spell a switch as a text; a key's id and a stand-in are known to everybody.
  if (/^(?:true|false|null)$/.test(value) || isPublicClientId(value) || value.startsWith('redacted-'))
    return undefined
  return rule
}

function editOf(
  field: EditableField,
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
