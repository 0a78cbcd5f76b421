import type { CapturedRequest, Interaction } from '../interaction.ts'
import type { MatchProfile } from '../match-profile.ts'
import type { Callers } from '../matching/callers.ts'
import { type Chosen, chooseEntry } from '../matching/choice.ts'
import { isOfToken, isStored, refusalCode } from '../matching/edge-answers.ts'
import { comparedFacts, unread } from '../matching/entry.ts'
import type { Indexed } from '../matching/entry-index.ts'
import type { Lane, Lanes } from '../matching/lanes.ts'
import { type LiveFacts, type Lookup, type LookupContext, lookUp } from '../matching/lookup.ts'
import { ANYBODY, type CallerFacts, cookiesAmong, tokenFactOf } from '../message/caller-facts.ts'
import { readRedacted, readRequest, withoutIdleHeaders } from '../message/request-facts.ts'
import { reportMiss } from '../miss/explain.ts'
import { shownPath } from '../miss/mask.ts'
import type { MissReport } from '../miss/report.ts'
import { unusedInteraction } from './ledger.ts'
import type { LiveRequest, TapeHit } from './live-request.ts'
import type { LoadedTape } from './recorded.ts'
import { bindValues, chooseOrReassign, serve, showAgain } from './serve.ts'
import { keyedRequest, repeatedReply, storeAnswer } from './stored-answers.ts'
import { noteRefused, type Usage } from './usage.ts'

export type TapeMatch =
  | TapeHit
  /** The refusal of the edge stands; for a request that it accepts: the Idempotency-Key belongs to another one of this run. */
  | { readonly kind: 'refused'; readonly twin?: Interaction }
  | { readonly kind: 'miss'; readonly report: MissReport }

/** What the answers of one tape are made from. */
export type MatchParts = {
  readonly loaded: LoadedTape
  readonly lanes: Lanes
  readonly usage: Usage
  readonly context: LookupContext
  readonly profile: MatchProfile
  readonly callers: Callers
  /** Of what was recorded without a reply, for the misses that it makes. */
  readonly unanswered: Lanes
  /** The headers that have chosen a recorded answer, lower case. */
  readonly choosing: ReadonlySet<string>
  readonly prepare: ((request: CapturedRequest) => CapturedRequest) | undefined
}

const REFUSED: TapeMatch = { kind: 'refused' }
const KEY_REUSED = 'IDEMPOTENCY_KEY_REUSED'

/**
 * With what the edge refuses a request. `isOurs`: it is a rule of this gateway, so that the refusal stands where nothing
 * was recorded; else it only knows nothing of what was asked, and the request misses.
 */
export type EdgeRefusal = { readonly code: string; readonly isOurs: boolean }

export function createMatching(parts: MatchParts): (live: LiveRequest, refusal?: EdgeRefusal) => TapeMatch {
  const { lanes, usage, context, profile, unanswered } = parts

  return (live, refusal) => {
    const lane = lanes.of(live.lane)
    const facts = readLive(parts, live)
    const lookups = lookUpAll(parts, lane, facts)
    const missed = (): TapeMatch => {
      usage.counts.missed++
      const report = reportMiss({ lane, lanes, live: facts, lookups, context, profile, unanswered })
      usage.misses.push(report)
      return { kind: 'miss', report }
    }
    if (refusal) {
      const overruled = overrule(parts, lane, live, lookups, refusal.code)
      if (overruled) return overruled
      if (!refusal.isOurs) return missed()
      noteStanding(usage, live, facts, refusal.code)
      return REFUSED
    }
    const keyed = keyedRequest(live.request, facts.raw)
    const stored = keyed && lane.stored.get(keyed.key)
    if (keyed && stored) {
      // What was recorded under this key after its answer had been kept comes in its turn.
      const due = chooseEntry(lane, lookups, (entry) => entry.repeatsKey || !isStored(entry.interaction))
      const isReused = stored.fingerprint !== keyed.fingerprint
      if (due?.rank === 'due' && !isReused) return serve(lane, live, due, usage)
      if (isReused) {
        const overruled = overrule(parts, lane, live, lookups, KEY_REUSED)
        if (!overruled) noteStanding(usage, live, facts, KEY_REUSED)
        return overruled ?? REFUSED
      }
      usage.counts.repeated++
      return { kind: 'hit', interaction: stored.interaction, reply: repeatedReply(stored), use: 'replayed' }
    }
    const chosen = chooseOrReassign(lane, lookups)
    if (chosen) {
      const hit = serve(lane, live, chosen, usage)
      // Of a path that the interface does not know, this version has no opinion.
      const { refusal: isRefused, interaction } = chosen.entry
      if (isRefused && refusalCode(interaction) !== 'NOT_FOUND') noteOverruled(usage, chosen.entry, undefined)
      if (keyed) storeAnswer(lane, keyed, hit.interaction, hit.reply)
      return hit
    }
    const asGet = headAsGet(parts, lane, live, facts)
    if (asGet) return asGet
    return missed()
  }
}

/** A live request, taken apart. */
export function readLive(
  { prepare, callers, choosing }: Pick<MatchParts, 'prepare' | 'callers' | 'choosing'>,
  { request, operation, caller }: LiveRequest,
): LiveFacts {
  const raw = comparedFacts(readRequest(request, caller ?? callerOf(request, callers)), operation)
  const prepared = prepare ? prepare(withoutIdleHeaders(request, choosing)) : request
  return {
    operation,
    raw,
    prepared: readRedacted(prepared, request, raw),
    headers: prepared.headers,
    bodyLength: request.body.length,
  }
}

/** What the headers say of a caller whom nobody has judged. */
function callerOf(request: CapturedRequest, { cookies }: Callers): CallerFacts {
  const token = tokenFactOf(request.headers, (value) => ({ kind: 'unknown', value, isRefused: false }))
  return {
    ...ANYBODY,
    token,
    cookies: cookiesAmong(request.headers, cookies),
  }
}

/** Also as the recording has it where nobody had read the body. */
export function lookUpAll({ context }: MatchParts, lane: Lane, facts: LiveFacts): readonly Lookup[] {
  const found = lookUp(lane.state, facts, context)
  const { body } = facts.raw
  if (body.kind === 'none' || !lane.state.index.hasUnread) return found
  const announced = [String(facts.bodyLength), 'chunked']
  const more = announced.flatMap((length) => {
    const prepared = { ...facts.prepared, ...unread(length) }
    return lookUp(lane.state, { ...facts, prepared }, context)
  })
  return [...found, ...more]
}

/**
 * What the recording says of a request that the edge refuses. A recorded refusal with the same code is used up, and
 * the edge gives its own; one in other words is served. So is what the sandbox accepted of exactly these facts, save
 * that nothing speaks for a token that is not good. Undefined when nothing like it was recorded.
 */
function overrule(
  { usage }: MatchParts,
  lane: Lane,
  live: LiveRequest,
  lookups: readonly Lookup[],
  code: string,
): TapeMatch | undefined {
  const chosen = isOfToken(code) ? chooseEntry(lane, lookups, isRefusing) : chooseOrReassign(lane, lookups)
  if (!chosen) return undefined
  const { interaction } = chosen.entry
  if (refusalCode(interaction) === code) {
    takeLive(lane, chosen, usage)
    return { kind: 'refused', twin: interaction }
  }
  if (interaction.reply && interaction.reply.status < 400 && !isPreflight(interaction))
    noteOverruled(usage, chosen.entry, code)
  return serve(lane, live, chosen, usage)
}

function noteStanding(
  usage: Usage,
  { request, operation, lane }: LiveRequest,
  { prepared }: LiveFacts,
  code: string,
): void {
  const path = shownPath(prepared.segments)
  noteRefused(usage, { code, method: request.method, operation: operation ?? path, lane })
}

/** A refusal, or another answer that has nothing in it. */
function isRefusing({ interaction, refusal }: Indexed): boolean {
  const { status = 0 } = interaction.reply ?? {}
  return refusal || status === 401 || status === 403 || status === 429 || status >= 500
}

/** A browser asks before it sends; the interface has no such method, and every answer to it is the recording's. */
function isPreflight({ request }: Interaction): boolean {
  return request.method === 'OPTIONS'
}

/** Uses an entry up whose answer the gateway gives by itself. */
export function takeLive(lane: Lane, chosen: Chosen, usage: Usage): void {
  const { position } = chosen.entry
  bindValues(lane, chosen)
  const times = lane.state.served.get(position) ?? 0
  lane.state.served.set(position, times + 1)
  if (times > 0) usage.counts.repeated++
  usage.live.add(position)
}

export function noteOverruled({ overruled }: Usage, entry: Indexed, code: string | undefined): void {
  const { position, cassette, interaction } = entry
  overruled.set(`${position} ${code}`, {
    ...unusedInteraction(cassette.file ?? 'cassette', interaction),
    code,
  })
}

/** A HEAD that was not recorded shows what GET would get at this moment, and leaves that GET its turn. */
function headAsGet(parts: MatchParts, lane: Lane, live: LiveRequest, facts: LiveFacts): TapeHit | undefined {
  if (facts.raw.method !== 'HEAD') return undefined
  const raw = { ...facts.raw, method: 'GET' }
  const prepared = { ...facts.prepared, method: 'GET' }
  const chosen = chooseEntry(lane, lookUp(lane.state, { ...facts, raw, prepared }, parts.context))
  return chosen && showAgain(lane, live, chosen.entry, parts.usage)
}
