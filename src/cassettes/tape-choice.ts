import { applyExchange, type Exchange, planExchange, type WantedPair } from './bindings-exchange.ts'
import {
  type Choice,
  choose,
  fits,
  type LaneState,
  type Lookup,
  type Needs,
  needsOf,
  shortlist,
  withLiterals,
} from './matcher.ts'
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

/** How many arrangements are tried; beyond it the request is a miss, and lanes are the remedy. */
const TRIES = 32

/**
 * For a request that no entry answers as things are bound: lets two stories that began alike change places, if the
 * client cannot have noticed. True when an entry fits afterwards.
 */
export function makeRoom(lane: Lane, lookups: readonly Lookup[]): boolean {
  const { state, view } = lane
  for (const lookup of lookups) {
    const needs = needsOf(state, lookup)
    // A story that nobody is in costs nobody anything; one that somebody is in is asked last.
    for (const onlyFresh of [true, false]) {
      let tries = 0
      for (const { entry, wanted } of arrangements(lane, lookup, needs)) {
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

type Arrangement = { readonly entry: Indexed; readonly wanted: readonly WantedPair[] }

/** What would have to change places for an entry of the bucket to fit. Never more entries than a look is worth. */
function* arrangements(lane: Lane, { bucket }: Lookup, needs: Needs): Generator<Arrangement> {
  const { state } = lane
  const head = state.heads.get(bucket.entries) ?? 0
  for (const position of bucket.entries.slice(head, head + TRIES * 8)) {
    const entry = state.index.entries.get(position)
    if (!entry || (!entry.safe && state.served.has(position))) continue
    const wanted: WantedPair[] = []
    const taken: { type: string; recorded: string }[] = []
    for (const [i, { type }] of entry.layout.holes.entries()) {
      const recorded = entry.values[i] ?? ''
      const need = needs[i]
      if (need !== undefined && need !== recorded) wanted.push({ type, has: need, wants: recorded })
      if (need === undefined && state.table.liveOf(type, recorded) !== undefined)
        taken.push({ type, recorded })
    }
    const [first] = taken
    if (!first) {
      if (wanted.length > 0) yield { entry, wanted }
      continue
    }
    // A new value needs a recorded one that somebody else stands for: whoever it is may stand for another as well.
    for (const wants of likeValues(state, first.type, first.recorded)) {
      yield { entry, wanted: [...wanted, { type: first.type, has: first.recorded, wants }] }
    }
  }
}

/** Recorded values that stand where this one stands, in entries with the same key that were not served. */
function likeValues(state: LaneState, type: string, recorded: string): readonly string[] {
  const found = new Set<string>()
  for (const position of state.index.byValue.get(type)?.get(recorded) ?? []) {
    const entry = state.served.has(position) ? state.index.entries.get(position) : undefined
    if (!entry) continue
    const at = entry.bindings.findIndex((each) => each.type === type && each.value === recorded)
    const { entries } = entry.bucket
    const head = state.heads.get(entries) ?? 0
    for (const other of entries.slice(head, head + TRIES * 4)) {
      const binding = state.served.has(other) ? undefined : state.index.entries.get(other)?.bindings[at]
      if (binding && binding.type === type && state.table.liveOf(type, binding.value) === undefined) {
        found.add(binding.value)
      }
      if (found.size === TRIES) return [...found]
    }
    // Every served entry of a story needs a twin, so the alternatives of one are all there are.
    break
  }
  return [...found]
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
