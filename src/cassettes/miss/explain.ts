import { groupKey } from '../matching/entry.ts'
import type { Indexed } from '../matching/entry-index.ts'
import { fits, lookUp, needsOf } from '../matching/lookup.ts'
import { type RequestFacts, readRequest } from '../message/request-facts.ts'
import { closestEntries } from './closest.ts'
import type { MissContext } from './context.ts'
import { shownFields, shownPath } from './mask.ts'
import { laneReason, reasonsOf, recordAgain, unansweredReason } from './reasons.ts'
import type { ClosestInteraction, MissReason, MissReport, MissStage } from './report.ts'

const CLOSEST = 3
/** How many entries with the request's key are counted; a report says "at least" beyond it. */
const COUNTED = 1000

/** Explains a miss, by a bounded number of comparisons, whatever the tape holds. */
export function reportMiss(miss: MissContext): MissReport {
  const { lane, live, profile } = miss
  const elsewhere = inOtherLanes(miss)
  const here = closestEntries(miss).map((entry) => ({ entry, reasons: reasonsOf(entry, miss) }))
  // A sort keeps the recorded order among equals.
  here.sort((a, b) => weight(a.reasons) - weight(b.reasons))
  const closest = [...withoutReply(miss), ...elsewhere, ...here].slice(0, CLOSEST)
  return {
    request: {
      method: live.prepared.method,
      target: targetOf(live.prepared),
      operation: live.operation ?? '(none)',
      lane: lane.name,
    },
    profile,
    stages: stagesOf(miss),
    closest: closest.map(({ entry, reasons }) => describe(entry, reasons)),
    record: recordCommand(miss),
  }
}

function describe({ cassette, interaction }: Indexed, reasons: readonly MissReason[]): ClosestInteraction {
  return {
    file: cassette.file ?? 'cassette',
    entry: interaction.sequence,
    method: interaction.request.method,
    target: targetOf(readRequest(interaction.request)),
    operation: interaction.operation ?? '(none)',
    lane: interaction.lane,
    reasons,
  }
}

/** What adds to the cassette that the client is in, or to the first. */
function recordCommand({ lane, lanes }: MissContext): string {
  const ofLane = lanes.recorded.get(lane.name) ?? [...lanes.recorded.values()][0]
  const cassette = ofLane?.[0]?.cassette
  return cassette
    ? recordAgain(cassette, 'new_episodes')
    : 'sandgate record --upstream URL --out FILE.har --mode all'
}

/** The same request, recorded without a reply; of this lane, else of any. */
function withoutReply({
  lane,
  live,
  context,
  unanswered,
}: MissContext): { entry: Indexed; reasons: MissReason[] }[] {
  for (const name of new Set([lane.name, ...unanswered.recorded.keys()])) {
    const index = unanswered.indexOf(name)
    const [lookup] = index ? lookUp({ ...lane.state, index }, live, context) : []
    const entry = lookup && index?.entries.get(lookup.bucket.entries[0] ?? -1)
    if (entry) return [{ entry, reasons: [unansweredReason(entry)] }]
  }
  return []
}

/** In how many other lanes the request is looked up. */
const SEARCHED_LANES = 256

/** An interaction that answers the request, but to another client. */
function inOtherLanes({
  lane,
  lanes,
  live,
  context,
}: MissContext): { entry: Indexed; reasons: MissReason[] }[] {
  if (!lanes.recorded.has(lane.name)) return []
  const found: { entry: Indexed; reasons: MissReason[] }[] = []
  let left = SEARCHED_LANES
  for (const name of lanes.recorded.keys()) {
    if (left-- === 0) break
    const index = lanes.indexOf(name)
    if (name === lane.name || !index) continue
    const [lookup] = lookUp({ ...lane.state, index }, live, context)
    const entry = lookup && index.entries.get(lookup.bucket.entries[0] ?? -1)
    if (entry) found.push({ entry, reasons: [laneReason(name, lane.name)] })
    if (found.length === CLOSEST) break
  }
  return found
}

function stagesOf({ lane, lanes, live, lookups }: MissContext): readonly MissStage[] {
  const { state, view } = lane
  let loaded = 0
  for (const entries of lanes.recorded.values()) loaded += entries.length
  const group = state.index.groups.get(groupKey(live.prepared, live.operation))
  let keyed = 0
  let examined = 0
  let fitting = 0
  let open = 0
  for (const lookup of lookups) {
    keyed += lookup.bucket.entries.length
    const needs = needsOf(state, lookup)
    for (const position of lookup.bucket.entries) {
      if (++examined > COUNTED) break
      const entry = state.index.entries.get(position)
      if (!entry || !fits(state, entry, lookup, needs)) continue
      fitting++
      if (entry.safe || !view.isServed(position)) open++
    }
  }
  const atLeast = examined > COUNTED ? ({ atLeast: true } as const) : {}
  return [
    { stage: 'loaded', left: loaded },
    { stage: 'lane', left: state.index.entries.size },
    { stage: 'operation', left: group?.entries.length ?? 0 },
    { stage: 'key', left: keyed },
    { stage: 'bindings', left: fitting, ...atLeast },
    { stage: 'order', left: state.strict ? 0 : open, ...atLeast },
  ]
}

/** How far an interaction is from the request: an exhausted twin is closer than another amount. */
function weight(reasons: readonly MissReason[]): number {
  let sum = 0
  for (const { kind } of reasons) {
    sum +=
      kind === 'exhausted' || kind === 'order' || kind === 'profile' ? 0.25 : kind === 'binding' ? 0.75 : 1
  }
  return sum
}

function targetOf(facts: RequestFacts): string {
  const query = shownFields(facts.query)
  return `${shownPath(facts.segments)}${query === '' ? '' : `?${query}`}`
}
