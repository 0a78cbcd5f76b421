import { type Choice, choose, fits, type Lookup, needsOf, shortlist, withLiterals } from './matcher.ts'
import type { Indexed } from './matcher-index.ts'
import type { Lane } from './tape-lanes.ts'

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
