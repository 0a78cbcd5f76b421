/** What a map holds under a key, made where there is nothing yet. */
export function within<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

/** Adds a position, once, to the list of a value. */
export function append(lists: Map<string, number[]>, value: string, position: number): void {
  const list = lists.get(value)
  if (!list) lists.set(value, [position])
  else if (list[list.length - 1] !== position) list.push(position)
}
