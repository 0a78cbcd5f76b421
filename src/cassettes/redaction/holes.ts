import { splitTarget } from '../../http/target.ts'
import { append } from '../../map-entries.ts'
import { partitionPoint } from '../../partition-point.ts'
import type { Binding, Place } from '../interaction.ts'
import type { EditableField } from '../message/body-fields.ts'
import { spliced } from '../message/splice.ts'
import type { Edit } from './edits.ts'

export function placeInBody(
  part: Place['part'],
  fields: readonly EditableField[],
): (start: number, end: number) => Place {
  return (start, end) => ({ part, pointer: fieldAt(fields, start, end)?.pointer ?? '' })
}

function fieldAt(fields: readonly EditableField[], start: number, end: number): EditableField | undefined {
  // The fields stand in the order of their bytes.
  const field = fields[partitionPoint(fields.length, (i) => (fields[i]?.start ?? 0) <= start) - 1]
  return field && field.end >= end ? field : undefined
}

export function placeInTarget(
  target: string,
  query: readonly EditableField[],
): (start: number, end: number) => Place {
  const mark = target.indexOf('?')
  return (start, end) => {
    if (mark !== -1 && start > mark)
      return { part: 'query', pointer: fieldAt(query, start, end)?.pointer ?? '' }
    return { part: 'path', pointer: `/${target.slice(1, start).split('/').length - 1}` }
  }
}

/**
 * A place whose value was replaced, in whole or in part, is a hole: the client is free to send another value there.
 * Its value is what the place reads now.
 */
export function bindingsOf(
  part: Place['part'],
  edits: readonly Edit[],
  fields: readonly EditableField[],
  bytes: string,
  madeBy: Binding['madeBy'],
): Binding[] {
  const byPointer = new Map<string, Edit[]>()
  for (const edit of edits) {
    if (edit.place.part !== part) continue
    append(byPointer, edit.place.pointer, edit)
  }
  const bindings: Binding[] = []
  for (const field of fields) {
    const own = byPointer
      .get(field.pointer)
      ?.filter(({ start, end }) => start >= field.start && end <= field.end)
    const [first] = own ?? []
    if (own === undefined || first === undefined) continue
    const places = [{ part, pointer: field.pointer }]
    if (first.whole) bindings.push({ type: first.whole.type, value: first.whole.standIn, madeBy, places })
    else {
      const inside = own.map((edit) => ({
        ...edit,
        start: edit.start - field.start,
        end: edit.end - field.start,
      }))
      const raw = spliced(bytes.slice(field.start, field.end), inside)
      bindings.push({ type: first.rule, value: field.read(raw), madeBy, places })
    }
  }
  return bindings
}

export function pathBindings(target: string, edits: readonly Edit[]): Binding[] {
  const touched = edits.filter(({ place }) => place.part === 'path')
  if (touched.length === 0) return []
  const segments = splitTarget(spliced(target, edits)).path.slice(1).split('/')
  return touched.map(({ place, rule }) => ({
    type: rule,
    value: segments[Number(place.pointer.slice(1))] ?? '',
    madeBy: 'client',
    places: [place],
  }))
}
