import { LRUCache } from 'lru-cache'

/**
 * What was used last, at most `entries` of it. It is bounded by a size, of which each entry has one, since a bound of the number
 * itself lays out all places at once: with 50000 of them 10 ms of each start.
 */
export function createLru<V extends object | string>(entries: number): LRUCache<string, V> {
  return new LRUCache({ maxSize: entries, sizeCalculation: () => 1 })
}
