import type { Indexed } from '../matching/entry-index.ts'
import type { LaneState } from '../matching/lookup.ts'
import { correctProgress, type OrderView, placeIn } from '../matching/order.ts'

/**
 * Two stories of a recording can begin alike: two tests that each open an account for a customer made up on the
 * spot. Which of them a client is in shows only with the first request that only one of the two has. Until then any
 * choice was right, because the answers were equal up to renaming; so when that request comes, the two stories may
 * still be swapped. They are only if everything that was served of either has a twin in the other with an equal
 * answer: the client cannot tell, and nothing is guessed.
 */
export type Swap = {
  readonly values: readonly ValuePair[]
  readonly entries: readonly (readonly [Indexed, Indexed])[]
}

type ValuePair = { readonly type: string; readonly a: string; readonly b: string }

/** A live value stands for `has` and should stand for `wants`. */
export type WantedPair = { readonly type: string; readonly has: string; readonly wants: string }

/** A story that is longer than this has shown what it is. */
const MAX_TWINS = 256

/**
 * What has to be swapped so that `has` becomes what it `wants`: these two values, and with them every value that an
 * answer shows beside them. Undefined when a client could tell.
 */
export function planSwap(
  state: LaneState,
  wanted: WantedPair,
  sameAnswer: (a: Indexed, b: Indexed) => boolean,
): Swap | undefined {
  const pairing = createPairing()
  /** Position -> that of its twin, both ways. */
  const twins = new Map<number, number>()
  pairing.pair(wanted.type, wanted.has, wanted.wants)
  const values: ValuePair[] = []
  for (let next = pairing.next(); next; next = pairing.next()) {
    values.push(next)
    const { type, a, b } = next
    if (!pairEntries(type, a, b) || !pairEntries(type, b, a)) return undefined
  }
  return { values, entries: pairsOf(state, twins) }

  /** Finds a twin for each served entry of the story of `from`; false when there is none for one of them. */
  function pairEntries(type: string, from: string, to: string): boolean {
    for (const position of state.index.byValue.get(type)?.get(from) ?? []) {
      if (!state.served.has(position) || twins.has(position)) continue
      const one = state.index.entries.get(position)
      if (!one) return false
      const twin = twinOf(state, one, type, to, (other) => {
        return !twins.has(other.position) && pairing.couldPair(one, other) && sameAnswer(one, other)
      })
      if (!twin || !pairing.pairAll(one, twin)) return false
      twins.set(position, twin.position)
      twins.set(twin.position, position)
      if (twins.size > MAX_TWINS) return false
    }
    return true
  }
}

/** Which values change places with which. A value has one partner. */
function createPairing() {
  const partners = new Map<string, string>()
  const queue: ValuePair[] = []

  const pair = (type: string, a: string, b: string): boolean => {
    const known = partners.get(`${type}\0${a}`)
    if (known !== undefined || partners.has(`${type}\0${b}`)) return known === b
    partners.set(`${type}\0${a}`, b)
    partners.set(`${type}\0${b}`, a)
    if (a !== b) queue.push({ type, a, b })
    return true
  }

  return {
    pair,
    /** The next pair whose entries have not been looked at. */
    next: () => queue.shift(),
    /** Pairs the values of two entries; false when a value would have two partners. */
    pairAll: (one: Indexed, other: Indexed): boolean =>
      one.shape.kinds.length === other.shape.kinds.length && everyTwin(one, other, pair),
    couldPair: (one: Indexed, other: Indexed): boolean =>
      everyTwin(one, other, (type, value, twin) => {
        const known = partners.get(`${type}\0${value}`)
        const back = partners.get(`${type}\0${twin}`)
        return (known === undefined && back === undefined) || (known === twin && back === value)
      }),
  }
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

/** Swaps the two stories: live values, and which entries are served. A swap is its own inverse. */
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
