import { conditionOf } from '../message/choosing.ts'
import type { Indexed } from './entry-index.ts'
import type { Lane } from './lanes.ts'
import { fits, type LaneState, type Lookup, needsOf, shortlist, withLiterals } from './lookup.ts'
import { isSuperseded, missingDependency, type OrderView } from './order.ts'
import { isSafe } from './resources.ts'

export type Chosen = Choice & { readonly values: readonly string[] }

const RANKS = ['due', 'repeat', 'early', 'late'] as const

/** The entry that answers a request, out of every bucket that has its key. */
export function chooseEntry(
  lane: Lane,
  lookups: readonly Lookup[],
  suits: (entry: Indexed) => boolean = () => true,
): Chosen | undefined {
  const condition = conditionOf(lookups[0] ?? { headers: [] })
  if (condition === undefined) return bestEntry(lane, lookups, suits)
  // What was answered to this very condition comes before what was answered to none.
  const exact = bestEntry(lane, lookups, (entry) => entry.condition === condition && suits(entry))
  return exact ?? bestEntry(lane, lookups, suits)
}

function bestEntry(
  lane: Lane,
  lookups: readonly Lookup[],
  suits: (entry: Indexed) => boolean,
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

/**
 * Why an entry is the one. `due`: its turn. `repeat`: a read that has none left. `early`: something it depends on
 * was not asked for. `late`: something later was asked for first.
 */
export type Choice = { readonly entry: Indexed; readonly rank: 'due' | 'repeat' | 'early' | 'late' }

/**
 * Order chooses: the first entry that is due (not served, what it depends on served, nothing later served that
 * changed it). A read with none left stays on its last one. When none is due, the best of the others answers, except
 * in the strict profile.
 */
function choose(
  state: LaneState,
  view: OrderView,
  positions: readonly number[],
  suits: (entry: Indexed) => boolean,
): Choice | undefined {
  const head = headOf(state, positions)
  // What has an effect is not done twice, and that it was refused once says nothing of the next time.
  let isMixed = false
  const found: {
    repeat?: Indexed
    early?: Indexed
    earlyRepeat?: Indexed
    late?: Indexed
    refused?: Indexed
  } = {}
  for (let i = head; i < positions.length; i++) {
    const entry = entryAt(state, positions[i])
    if (!entry || !suits(entry)) continue
    const isServed = view.isServed(entry.position)
    if (!entry.refusal && !isSafe(entry.interaction.request.method)) isMixed = true
    if (isServed && !entry.safe) continue
    if (isServed && isEdgeRefusal(entry)) found.refused = entry
    else if (isSuperseded(entry, view)) {
      if (entry.safe || !found.late) found.late = entry
    } else if (missingDependency(entry, view)) {
      if (isServed) found.earlyRepeat = entry
      else found.early ??= entry
    } else if (isServed) found.repeat = entry
    else return { entry, rank: 'due' }
  }
  const back = lookBack(state, view, positions, head, suits, found)
  const { repeat, early, earlyRepeat, late } = found
  const refused = isMixed || back.isMixed ? undefined : found.refused
  if (repeat) return { entry: repeat, rank: 'repeat' }
  if (state.strict) return refused && { entry: refused, rank: 'repeat' }
  if (early) return { entry: early, rank: 'early' }
  if (earlyRepeat) return { entry: earlyRepeat, rank: 'repeat' }
  if (late) return { entry: late, rank: 'late' }
  return refused && { entry: refused, rank: 'repeat' }
}

/**
 * A read with none left: its last answer, of those that were served. A refusal is repeated only for want of it.
 * `isMixed`: among them are some that had an effect.
 */
function lookBack(
  state: LaneState,
  view: OrderView,
  positions: readonly number[],
  head: number,
  suits: (entry: Indexed) => boolean,
  found: { repeat?: Indexed; earlyRepeat?: Indexed; late?: Indexed; refused?: Indexed },
): { readonly isMixed: boolean } {
  for (let i = head - 1; i >= 0 && !found.repeat; i--) {
    const entry = entryAt(state, positions[i])
    if (!entry || !suits(entry)) continue
    if (!entry.safe) return { isMixed: true }
    if (isEdgeRefusal(entry)) found.refused ??= entry
    else if (isSuperseded(entry, view)) found.late ??= entry
    else if (missingDependency(entry, view)) found.earlyRepeat ??= entry
    else found.repeat = entry
  }
  return { isMixed: false }
}

function isEdgeRefusal(entry: Indexed): boolean {
  return entry.refusal || isOfTheEdge(entry)
}

function isOfTheEdge(entry: Indexed): boolean {
  return entry.interaction.origin.startsWith('edge:') && entry.interaction.reply?.status !== 404
}

function entryAt(state: LaneState, position: number | undefined): Indexed | undefined {
  state.probes++
  return position === undefined ? undefined : state.index.entries.get(position)
}

/** Entries at the beginning of a list that are served need not be looked at again. */
function headOf(state: LaneState, positions: readonly number[]): number {
  let head = state.heads.get(positions) ?? 0
  const before = head
  while (head < positions.length && state.served.has(positions[head] ?? -1)) head++
  if (head !== before) state.heads.set(positions, head)
  return head
}
