import { append } from '../../map-entries.ts'
import type { CapturedReply, Interaction } from '../interaction.ts'
import { createBindingTable } from './binding-table.ts'
import type { Entry } from './entry.ts'
import { createIndex, type Index } from './entry-index.ts'
import type { LaneState } from './lookup.ts'
import type { OrderView } from './order.ts'
import { createTimeline, type Timeline, type TimeMode } from './timeline.ts'

/** An answer that was given under an Idempotency-Key. */
export type StoredReply = {
  readonly fingerprint: string
  readonly interaction: Interaction
  readonly reply: CapturedReply
}

export type Lane = {
  readonly name: string
  readonly state: LaneState
  readonly view: OrderView
  readonly timeline: Timeline
  readonly stored: Map<string, StoredReply>
  /** Requests that no reassignment has helped; true as long as nothing is bound or served. */
  readonly failedSearches: { at: string; readonly requests: Set<string> }
}

export type Lanes = {
  readonly of: (name: string) => Lane
  readonly recorded: ReadonlyMap<string, readonly Entry[]>
  readonly indexOf: (recordedLane: string) => Index | undefined
  readonly all: () => Iterable<Lane>
}

/**
 * A live lane with a recorded name is that client and sees only its own entries. Any other name is a client of
 * whom the recording knows nothing (another client id, a worker of a parallel run): it starts at the beginning of
 * the whole tape, with bindings and an order of its own.
 */
export function createTapeLanes(entries: readonly Entry[], strict: boolean, time: TimeMode): Lanes {
  const recorded = new Map<string, Entry[]>()
  for (const entry of entries) append(recorded, entry.interaction.lane, entry)
  const indexes = new Map<string, Index>()
  // A lane is indexed when somebody is in it: most runs of a tape with many are in few.
  const indexOf = (name: string): Index | undefined => {
    const list = recorded.get(name)
    const index = indexes.get(name) ?? (list && createIndex(list))
    if (index) indexes.set(name, index)
    return index
  }
  let whole: Index | undefined
  const wholeTape = (): Index => {
    // One recorded lane is the whole tape.
    const [only] = recorded.size === 1 ? recorded.keys() : []
    whole ??= (only === undefined ? undefined : indexOf(only)) ?? createIndex(entries)
    return whole
  }
  const lanes = new Map<string, Lane>()
  const made = new Set<string>()
  return {
    recorded,
    indexOf,
    all: () => lanes.values(),
    of: (name) => {
      const known = lanes.get(name)
      if (known) return known
      const index = indexOf(name) ?? wholeTape()
      const lane = createLane(name, { index, strict, made }, createTimeline(time))
      lanes.set(name, lane)
      return lane
    },
  }
}

function createLane(
  name: string,
  { index, strict, made }: Pick<LaneState, 'index' | 'strict' | 'made'>,
  timeline: Timeline,
): Lane {
  const table = createBindingTable()
  const served = new Map<number, number>()
  const progress = new Map()
  const state: LaneState = { index, table, served, made, progress, heads: new Map(), strict, probes: 0 }
  const view: OrderView = {
    entryAt: (position) => index.entries.get(position),
    isServed: (position) => served.has(position),
    progress,
  }
  return { name, state, view, timeline, stored: new Map(), failedSearches: { at: '', requests: new Set() } }
}
