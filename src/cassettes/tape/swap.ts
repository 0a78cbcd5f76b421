import type { Indexed } from '../matching/entry-index.ts'
import type { LaneState } from '../matching/lookup.ts'
import { correctProgress, type OrderView, placeIn } from '../matching/order.ts'

/**
 * Two stories of a recording can begin alike: two tests that each open an account for a customer made up on the
 * spot. Which of them a client is in shows only later, when the first request comes that only one of the two has.
 * Until then any choice was right, because the answers were equal up to renaming; so when that request comes, the
 * two stories may still change places. They do only if everything that was served of either has a twin in the
 * other with an equal answer: the client cannot tell, and nothing is guessed.
 */
export type Swap = {
  readonly values: readonly { readonly type: string; readonly a: string; readonly b: string }[]
  readonly entries: readonly (readonly [Indexed, Indexed])[]
}

export type WantedPair = { readonly type: string; readonly has: string; readonly wants: string }

/** A story that is longer than this has shown what it is. */
const MAX_TWINS = 256

/** What would have to change places so that each `has` becomes what it `wants`; undefined when something differs. */
export function planSwap(
  state: LaneState,
  wanted: readonly WantedPair[],
  sameAnswer: (a: Indexed, b: Indexed) => boolean,
): Swap | undefined {
  const partners = new Map<string, string>()
  const queue: { type: string; a: string; b: string }[] = []
  const entries = new Map<number, number>()

  const pair = (type: string, a: string, b: string): boolean => {
    const known = partners.get(`${type}\0${a}`)
    if (known !== undefined || partners.has(`${type}\0${b}`)) return known === b
    partners.set(`${type}\0${a}`, b)
    partners.set(`${type}\0${b}`, a)
    if (a !== b) queue.push({ type, a, b })
    return true
  }

  /** Pairs the values of two entries; false when a value would have two partners. */
  const unify = (one: Indexed, other: Indexed): boolean =>
    one.shape.kinds.length === other.shape.kinds.length && everyTwin(one, other, pair)

  const couldPair = (one: Indexed, other: Indexed): boolean =>
    everyTwin(one, other, (type, value, twin) => {
      const known = partners.get(`${type}\0${value}`)
      const back = partners.get(`${type}\0${twin}`)
      return (known === undefined && back === undefined) || (known === twin && back === value)
    })

  for (const { type, has, wants } of wanted) if (!pair(type, has, wants)) return undefined
  const values: { type: string; a: string; b: string }[] = []
  for (let next = queue.shift(); next; next = queue.shift()) {
    values.push(next)
    const { type, a, b } = next
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      for (const position of state.index.byValue.get(type)?.get(from) ?? []) {
        if (!state.served.has(position) || entries.has(position)) continue
        const one = state.index.entries.get(position)
        const suits = (other: Indexed) =>
          one !== undefined && !entries.has(other.position) && couldPair(one, other) && sameAnswer(one, other)
        const twin = one && twinOf(state, one, type, to, suits)
        if (!one || !twin || !unify(one, twin)) return undefined
        entries.set(position, twin.position)
        entries.set(twin.position, position)
        if (entries.size > MAX_TWINS) return undefined
      }
    }
  }
  return { values, entries: pairsOf(state, entries) }
}

/** Whether each value of an entry and the one at the same place of another are of one type and pass. */
function everyTwin(
  one: Indexed,
  other: Indexed,
  passes: (type: string, value: string, twin: string) => boolean,
): boolean {
  for (const [i, { type }] of one.shape.kinds.entries()) {
    const twin = other.interaction.bindings[i]
    if (!twin || other.shape.kinds[i]?.type !== type) return false
    if (!passes(type, one.interaction.bindings[i]?.value ?? '', twin.value)) return false
  }
  return true
}

/**
 * The first entry that says the same of another value. One that has been served comes first: it needs a twin itself,
 * and one that has not may be somebody else's only one.
 */
function twinOf(
  state: LaneState,
  one: Indexed,
  type: string,
  value: string,
  suits: (other: Indexed) => boolean,
): Indexed | undefined {
  let unserved: Indexed | undefined
  for (const position of state.index.byValue.get(type)?.get(value) ?? []) {
    state.probes++
    const isServed = state.served.has(position)
    if (!isServed && unserved) continue
    const other = state.index.entries.get(position)
    if (!other || other === one || other.bucket !== one.bucket || !suits(other)) continue
    if (isServed) return other
    unserved = other
  }
  return unserved
}

function pairsOf(state: LaneState, entries: ReadonlyMap<number, number>): (readonly [Indexed, Indexed])[] {
  const pairs: (readonly [Indexed, Indexed])[] = []
  for (const [position, twin] of entries) {
    const one = state.index.entries.get(position)
    const other = state.index.entries.get(twin)
    if (position < twin && one && other) pairs.push([one, other])
  }
  return pairs
}

/** Lets the two stories change places: live values, and which entries are served. */
export function applySwap(state: LaneState, view: OrderView, { values, entries }: Swap): void {
  for (const { type, a, b } of values) state.table.swap(type, a, b)
  for (const [one, other] of entries) {
    const ofOne = state.served.get(one.position)
    const ofOther = state.served.get(other.position)
    setServed(state, one, ofOther)
    setServed(state, other, ofOne)
    correctProgress(one, view)
    correctProgress(other, view)
  }
}

function setServed(state: LaneState, entry: Indexed, times: number | undefined): void {
  if (times !== undefined) {
    state.served.set(entry.position, times)
    return
  }
  state.served.delete(entry.position)
  // Lists that had put this entry behind them begin with it again.
  const lists = [entry.bucket.entries]
  for (const [i, value] of entry.values.entries()) {
    const list = entry.bucket.byValue[i]?.get(value)
    if (list) lists.push(list)
  }
  for (const list of lists) {
    const head = state.heads.get(list)
    if (head === undefined) continue
    const at = placeIn(list, entry.position)
    if (at < head) state.heads.set(list, at)
  }
}
