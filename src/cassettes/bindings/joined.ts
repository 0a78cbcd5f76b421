import { append } from '../../map-entries.ts'
import type { Binding } from '../interaction.ts'

/** One value of one type is one binding. */
export function joined(bindings: readonly Binding[]): Binding[] {
  const byValue = new Map<string, Binding[]>()
  for (const binding of bindings) append(byValue, `${binding.type}\0${binding.value}`, binding)
  return [...byValue.values()].map((same): Binding => {
    const [first] = same
    if (first === undefined) throw new TypeError('a list of a key is never empty')
    return same.length === 1 ? first : { ...first, places: same.flatMap(({ places }) => places) }
  })
}
