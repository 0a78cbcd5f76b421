import { headerOf } from '../../http/header-lines.ts'
import { type Chosen, chooseEntry } from '../matching/choice.ts'
import type { Entry } from '../matching/entry.ts'
import type { Indexed } from '../matching/entry-index.ts'
import type { Lane } from '../matching/lanes.ts'
import { type Lookup, madeName } from '../matching/lookup.ts'
import { noteServed } from '../matching/order.ts'
import { isMaking, isReference } from '../matching/references.ts'
import { movedUrl } from '../message/urls.ts'
import { unusedInteraction } from './ledger.ts'
import type { LiveRequest, TapeHit } from './live-request.ts'
import { reassign } from './reassign.ts'
import { renderReply } from './render.ts'
import type { Usage } from './usage.ts'

/**
 * The entry that answers a request, after a reassignment of the lane's recorded stories if need be. An answer from
 * before something that this client has done already is the last resort: it most likely belongs to another story.
 */
export function chooseOrReassign(lane: Lane, lookups: readonly Lookup[]): Chosen | undefined {
  const chosen = chooseEntry(lane, lookups)
  if (chosen && chosen.rank !== 'late') return chosen
  const isHelped = reassign(lane, lookups, true) || (!chosen && reassign(lane, lookups, false))
  return (isHelped ? chooseEntry(lane, lookups) : undefined) ?? chosen
}

/** Answers with an entry, which is served from now on. */
export function serve(lane: Lane, live: LiveRequest, chosen: Chosen, usage: Usage): TapeHit {
  const { state, view } = lane
  const { entry, rank } = chosen
  bindValues(lane, chosen)
  const times = state.served.get(entry.position) ?? 0
  state.served.set(entry.position, times + 1)
  if (times > 0) return showAgain(lane, live, entry, usage)
  noteServed(entry, view)
  if (rank === 'late' && entry.safe)
    usage.late.set(entry.position, unusedInteraction(entry.cassette.file ?? 'cassette', entry.interaction))
  if (isMaking(entry.interaction)) noteMade(lane, chosen)
  usage.counts.served++
  return { kind: 'hit', interaction: entry.interaction, reply: render(lane, live, entry), use: 'served' }
}

/** What a request that has made something has named is there from now on, for every client of the run. */
function noteMade({ state }: Lane, { entry, values }: Chosen): void {
  for (const [i, { type }] of entry.layout.holes.entries())
    if (isReference(type)) state.made.add(madeName(type, values[i] ?? ''))
}

/** Answers with an entry that is found by something else than its values. */
export function showUnbound(lane: Lane, live: LiveRequest, entry: Entry): TapeHit {
  return { kind: 'hit', interaction: entry.interaction, reply: render(lane, live, entry), use: 'served' }
}

/** Answers with an entry without using it up. */
export function showAgain(lane: Lane, live: LiveRequest, entry: Indexed, usage: Usage): TapeHit {
  usage.counts.repeated++
  return { kind: 'hit', interaction: entry.interaction, reply: render(lane, live, entry), use: 'repeated' }
}

function render({ state, timeline }: Lane, live: LiveRequest, entry: Entry) {
  const { now, requestId, origin } = live
  const { startedAt } = entry.interaction
  return renderReply(entry, {
    table: state.table,
    instants: timeline.instants(startedAt, now),
    moment: timeline.moment(startedAt, now),
    requestId,
    origin,
    asker: askerOf(live, entry),
  })
}

/** The Origin of the live request as its client has sent it: ours has become the recorded one, to be compared. */
function askerOf({ request, origin }: LiveRequest, { cassette }: Entry): string | undefined {
  const asker = headerOf(request.headers, 'origin')
  if (asker === undefined || origin === undefined) return asker
  return movedUrl(asker, { from: cassette.origin, to: origin }) ?? asker
}

/** From here on these live values stand for the recorded ones, and what the reply gives out is known. */
export function bindValues({ state: { table } }: Lane, { entry, values }: Chosen): void {
  for (const [i, { type }] of entry.layout.holes.entries())
    table.bind(type, entry.values[i] ?? '', values[i] ?? '')
  for (const [i, { type, field, madeBy, personal }] of entry.shape.kinds.entries()) {
    // A stand-in that only the reply shows stays free: its person may still come, under the real value.
    if (madeBy !== 'server' || personal || field === 'requestId') continue
    const value = entry.interaction.bindings[i]?.value ?? ''
    table.bind(type, value, table.nameFor(type, value))
  }
}
