import { LRUCache } from 'lru-cache'

/** Where a cache begins. */
const FIRST = 500
/** By how much it grows: each entry is moved a few times at most. */
const FACTOR = 10

export type GrowingCache<V extends object | string> = {
  readonly get: (key: string) => V | undefined
  readonly has: (key: string) => boolean
  readonly set: (key: string, value: V) => void
  readonly clear: () => void
}

/**
 * What was used last, up to `max` entries. An LRU cache lays out all its places when it is made, which takes 10 ms for
 * 50000 of them: this one does so as they are needed.
 */
export function createGrowingCache<V extends object | string>(max: number): GrowingCache<V> {
  let cache = new LRUCache<string, V>({ max: Math.min(FIRST, max) })
  return {
    get: (key) => cache.get(key),
    has: (key) => cache.has(key),
    set: (key, value) => {
      if (cache.size === cache.max && cache.max < max && !cache.has(key)) {
        const larger = new LRUCache<string, V>({ max: Math.min(cache.max * FACTOR, max) })
        larger.load(cache.dump())
        cache = larger
      }
      cache.set(key, value)
    },
    clear: () => cache.clear(),
  }
}
