import { createAnswerIndex } from './answer-index.ts'
import type { Backing, Entries } from './backing.ts'
import { ANSWER_PREFIX } from './keyspace.ts'

export type ArrivalOptions = {
  readonly disk?: Backing['disk']
  /** How many answers make a segment of the index. */
  readonly segmentSize?: number
}

/**
 * Keeps finished answers in the order of their arrival. Their own names hold a UUID, so in name order a commit of a
 * hundred answers dirties a hundred pages, all of which have to reach the disk before anybody is answered; in order
 * of arrival it fills a few at the end. Where each answer stands is what answer-index.ts knows.
 */
export function inArrivalOrder(
  entries: Entries,
  secret: Buffer,
  { disk = () => undefined, segmentSize }: ArrivalOptions = {},
): Backing {
  const index = createAnswerIndex(entries, { secret, segmentSize }, function* (place) {
    const query = { from: placeName(place), to: END, limit: Number.POSITIVE_INFINITY }
    for (const name of entries.names(query)) yield [logicalName(name), placeOf(name)] as const
  })
  const isEmptyUpTo = (place: number): boolean => {
    const query = { from: ANSWER_PREFIX, to: placeName(place + 1), limit: 1 }
    for (const _name of entries.names(query)) return false
    return true
  }

  function locate(name: string): { place: number; value: Buffer } | undefined {
    for (const place of index.candidates(name)) {
      const value = entries.read(nameAt(name, place))
      if (value !== undefined) return { place, value }
    }
    return undefined
  }

  async function write(writes: ReadonlyMap<string, Buffer | undefined>): Promise<void> {
    const placed = new Map<string, Buffer | undefined>()
    const moved = new Map<string, number | undefined>()
    let next = index.next()
    for (const [name, value] of writes) {
      if (!name.startsWith(ANSWER_PREFIX)) {
        placed.set(name, value)
        continue
      }
      const before = locate(name)
      if (before !== undefined) placed.set(nameAt(name, before.place), undefined)
      if (value !== undefined) placed.set(nameAt(name, next), value)
      moved.set(name, value === undefined ? undefined : next++)
    }
    const maintenance = moved.size > 0 ? index.maintain(isEmptyUpTo) : undefined
    for (const [name, value] of maintenance?.writes ?? []) placed.set(name, value)
    await entries.write(placed)
    // Only now: a write that failed has moved nothing, and its places stay empty.
    for (const [name, place] of moved) {
      if (place === undefined) index.forget(name)
      else index.place(name, place)
    }
    maintenance?.done()
  }

  return {
    ...entries,
    read: (name) => (name.startsWith(ANSWER_PREFIX) ? locate(name)?.value : entries.read(name)),
    write,
    answers(from, limit) {
      const found = [...entries.names({ from: placeName(from), to: END, limit })]
      const last = found.at(-1)
      return {
        names: found.map(logicalName),
        next: last === undefined || found.length < limit ? undefined : placeOf(last) + 1,
      }
    },
    disk,
  }
}

/** Holds every safe integer. */
const DIGITS = 16
/** Above every digit. */
const END = `${ANSWER_PREFIX}:`

const placeName = (place: number): string => ANSWER_PREFIX + String(place).padStart(DIGITS, '0')
const nameAt = (name: string, place: number): string =>
  `${placeName(place)}\0${name.slice(ANSWER_PREFIX.length)}`
const placeOf = (placed: string): number =>
  Number(placed.slice(ANSWER_PREFIX.length, ANSWER_PREFIX.length + DIGITS))
/** The name of an answer without its place. */
export const logicalName = (placed: string): string =>
  ANSWER_PREFIX + placed.slice(ANSWER_PREFIX.length + DIGITS + 1)
