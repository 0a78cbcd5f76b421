/** A second call gets what the first one got, or is getting. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/**
 * Calls with one key that come while the first is under way get what it gets, in the order in which they came. Nothing
 * is kept after that.
 */
export function whilePending<T>(make: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const pending = new Map<string, Promise<T>>()
  return (key) => {
    const shared = pending.get(key)
    if (shared !== undefined) return shared
    const made = make(key).finally(() => pending.delete(key))
    pending.set(key, made)
    return made
  }
}
