import type { Binding } from '../interaction.ts'

/** One value of one type is one binding. */
export function joined(bindings: readonly Binding[]): Binding[] {
  const byValue = new Map<string, Binding>()
  for (const binding of bindings) {
    const key = `${binding.type}\0${binding.value}`
    const known = byValue.get(key)
    byValue.set(key, known ? { ...known, places: [...known.places, ...binding.places] } : binding)
  }
  return [...byValue.values()]
}
