import type { Indexed } from '../matching/entry-index.ts'
import type { Lane } from '../matching/lanes.ts'
import { fits, type Lookup, needsOf } from '../matching/lookup.ts'
import { isSuperseded, missingDependency } from '../matching/order.ts'
import { replyInstants, replyShape } from './reply-shape.ts'
import { applySwap, planSwap, type Swap, type WantedPair } from './swap.ts'

/** How many swaps are tried for one request; beyond it the request is a miss, and lanes are the remedy. */
const TRIES = 96
/** How many entries of the request's key are considered. */
const CONSIDERED = 64
/** How many clients in a row may have to be given another story for one to get its own. */
const MOVES = 4

/** What has been tried and done for one request, so that it can be undone. */
type Attempt = {
  readonly lane: Lane
  readonly done: Swap[]
  /** Recorded values that somebody has been asked to give up: asking twice leads nowhere. */
  readonly asked: Set<string>
  left: number
}

/**
 * For a request that no entry answers as things are bound: finds out whether the recorded stories can be assigned to
 * the clients differently, so that one does, without any client having been able to notice. This is the assignment
 * problem, solved as usual: whoever has the wanted story is given another, whose client may need a new one in turn.
 * True when an entry fits afterwards (and, with `due`, has its turn); otherwise nothing has changed.
 */
export function reassign(lane: Lane, lookups: readonly Lookup[], due: boolean): boolean {
  const request = [due, ...lookups.flatMap(({ bucket, values }) => [bucket.entries[0], ...values])].join('\0')
  if (hasFailedBefore(lane, request)) return false
  const isFound = search(lane, lookups, due)
  if (isFound) lane.failedSearches.requests.clear()
  else noteFailed(lane, request)
  return isFound
}

/** A client that polls asks again and again; while nothing is bound or served, a search that failed fails again. */
function hasFailedBefore({ failedSearches, ...lane }: Lane, request: string): boolean {
  return failedSearches.at === momentOf(lane) && failedSearches.requests.has(request)
}

function noteFailed({ failedSearches, ...lane }: Lane, request: string): void {
  const now = momentOf(lane)
  if (failedSearches.at !== now) failedSearches.requests.clear()
  failedSearches.at = now
  failedSearches.requests.add(request)
}

/** Differs when something was bound or served since. */
function momentOf({ state }: Pick<Lane, 'state'>): string {
  return `${state.table.bindings()} ${state.served.size}`
}

function search(lane: Lane, lookups: readonly Lookup[], due: boolean): boolean {
  const attempt: Attempt = { lane, done: [], asked: new Set(), left: TRIES }
  for (const lookup of lookups) {
    for (const entry of considered(lane, lookup)) {
      if (attempt.left <= 0) return false
      attempt.asked.clear()
      if (makeFit(attempt, entry, lookup) && (!due || hasItsTurn(lane, entry))) {
        for (const swap of attempt.done) lane.timeline.swap(instantPairs(swap))
        return true
      }
      undo(attempt, 0)
    }
  }
  return false
}

/** What was not served comes first; what was served is there as well, since its client may be given another. */
function considered({ state }: Lane, { bucket }: Lookup): readonly Indexed[] {
  const head = state.heads.get(bucket.entries) ?? 0
  const ahead = bucket.entries.slice(head, head + CONSIDERED)
  const behind = bucket.entries.slice(Math.max(0, head - CONSIDERED), head)
  const all = [...ahead, ...behind].flatMap((position) => state.index.entries.get(position) ?? [])
  const isOpen = ({ position, safe }: Indexed) => safe || !state.served.has(position)
  return [...all.filter(isOpen), ...all.filter((entry) => !isOpen(entry))]
}

/** Makes the live values of the request stand for those of the entry, by swaps. False when they cannot. */
function makeFit(attempt: Attempt, entry: Indexed, lookup: Lookup): boolean {
  const { state } = attempt.lane
  for (const [i, { type, madeBy }] of entry.layout.holes.entries()) {
    const recorded = entry.values[i] ?? ''
    const value = lookup.values[i] ?? ''
    const has = state.table.recordedOf(type, value) ?? (madeBy === 'server' ? value : undefined)
    if (has === recorded) continue
    // An identifier that no recording knows stands for nothing, and no swap changes that.
    if (has !== undefined && !state.index.byValue.get(type)?.has(has)) return false
    const isTaken = state.table.liveOf(type, recorded) !== undefined
    if (has === undefined) {
      if (isTaken && !freeUp(attempt, type, recorded, MOVES)) return false
      continue
    }
    // Either the two are swapped, or whoever has the wanted one is given another first.
    const wanted = { type, has, wants: recorded }
    const isDone =
      trySwap(attempt, wanted) ||
      (isTaken && freeUp(attempt, type, recorded, MOVES) && trySwap(attempt, wanted))
    if (!isDone) return false
  }
  if (!entry.safe && state.served.has(entry.position)) return false
  return fits(state, entry, lookup, needsOf(state, lookup))
}

function hasItsTurn({ view }: Lane, entry: Indexed): boolean {
  return !isSuperseded(entry, view) && missingDependency(entry, view) === undefined
}

/** Gives whoever stands for a recorded value another one like it, so that the value is free. */
function freeUp(attempt: Attempt, type: string, recorded: string, moves: number): boolean {
  const { state } = attempt.lane
  const id = `${type}\0${recorded}`
  if (attempt.left <= 0 || attempt.asked.has(id)) return false
  attempt.asked.add(id)
  const others = likeValues(attempt.lane, type, recorded)
  for (const wants of others) {
    if (attempt.left <= 0) return false
    if (state.table.liveOf(type, wants) !== undefined) continue
    if (trySwap(attempt, { type, has: recorded, wants })) return true
  }
  if (moves === 0) return false
  for (const wants of others) {
    if (attempt.left <= 0) return false
    if (state.table.liveOf(type, wants) === undefined) continue
    const mark = attempt.done.length
    if (freeUp(attempt, type, wants, moves - 1) && trySwap(attempt, { type, has: recorded, wants }))
      return true
    undo(attempt, mark)
  }
  return false
}

function trySwap(attempt: Attempt, wanted: WantedPair): boolean {
  if (attempt.left-- <= 0) return false
  const { state, view } = attempt.lane
  const swap = planSwap(state, wanted, (a, b) => replyShape(a) === replyShape(b))
  if (!swap) return false
  applySwap(state, view, swap)
  attempt.done.push(swap)
  return true
}

/** Takes back what was done since `mark`, the last first. */
function undo({ lane, done }: Attempt, mark: number): void {
  for (const swap of done.splice(mark).reverse()) applySwap(lane.state, lane.view, swap)
}

/** Recorded values that stand where this one stands, in entries with the same key as one that was served with it. */
function likeValues({ state }: Lane, type: string, recorded: string): readonly string[] {
  const found = new Set<string>()
  // Every served entry of a story needs a twin, so the candidates of one of them are all there can be.
  const served = state.index.byValue
    .get(type)
    ?.get(recorded)
    ?.find((position) => state.served.has(position))
  const entry = served === undefined ? undefined : state.index.entries.get(served)
  if (!entry) return []
  const { kinds } = entry.shape
  const at = entry.interaction.bindings.findIndex(
    ({ value }, i) => value === recorded && kinds[i]?.type === type,
  )
  const { entries } = entry.bucket
  const head = state.heads.get(entries) ?? 0
  const note = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      const like = state.index.entries.get(entries[i] ?? -1)
      const value = like?.interaction.bindings[at]?.value
      if (value !== undefined && value !== recorded && like?.shape.kinds[at]?.type === type) found.add(value)
    }
  }
  note(head, Math.min(entries.length, head + CONSIDERED))
  note(Math.max(0, head - CONSIDERED), head)
  return [...found]
}

/** The instants of the two stories, each pair once: an account shows the same one in every answer. */
function instantPairs({ entries }: Swap): Iterable<readonly [number, number]> {
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
