import type { Place } from '../interaction.ts'
import type { EditableField } from '../message/body-fields.ts'
import type { Edit } from './edits.ts'
import { fieldAt } from './field-at.ts'

/**
 * A pointer is made of property names, and what was taken out of a name must not stand in a pointer. Returns the fields
 * and edits with the pointers that they have in the text as it is stored; `reread` gives its fields.
 */
export function withShownPlaces(
  part: Place['part'],
  fields: readonly EditableField[],
  edits: readonly Edit[],
  reread: () => readonly EditableField[],
): { readonly fields: readonly EditableField[]; readonly edits: readonly Edit[] } {
  const touchesNames = edits.some(({ start, end }) => fieldAt(fields, start, end) === undefined)
  if (!touchesNames || fields.length === 0) return { fields, edits }
  const after = reread()
  const isSame = after.length === fields.length
  const pointers = new Map(fields.map(({ pointer }, i) => [pointer, isSame ? (after[i]?.pointer ?? '') : '']))
  const shown = (pointer: string) => pointers.get(pointer) ?? ''
  return {
    fields: isSame ? fields.map((field) => ({ ...field, pointer: shown(field.pointer) })) : [],
    edits: edits.map((edit) =>
      edit.place.part === part ? { ...edit, place: { part, pointer: shown(edit.place.pointer) } } : edit,
    ),
  }
}
