import { splitTarget } from '../../http/target.ts'
import type { Binding, Place } from '../interaction.ts'
import type { EditableField } from '../message/body-fields.ts'
import { spliced } from '../message/splice.ts'
import type { Edit } from './edits.ts'
import { fieldAt } from './field-at.ts'

export function placeInBody(
  part: Place['part'],
  fields: readonly EditableField[],
): (start: number, end: number) => Place {
  return (start, end) => ({ part, pointer: fieldAt(fields, start, end)?.pointer ?? '' })
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
  const sorted = edits.filter(({ place }) => place.part === part).sort((a, b) => a.start - b.start)
  const bindings: Binding[] = []
  let next = 0
  // Fields and edits are in the order of their bytes.
  for (const field of fields) {
    while ((sorted[next]?.start ?? field.start) < field.start) next++
    const own: Edit[] = []
    for (let i = next; (sorted[i]?.start ?? field.end) < field.end; i++) {
      const edit = sorted[i]
      if (edit && edit.end <= field.end) own.push(edit)
    }
    const [first] = own
    if (first === undefined) continue
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
