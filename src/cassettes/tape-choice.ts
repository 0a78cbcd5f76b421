import { applyExchange, type Exchange, planExchange, type WantedPair } from './bindings-exchange.ts'
import { type Choice, choose, fits, type Lookup, needsOf, shortlist, withLiterals } from './matcher.ts'
import type { Indexed } from './matcher-index.ts'
import type { Lane } from './tape-lanes.ts'
import { replyInstants, replyShape } from './tape-shape.ts'

export type Chosen = Choice & { readonly values: readonly string[] }

const RANKS = ['due', 'repeat', 'early', 'late'] as const

/** The entry that answers a request, out of every bucket that has its key. */
export function chooseEntry(
  lane: Lane,
  lookups: readonly Lookup[],
  suits: (entry: Indexed) => boolean = () => true,
): Chosen | undefined {
  let best: Chosen | undefined
  for (const lookup of lookups) {
    const choice = chooseIn(lane, lookup, suits)
    if (!choice) continue
    if (choice.rank === 'due') return { ...choice, values: lookup.values }
    if (!best || RANKS.indexOf(choice.rank) < RANKS.indexOf(best.rank))
      best = { ...choice, values: lookup.values }
  }
  return best
}

function chooseIn(
  { state, view }: Lane,
  lookup: Lookup,
  suits: (entry: Indexed) => boolean,
): Choice | undefined {
  const needs = needsOf(state, lookup)
  const exact = withLiterals(state, lookup, needs)
  for (const wanted of exact.some((need, i) => need !== needs[i]) ? [exact, needs] : [needs]) {
    const positions = shortlist(state, lookup.bucket, wanted)
    const choice = choose(
      state,
      view,
      positions,
      (entry) => fits(state, entry, lookup, wanted) && suits(entry),
    )
    if (choice) return choice
  }
  return undefined
}

/** How many entries are tried; beyond it the request is a miss, and lanes are the remedy. */
const TRIES = 32

/**
 * For a request that no entry answers as things are bound: lets two stories that began alike change places, if the
 * client cannot have noticed. True when an entry fits afterwards.
 */
export function makeRoom(lane: Lane, lookups: readonly Lookup[]): boolean {
  const { state, view } = lane
  for (const lookup of lookups) {
    const needs = needsOf(state, lookup)
    let tries = 0
    for (const onlyFresh of [true, false]) {
      for (const position of candidates(lane, lookup)) {
        const entry = state.index.entries.get(position)
        if (!entry || (!entry.safe && state.served.has(position))) continue
        const wanted = wantedPairs(entry, needs)
        if (wanted.length === 0) continue
        if (onlyFresh && wanted.some(({ type, wants }) => state.table.liveOf(type, wants) !== undefined))
          continue
        if (++tries > TRIES) break
        const plan = planExchange(state, wanted, (a, b) => replyShape(a) === replyShape(b))
        if (!plan) continue
        applyExchange(state, view, plan)
        if (fits(state, entry, lookup, needsOf(state, lookup))) {
          lane.timeline.exchange(instantPairs(plan))
          return true
        }
        // An exchange is its own inverse.
        applyExchange(state, view, plan)
      }
    }
  }
  return false
}

/** The instants of the two stories, each pair once: an account shows the same one in every answer. */
function instantPairs({ entries }: Exchange): Iterable<readonly [number, number]> {
  const pairs = new Map<number, readonly [number, number]>()
  for (const [one, other] of entries) {
    const others = replyInstants(other)
    for (const [i, a] of replyInstants(one).entries()) {
      const b = others[i]
      if (b !== undefined && a !== b && !pairs.has(a) && !pairs.has(b)) pairs.set(a, [a, b])
    }
  }
  return pairs.values()
}

/** Entries behind the consumed beginning of the bucket; never more than a look is worth. */
function candidates({ state }: Lane, { bucket }: Lookup): readonly number[] {
  const head = bucket.layout.holes.length === 0 ? 0 : (state.heads.get(bucket.entries) ?? 0)
  return bucket.entries.slice(head, head + TRIES * 8)
}

function wantedPairs(entry: Indexed, needs: readonly (string | undefined)[]): readonly WantedPair[] {
  const wanted: WantedPair[] = []
  for (const [i, { type }] of entry.layout.holes.entries()) {
    const has = needs[i]
    const wants = entry.values[i] ?? ''
    if (has !== undefined && has !== wants) wanted.push({ type, has, wants })
  }
  return wanted
}
