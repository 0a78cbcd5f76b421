import { getOrMake } from '../../map-entries.ts'
import type { Entry } from './entry.ts'

/** Type -> recorded value -> the positions of the entries that mention it, in ascending order. */
export type Values = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>

export function valuesOf(entries: readonly Entry[]): Values {
  const values = new Map<string, Map<string, number[]>>()
  for (const { shape, interaction, position } of entries) {
    for (const [i, { type }] of shape.kinds.entries()) {
      const ofType = getOrMake(values, type, () => new Map<string, number[]>())
      appendPosition(ofType, interaction.bindings[i]?.value ?? '', position)
    }
  }
  return values
}

/** Adds a position, once, to the list of a value. Positions come in ascending order. */
export function appendPosition(lists: Map<string, number[]>, value: string, position: number): void {
  const list = getOrMake(lists, value, () => [])
  if (list[list.length - 1] !== position) list.push(position)
}
