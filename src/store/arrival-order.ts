import type { Backing } from './backing.ts'
import { ANSWER_PREFIX } from './keyspace.ts'

/**
 * Keeps finished answers in the order of their arrival. Their own names hold a UUID, so in name order a commit of a
 * hundred answers dirties a hundred pages, all of which have to reach the disk before anybody is answered; in order
 * of arrival it fills a few at the end. Where each answer stands is known in memory alone, and found again at the
 * start from the names: about 110 bytes for each answer that is kept.
 */
export function inArrivalOrder(backing: Backing): Backing {
  const places = new Map<string, number>()
  let next = 0
  for (const { name } of backing.range({ from: ANSWER_PREFIX, to: END, limit: Number.POSITIVE_INFINITY })) {
    const place = Number(name.slice(ANSWER_PREFIX.length, ANSWER_PREFIX.length + DIGITS))
    places.set(ANSWER_PREFIX + name.slice(ANSWER_PREFIX.length + DIGITS + 1), place)
    next = place + 1
  }

  return {
    ...backing,
    read: (name) => {
      if (!name.startsWith(ANSWER_PREFIX)) return backing.read(name)
      const place = places.get(name)
      return place === undefined ? undefined : backing.read(nameAt(name, place))
    },
    write: async (writes) => {
      const placed = new Map<string, Buffer | undefined>()
      const moved = new Map<string, number | undefined>()
      for (const [name, value] of writes) {
        if (!name.startsWith(ANSWER_PREFIX)) {
          placed.set(name, value)
          continue
        }
        const before = places.get(name)
        if (before !== undefined) placed.set(nameAt(name, before), undefined)
        if (value !== undefined) placed.set(nameAt(name, next), value)
        moved.set(name, value === undefined ? undefined : next++)
      }
      await backing.write(placed)
      // Only now: a write that failed has moved nothing, and its places stay empty.
      for (const [name, place] of moved) {
        if (place === undefined) places.delete(name)
        else places.set(name, place)
      }
    },
  }
}

/** Holds every safe integer. */
const DIGITS = 16
/** Above every digit. */
const END = `${ANSWER_PREFIX}:`

function nameAt(name: string, place: number): string {
  return `${ANSWER_PREFIX}${String(place).padStart(DIGITS, '0')}\0${name.slice(ANSWER_PREFIX.length)}`
}
