import type { Lane } from '../matching/lanes.ts'

/** How one client of a run stands to the recording that it was answered from. */
export type Continuation = {
  readonly lane: string
  /** The recorded lane that it goes on with. */
  readonly as: string
  /** `recorded`: the recorded value (of a redacted one the stand-in) that the live one stands for. */
  readonly bound: readonly { readonly type: string; readonly live: string; readonly recorded: string }[]
}

export function continuationOf(lane: Lane, recordedLanes: readonly string[]): Continuation {
  const bound = [...lane.state.table.all()].map(({ type, ...names }) => ({
    ...names,
    // A type of personal values names its cassette by a number; a run goes on with one cassette, which has no need of it.
    type: type.replace(/@\d+$/, ''),
  }))
  return { lane: lane.name, as: homeOf(lane, recordedLanes), bound }
}

/**
 * A client whose lane was not recorded is answered from the whole tape. What it adds goes into the lane that most of
 * its answers came from: in a lane of its own it would be all that this client finds the next time.
 */
function homeOf({ name, state }: Lane, recordedLanes: readonly string[]): string {
  if (recordedLanes.includes(name)) return name
  const [only, ...others] = recordedLanes
  if (only !== undefined && others.length === 0) return only
  const counts = new Map<string, number>()
  for (const position of state.served.keys()) {
    const lane = state.index.entries.get(position)?.interaction.lane
    if (lane !== undefined) counts.set(lane, (counts.get(lane) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? name
}
