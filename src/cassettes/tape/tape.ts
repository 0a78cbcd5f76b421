import { headerOf } from '../../http/header-lines.ts'
import { type ClassOptions, createClassOf } from '../bindings/outcome-class.ts'
import type { CapturedReply, CapturedRequest, Cassette, Interaction, MatchProfile } from '../interaction.ts'
import { compact } from '../matching/canonical-key.ts'
import { type Chosen, chooseEntry } from '../matching/choice.ts'
import {
  edgeCode,
  isJudgedLive,
  isStored,
  isTokenExchange,
  recordedRetries,
  scopesOf,
} from '../matching/edge-answers.ts'
import { createKeyOf, type Entry, type EntryContext, prepareEntry } from '../matching/entry.ts'
import type { Indexed } from '../matching/entry-index.ts'
import { createLanes, type Lane } from '../matching/lanes.ts'
import { within } from '../matching/lists.ts'
import { type LiveFacts, type Lookup, lookUp } from '../matching/lookup.ts'
import { noteServed } from '../matching/order.ts'
import { createShapes } from '../matching/shape.ts'
import { plainReply } from '../message/encoding.ts'
import type { TimeMode } from '../message/instants.ts'
import { readRedacted, readRequest, withoutIdleHeaders } from '../message/request-facts.ts'
import { reportMiss } from '../miss/explain.ts'
import type { MissReport } from '../miss/report.ts'
import { type Continuation, continuationOf } from './continuation.ts'
import { type Ledger, unusedInteraction } from './ledger.ts'
import { makeRoom } from './reassign.ts'
import { renderReply } from './render.ts'

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
  /** Names of further headers that make a request another one. */
  readonly matchHeaders?: readonly string[]
}

export type LiveRequest = {
  readonly lane: string
  readonly operation: string | undefined
  readonly request: CapturedRequest
  /** Milliseconds since the epoch: what replayed instants are rendered around. */
  readonly now: number
  /** Takes the place of the recorded request id, also in a problem's body. */
  readonly requestId?: string
  /** Scheme, host and port that the client uses: takes the place of the recorded origin in our URLs. */
  readonly origin?: string
}

export type TapeHit = {
  readonly kind: 'hit'
  readonly interaction: Interaction
  readonly reply: CapturedReply
  /** `served`: for the first time. `repeated`: a read that stays on it. `replayed`: under its Idempotency-Key. */
  readonly use: 'served' | 'repeated' | 'replayed'
}

export type TapeMatch =
  | TapeHit
  /** The Idempotency-Key belongs to another request of this run. */
  | { readonly kind: 'reused' }
  | { readonly kind: 'miss'; readonly report: MissReport }

export type TokenExchange =
  | { readonly kind: 'refused'; readonly hit: TapeHit }
  /** Grant a live token. `scopes` are the recorded ones; undefined when the tape has none to go by. */
  | { readonly kind: 'granted'; readonly scopes: readonly string[] | undefined; readonly isRecorded: boolean }

export type Tape = {
  readonly match: (live: LiveRequest) => TapeMatch
  /** A refusal that the gateway has judged live: the recorded one with its code counts as used. */
  readonly refusal: (live: LiveRequest, code: string) => Interaction | undefined
  readonly exchange: (live: LiveRequest) => TokenExchange
  /** A request that missed was passed on after all. */
  readonly forwarded: () => void
  /** How the clients of this run stand to the recording, for a recording that goes on with it. */
  readonly continuations: () => readonly Continuation[]
  readonly ledger: () => Ledger
  readonly misses: () => readonly MissReport[]
  /** Look-ups and entries examined so far, over all lanes. */
  readonly probes: () => number
}

/** Loads cassettes for replay. Matching is synchronous: two requests at once are two requests one after the other. */
export function createTape(cassettes: readonly Cassette[], options: TapeOptions): Tape {
  const { prepare, digest, matchHeaders = [], time = 'shift' } = options
  const classOf = createClassOf(options)
  const optIn = matchHeaders.map((name) => name.toLowerCase())
  const profile =
    options.profile ?? (cassettes.some((each) => each.profile === 'strict') ? 'strict' : 'contract')
  const loaded = load(cassettes, options.isLive, {
    shapeOf: createShapes(digest !== undefined),
    shared: createShared(),
  })
  const lanes = createLanes(loaded.entries, createKeyOf(classOf, optIn), profile === 'strict', time)
  const counts = { served: 0, repeated: 0, missed: 0, forwarded: 0 }
  const judgedLive = new Set<number>()
  const misses: MissReport[] = []

  const read = ({ request, operation }: LiveRequest): LiveFacts => {
    const raw = readRequest(request, optIn)
    const prepared = prepare ? prepare(withoutIdleHeaders(request, optIn)) : request
    return { operation, raw, prepared: readRedacted(prepared, request, raw, optIn) }
  }

  const find = (lane: Lane, lookups: readonly Lookup[]): Chosen | undefined => {
    const chosen = chooseEntry(lane, lookups)
    // An answer from before something that this client has done already is another story's, if there is one.
    if (chosen && chosen.rank !== 'late') return chosen
    const hasRoom = makeRoom(lane, lookups, true) || (!chosen && makeRoom(lane, lookups, false))
    return (hasRoom ? chooseEntry(lane, lookups) : undefined) ?? chosen
  }

  const hitOf = (lane: Lane, live: LiveRequest, entry: Indexed, use: 'served' | 'repeated'): TapeHit => {
    counts[use]++
    const { startedAt } = entry.interaction
    const reply = renderReply(entry, {
      table: lane.state.table,
      instants: lane.timeline.instants(startedAt, live.now),
      moment: lane.timeline.moment(startedAt, live.now),
      requestId: live.requestId,
      origin: live.origin,
    })
    return { kind: 'hit', interaction: entry.interaction, reply, use }
  }

  const serve = (lane: Lane, live: LiveRequest, { entry, values }: Chosen): TapeHit => {
    const { state } = lane
    bindValues(lane, entry, values)
    const times = state.served.get(entry.position) ?? 0
    state.served.set(entry.position, times + 1)
    if (times === 0) noteServed(entry, lane.view)
    return hitOf(lane, live, entry, times === 0 ? 'served' : 'repeated')
  }

  /** A HEAD that was not recorded is about what GET would get at this moment, whose turn that does not take. */
  const head = (lane: Lane, live: LiveRequest, facts: LiveFacts): TapeHit | undefined => {
    if (facts.raw.method !== 'HEAD') return undefined
    const raw = { ...facts.raw, method: 'GET' }
    const prepared = { ...facts.prepared, method: 'GET' }
    const chosen = chooseEntry(lane, lookUp(lane.state, { ...facts, raw, prepared }, { classOf, digest }))
    return chosen && hitOf(lane, live, chosen.entry, 'repeated')
  }

  const match = (live: LiveRequest): TapeMatch => {
    const lane = lanes.of(live.lane)
    const facts = read(live)
    const lookups = lookUp(lane.state, facts, { classOf, digest })
    const key = facts.raw.method === 'POST' ? facts.raw.idempotencyKey : undefined
    const stored = key === undefined ? undefined : lane.stored.get(key)
    const print = key === undefined ? '' : fingerprint(live.request)
    if (stored) {
      // A recorded 409, 429 or 5xx under this key was an answer of its moment: its turn comes before the stored one.
      const due = chooseEntry(lane, lookups, (entry) => !isStored(entry.interaction))
      if (due?.rank === 'due') return serve(lane, live, due)
      if (stored.fingerprint !== print) return { kind: 'reused' }
      counts.repeated++
      const headers = [...stored.reply.headers, ['Idempotency-Replayed', 'true'] as const]
      return {
        kind: 'hit',
        interaction: stored.entry.interaction,
        reply: { ...stored.reply, headers },
        use: 'replayed',
      }
    }
    const chosen = find(lane, lookups)
    if (!chosen) {
      const asGet = head(lane, live, facts)
      if (asGet) return asGet
      counts.missed++
      const report = reportMiss({ lane, lanes, live: facts, lookups, context: { classOf, digest }, profile })
      misses.push(report)
      return { kind: 'miss', report }
    }
    const hit = serve(lane, live, chosen)
    if (key !== undefined && isStored(hit.interaction)) {
      lane.stored.set(key, { fingerprint: print, entry: chosen.entry, reply: hit.reply })
    }
    return hit
  }

  const refusal = (live: LiveRequest, code: string): Interaction | undefined => {
    const unused = loaded.refusals.get(`${live.operation ?? ''} ${code}`) ?? []
    const isOwn = ({ interaction }: Recorded) => interaction.lane === live.lane
    let at = unused.findIndex(
      (each) => isOwn(each) && each.interaction.request.target === live.request.target,
    )
    if (at === -1) at = unused.findIndex(isOwn)
    const [found] = unused.splice(Math.max(at, 0), 1)
    if (found) judgedLive.add(found.position)
    return found?.interaction
  }

  const exchange = (live: LiveRequest): TokenExchange => {
    const lane = lanes.of(live.lane)
    const chosen = chooseEntry(lane, lookUp(lane.state, read(live), { classOf, digest }))
    if (!chosen) return { kind: 'granted', scopes: loaded.scopes, isRecorded: false }
    const { interaction, position } = chosen.entry
    if (interaction.reply?.status !== 200) return { kind: 'refused', hit: serve(lane, live, chosen) }
    bindValues(lane, chosen.entry, chosen.values)
    lane.state.served.set(position, 1)
    judgedLive.add(position)
    return { kind: 'granted', scopes: scopesOf(interaction), isRecorded: true }
  }

  const ledger = (): Ledger => {
    const used = new Set(judgedLive)
    for (const { state } of lanes.all()) for (const position of state.served.keys()) used.add(position)
    const unused = loaded.all.filter(
      ({ position, original, interaction, isOurs }) =>
        interaction.reply !== undefined &&
        !isOurs &&
        !used.has(position) &&
        !(original !== undefined && used.has(original)),
    )
    return {
      ...counts,
      loaded: loaded.all.length,
      live: judgedLive.size,
      unused: unused.map(({ cassette, interaction }) =>
        unusedInteraction(cassette.file ?? 'cassette', interaction),
      ),
    }
  }

  return {
    match,
    refusal,
    exchange,
    forwarded: () => {
      counts.missed--
      counts.forwarded++
    },
    continuations: () => [...lanes.all()].map((lane) => continuationOf(lane, [...lanes.recorded.keys()])),
    ledger,
    misses: () => misses,
    probes: () => [...lanes.all()].reduce((sum, { state }) => sum + state.probes, 0),
  }
}

type Recorded = {
  readonly position: number
  readonly cassette: Cassette
  readonly interaction: Interaction
  /** The gateway has the answer by itself: it is neither served nor unused. */
  readonly isOurs: boolean
  /** For a recorded retry: the position of its original. */
  readonly original: number | undefined
}

function load(cassettes: readonly Cassette[], isLive: TapeOptions['isLive'], context: EntryContext) {
  const all: Recorded[] = []
  const entries: Entry[] = []
  const refusals = new Map<string, Recorded[]>()
  const scopes = new Set<string>()
  for (const [number, cassette] of cassettes.entries()) {
    const interactions = cassette.interactions.map(readable)
    const retries = recordedRetries(interactions)
    const positions = new Map<Interaction, number>()
    for (const interaction of interactions) {
      const position = all.length
      positions.set(interaction, position)
      const original = retries.get(interaction)
      const isOurs = isLive?.(interaction) === true
      const recorded = {
        position,
        cassette,
        interaction,
        isOurs,
        original: original && positions.get(original),
      }
      all.push(recorded)
      if (!interaction.reply || original || isOurs) continue
      if (isJudgedLive(interaction)) {
        const name = `${interaction.operation ?? ''} ${edgeCode(interaction)}`
        const list = refusals.get(name)
        if (list) list.push(recorded)
        else refusals.set(name, [recorded])
        continue
      }
      if (isTokenExchange(interaction)) for (const scope of scopesOf(interaction)) scopes.add(scope)
      entries.push(prepareEntry(position, cassette, number, interaction, context))
    }
  }
  return { all, entries, refusals, scopes: scopes.size === 0 ? undefined : [...scopes] }
}

function createShared(): EntryContext['shared'] {
  const texts = new Map<string, string>()
  return (text) => within(texts, text, () => text)
}

function readable(interaction: Interaction): Interaction {
  const { reply } = interaction
  const plain = reply && plainReply(reply)
  return plain === reply ? interaction : { ...interaction, reply: plain }
}

/** From here on these live values stand for the recorded ones, and what the reply gives out is known. */
function bindValues({ state: { table } }: Lane, entry: Indexed, values: readonly string[]): void {
  for (const [i, { type }] of entry.layout.holes.entries())
    table.bind(type, entry.values[i] ?? '', values[i] ?? '')
  for (const [i, { type, field, madeBy, personal }] of entry.shape.kinds.entries()) {
    // A stand-in that only the reply shows stays free: its person may still come, under the real value.
    if (madeBy !== 'server' || personal || field === 'requestId') continue
    const value = entry.interaction.bindings[i]?.value ?? ''
    table.bind(type, value, table.nameFor(type, value))
  }
}

/** What makes two requests the same request to an Idempotency-Key: every byte of the body. */
function fingerprint(request: CapturedRequest): string {
  const type = headerOf(request.headers, 'content-type') ?? ''
  const outcome = headerOf(request.headers, 'x-sandbox-outcome') ?? ''
  const { buffer, byteOffset, byteLength } = request.body
  const body = Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
  return compact(`${request.method} ${request.target}\n${type}\n${outcome}\n${body}`)
}
