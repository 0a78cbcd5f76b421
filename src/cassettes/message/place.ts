import { escapeStep } from '../../http/json-pointer.ts'
import type { Place } from '../interaction.ts'

/** A place as the key of a map, and as reports show it: `reply-body /outcome`. */
export function placeKey({ part, pointer }: Place): string {
  return `${part} ${pointer}`
}

/** What `placeKey` has put together. A key of the whole, such as `status`, has no pointer. */
export function readPlaceKey(key: string): { readonly part: string; readonly pointer: string } {
  const space = key.indexOf(' ')
  return space === -1
    ? { part: key, pointer: '' }
    : { part: key.slice(0, space), pointer: key.slice(space + 1) }
}

/** The pointer of a field, parameter or header: `/name`, or `/name/1` when one of its name stands before it. */
export function repeatPointer(name: string, before: number): string {
  const step = escapeStep(name)
  return before === 0 ? `/${step}` : `/${step}/${before}`
}

/** The same for the next one in the order of the text; `seen` counts the names. */
export function nextPointer(name: string, seen: Map<string, number>): string {
  const before = seen.get(name) ?? 0
  seen.set(name, before + 1)
  return repeatPointer(name, before)
}
