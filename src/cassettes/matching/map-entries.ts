/** What a map holds under a key, made where there is nothing yet. */
export function within<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

/** Adds to the list of a key. */
export function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

/** Adds a position, once, to the list of a value. Positions come in ascending order. */
export function appendPosition(lists: Map<string, number[]>, value: string, position: number): void {
  const list = lists.get(value)
  if (!list) lists.set(value, [position])
  else if (list[list.length - 1] !== position) list.push(position)
}
