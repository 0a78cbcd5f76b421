/** Of what is remembered, by number and by length. */
const MOST = 2000
const LONGEST = 64

/** What a map holds under a key, made where there is nothing yet. */
export function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
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

/**
 * What `make` says of a text, made once for each of the first thousands of short ones: the names of an interface are few
 * and come again and again, and what a stranger makes up must not fill the memory.
 */
export function remembered<K extends string, V>(make: (text: K) => V): (text: K) => V {
  const known = new Map<K, V>()
  return (text) => {
    const found = known.get(text)
    // Nothing can be what was found.
    if (found !== undefined || known.has(text)) return found as V
    const made = make(text)
    if (known.size < MOST && text.length < LONGEST) known.set(text, made)
    return made
  }
}
