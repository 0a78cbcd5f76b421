import { getOrMake } from '../../map-entries.ts'
import { type ClassOptions, createClassOf } from '../bindings/outcome-class.ts'
import type { CapturedRequest, Cassette, Interaction, MatchProfile } from '../interaction.ts'
import { chooseEntry } from '../matching/choice.ts'
import { isStored, scopesOf } from '../matching/edge-answers.ts'
import { createKeyOf } from '../matching/entry.ts'
import { createTapeLanes, type Lane, type Lanes } from '../matching/lanes.ts'
import { type LiveFacts, type LookupContext, lookUp } from '../matching/lookup.ts'
import { createShapes } from '../matching/shape.ts'
import type { TimeMode } from '../matching/timeline.ts'
import { varyNames } from '../message/choosing.ts'
import { readRedacted, readRequest, withoutIdleHeaders } from '../message/request-facts.ts'
import { reportMiss } from '../miss/explain.ts'
import type { MissReport } from '../miss/report.ts'
import { type Continuation, continuationOf } from './continuation.ts'
import type { Ledger } from './ledger.ts'
import type { LiveRequest, TapeHit } from './live-request.ts'
import { type LoadedTape, loadTape, refusalName } from './recorded.ts'
import { bindValues, chooseOrReassign, serve, showAgain } from './serve.ts'
import { keyedRequest, repeatedReply, storeAnswer } from './stored-answers.ts'
import { createUsage, ledgerOf, type Usage } from './usage.ts'

export type TapeOptions = ClassOptions & {
  /** By default `strict` when one of the cassettes says so. */
  readonly profile?: MatchProfile
  readonly time?: TimeMode
  /** The redaction of the recording, for a live request: what is compared is compared redacted. */
  readonly prepare?: (request: CapturedRequest) => CapturedRequest
  /** The keyed digest of a value under a redaction rule, when the key of the recording is at hand. */
  readonly digest?: (rule: string, value: string) => string
  /** Whether the gateway has this answer by itself whatever was recorded, as it has its own documents. */
  readonly isLive?: (interaction: Interaction) => boolean
}

export type TapeAnswer =
  | TapeHit
  /** The Idempotency-Key belongs to another request of this run. */
  | { readonly kind: 'reused' }

export type TapeMatch = TapeAnswer | { readonly kind: 'miss'; readonly report: MissReport }

export type TokenGrant =
  | { readonly kind: 'refused'; readonly hit: TapeHit }
  /** Grant a live token. `scopes` are the recorded ones; undefined when the tape has none to go by. */
  | { readonly kind: 'granted'; readonly scopes: readonly string[] | undefined; readonly isRecorded: boolean }

export type Tape = {
  readonly match: (live: LiveRequest) => TapeMatch
  /** The same where nothing is missed: the gateway has an answer of its own. */
  readonly find: (live: LiveRequest) => TapeAnswer | undefined
  /** A refusal that the gateway has judged live: the recorded one with its code counts as used. */
  readonly refusal: (live: LiveRequest, code: string) => Interaction | undefined
  readonly grant: (live: LiveRequest) => TokenGrant
  /** A request that missed was passed on after all. */
  readonly forwarded: () => void
  /** How the clients of this run stand to the recording, for a recording that goes on with it. */
  readonly continuations: () => readonly Continuation[]
  readonly ledger: () => Ledger
  readonly misses: () => readonly MissReport[]
  /** Look-ups and entries examined so far, over all lanes. */
  readonly probes: () => number
}

/** One run of a tape. */
type Run = {
  readonly loaded: LoadedTape
  readonly lanes: Lanes
  /** Of what was recorded without a reply, for the misses that it makes. */
  readonly unanswered: Lanes
  readonly usage: Usage
  readonly context: LookupContext
  readonly profile: MatchProfile
  readonly read: (live: LiveRequest) => LiveFacts
}

/** Loads cassettes for replay. Matching is synchronous: two requests at once are two requests one after the other. */
export function createTape(cassettes: readonly Cassette[], options: TapeOptions): Tape {
  const { digest, time = 'shift', isLive = () => false } = options
  const classOf = createClassOf(options)
  const profile = options.profile ?? profileOf(cassettes)
  const texts = new Map<string, string>()
  const loaded = loadTape(cassettes, isLive, {
    shapeOf: createShapes(digest !== undefined),
    shared: (text) => getOrMake(texts, text, () => text),
  })
  const lanes = createTapeLanes(loaded.entries, createKeyOf(classOf), profile === 'strict', time)
  const unanswered = createTapeLanes(loaded.unanswered, createKeyOf(classOf), false, time)
  const usage = createUsage()
  const run: Run = {
    loaded,
    lanes,
    unanswered,
    usage,
    context: { classOf, digest },
    profile,
    read: reader(options, cassettes),
  }
  return {
    match: (live) => match(run, live),
    find: (live) => find(run, live, asked(run, live)),
    grant: (live) => grant(run, live),
    refusal: (live, code) => takeRefusal(run, live, code),
    forwarded: () => {
      usage.counts.missed--
      usage.counts.forwarded++
    },
    continuations: () => [...lanes.all()].map((lane) => continuationOf(lane, [...lanes.recorded.keys()])),
    ledger: () =>
      ledgerOf(
        loaded,
        usage,
        [...lanes.all()].map(({ state }) => state.served.keys()),
      ),
    misses: () => usage.misses,
    probes: () => [...lanes.all()].reduce((sum, { state }) => sum + state.probes, 0),
  }
}

function reader({ prepare }: TapeOptions, cassettes: readonly Cassette[]): Run['read'] {
  const choosing = choosingNames(cassettes)
  return ({ request, operation }) => {
    const raw = readRequest(request)
    const prepared = prepare ? prepare(withoutIdleHeaders(request, choosing)) : request
    return { operation, raw, prepared: readRedacted(prepared, request, raw), headers: prepared.headers }
  }
}

/** A request as the tape reads it. */
type Asked = { readonly lane: Lane; readonly facts: LiveFacts; readonly lookups: ReturnType<typeof lookUp> }

function asked({ lanes, read, context }: Run, live: LiveRequest): Asked {
  const lane = lanes.of(live.lane)
  const facts = read(live)
  return { lane, facts, lookups: lookUp(lane.state, facts, context) }
}

function match(run: Run, live: LiveRequest): TapeMatch {
  const { lanes, usage, context, profile, unanswered } = run
  const request = asked(run, live)
  const answer = find(run, live, request)
  if (answer) return answer
  usage.counts.missed++
  const { lane, facts, lookups } = request
  const report = reportMiss({ lane, lanes, live: facts, lookups, context, profile, unanswered })
  usage.misses.push(report)
  return { kind: 'miss', report }
}

function find(
  { usage, context }: Run,
  live: LiveRequest,
  { lane, facts, lookups }: Asked,
): TapeAnswer | undefined {
  const keyed = keyedRequest(live.request, facts.raw)
  const stored = keyed && lane.stored.get(keyed.key)
  if (keyed && stored) {
    // A recorded 409, 429 or 5xx under this key was an answer of its moment: its turn comes before the stored one.
    const due = chooseEntry(lane, lookups, (entry) => !isStored(entry.interaction))
    if (due?.rank === 'due') return serve(lane, live, due, usage)
    if (stored.fingerprint !== keyed.fingerprint) return { kind: 'reused' }
    usage.counts.repeated++
    return { kind: 'hit', interaction: stored.interaction, reply: repeatedReply(stored), use: 'replayed' }
  }
  const chosen = chooseOrReassign(lane, lookups)
  if (chosen) {
    const hit = serve(lane, live, chosen, usage)
    if (keyed) storeAnswer(lane, keyed, hit.interaction, hit.reply)
    return hit
  }
  return headAsGet(lane, live, facts, context, usage)
}

/** A recorded grant is used up, and its scopes are granted again, with a token of this run. */
function grant({ loaded, lanes, usage, context, read }: Run, live: LiveRequest): TokenGrant {
  const lane = lanes.of(live.lane)
  const chosen = chooseEntry(lane, lookUp(lane.state, read(live), context))
  if (!chosen) return { kind: 'granted', scopes: loaded.scopes, isRecorded: false }
  const { interaction, position } = chosen.entry
  if (interaction.reply?.status !== 200) return { kind: 'refused', hit: serve(lane, live, chosen, usage) }
  bindValues(lane, chosen)
  lane.state.served.set(position, 1)
  usage.live.add(position)
  return { kind: 'granted', scopes: scopesOf(interaction), isRecorded: true }
}

/** The headers that have chosen an answer of these cassettes, lower case. */
export function choosingNames(cassettes: readonly Cassette[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { interactions } of cassettes)
    for (const { reply } of interactions) if (reply) for (const name of varyNames(reply)) names.add(name)
  return names
}

function profileOf(cassettes: readonly Cassette[]): MatchProfile {
  return cassettes.some(({ profile }) => profile === 'strict') ? 'strict' : 'contract'
}

/** A HEAD that was not recorded shows what GET would get at this moment, and leaves that GET its turn. */
function headAsGet(
  lane: Lane,
  live: LiveRequest,
  facts: LiveFacts,
  context: LookupContext,
  usage: Usage,
): TapeHit | undefined {
  if (facts.raw.method !== 'HEAD') return undefined
  const raw = { ...facts.raw, method: 'GET' }
  const prepared = { ...facts.prepared, method: 'GET' }
  const chosen = chooseEntry(lane, lookUp(lane.state, { ...facts, raw, prepared }, context))
  return chosen && showAgain(lane, live, chosen.entry, usage)
}

/** Uses up a recorded refusal: of this lane and target if there is one, else of this lane, else of any. */
function takeRefusal({ loaded, usage }: Run, live: LiveRequest, code: string): Interaction | undefined {
  const unused = loaded.refusals.get(refusalName(live.operation, code)) ?? []
  const ofLane = unused.filter(({ interaction }) => interaction.lane === live.lane)
  const ofTarget = ofLane.find(({ interaction }) => interaction.request.target === live.request.target)
  const found = ofTarget ?? ofLane[0] ?? unused[0]
  if (!found) return undefined
  unused.splice(unused.indexOf(found), 1)
  usage.live.add(found.position)
  return found.interaction
}
