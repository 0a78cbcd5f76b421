import { getOrMake } from '../../map-entries.ts'
import { decidingOf } from '../bindings/deciding.ts'
import { createClassOf } from '../bindings/outcome-class.ts'
import type { CapturedRequest, Cassette, Interaction, PairDigest } from '../interaction.ts'
import type { MatchProfile } from '../match-profile.ts'
import { type Callers, readCallers } from '../matching/callers.ts'
import { createTapeLanes } from '../matching/lanes.ts'
import type { LookupContext } from '../matching/lookup.ts'
import { readReferences } from '../matching/references.ts'
import type { HoleRules } from '../matching/shape.ts'
import { createShapes } from '../matching/shape.ts'
import type { TimeMode } from '../matching/timeline.ts'
import { createTraits } from '../matching/traits.ts'
import { varyNames } from '../message/choosing.ts'
import { comparedTarget } from '../message/target.ts'
import type { MissReport } from '../miss/report.ts'
import { type Continuation, continuationOf } from './continuation.ts'
import { createExchanging, type Exchanged } from './exchange.ts'
import type { Ledger } from './ledger.ts'
import type { LiveRequest } from './live-request.ts'
import { createMatching, type EdgeRefusal, type TapeMatch } from './match.ts'
import { hasUnknownPairs, loadTape } from './recorded.ts'
import { createUsage, ledgerOf, noteRefused, type Usage } from './usage.ts'

export type TapeOptions = {
  /** By default `strict` when one of the cassettes says so. */
  readonly profile?: MatchProfile
  readonly time?: TimeMode
  /** The redaction of the recording, for a live request: what is compared is compared redacted. */
  readonly prepare?: (request: CapturedRequest) => CapturedRequest
  /** The keyed digest of a value under a redaction rule, when the key of the recording is at hand. */
  readonly digest?: (rule: string, value: string) => string
  /** Whether the gateway has this answer by itself whatever was recorded, as it has its own documents. */
  readonly isLive?: (interaction: Interaction) => boolean
  /** What somebody has said to be volatile by hand: it outranks what the recording says of references. */
  readonly volatile?: readonly string[]
  /** Whether this run can tell if a pair of client and secret is one that was refused; by default it cannot. */
  readonly knowsPair?: (pair: PairDigest) => boolean
}

export type Tape = {
  /**
   * The answer to a request, also to one that the edge refuses. The recording may know better: it says what the sandbox
   * did with a request of exactly these facts.
   */
  readonly match: (live: LiveRequest, refusal?: EdgeRefusal) => TapeMatch
  /** A token exchange; see exchange.ts. */
  readonly exchange: (
    live: LiveRequest,
    refusal: string | undefined,
    pairs?: ReadonlySet<string>,
  ) => Exchanged
  /** A refusal that never became a request, such as the parser's. */
  readonly refused: (code: string) => void
  /** Whether something was recorded at a path that the interface does not know. */
  readonly hasRecorded: (path: string) => boolean
  /** Who was recorded. */
  readonly callers: Callers
  /** A request that missed was passed on after all. */
  readonly forwarded: () => void
  /** How the clients of this run stand to the recording, for a recording that goes on with it. */
  readonly continuations: () => readonly Continuation[]
  readonly ledger: () => Ledger
  /** How many interactions were loaded. */
  readonly loaded: number
  readonly misses: () => readonly MissReport[]
  /** Look-ups and entries examined so far, over all lanes. */
  readonly probes: () => number
}

/**
 * Loads cassettes for replay. Matching is synchronous: two requests at once are two requests one after the other.
 *
 * @throws CassetteError when what decides in a cassette is not well-formed.
 */
export function createTape(cassettes: readonly Cassette[], options: TapeOptions = {}): Tape {
  const { prepare, digest, time = 'shift', isLive = () => false, volatile = [] } = options
  const { knowsPair = () => false } = options
  const profile = options.profile ?? profileOf(cassettes)
  const rules = rulesOf(cassettes)
  const texts = new Map<string, string>()
  const callers = readCallers(cassettes)
  const references = readReferences(cassettes, volatile)
  const loaded = loadTape(cassettes, isLive, {
    shapeOf: createShapes(digest !== undefined, rules.ofNumber),
    shared: (text) => getOrMake(texts, text, () => text),
    callers,
    traitsOf: createTraits(callers, references, hasUnknownPairs(cassettes, knowsPair)),
    knowsPair,
  })
  const foreign = new Set(
    loaded.entries
      .filter(({ interaction }) => interaction.operation === undefined)
      .map(({ interaction }) => comparedTarget(interaction.request.target).path),
  )
  const lanes = createTapeLanes(loaded.entries, profile === 'strict', time)
  const unanswered = createTapeLanes(loaded.unanswered, false, time)
  const usage = createUsage()
  const context: LookupContext = { classOf: rules.ofCassette, digest }
  const choosing = choosingNames(cassettes)
  const parts = { lanes, usage, context, profile, prepare, loaded, callers, unanswered, choosing }
  const allLanes = () => [...lanes.all()]

  return {
    match: createMatching(parts),
    exchange: createExchanging(parts),
    refused: (code) => noteRefused(usage, { code, method: '', operation: '(none)', lane: '' }),
    hasRecorded: (path) => foreign.has(path),
    callers,
    forwarded: () => noteForwarded(usage),
    continuations: () => allLanes().map((lane) => continuationOf(lane, [...lanes.recorded.keys()])),
    ledger: () =>
      ledgerOf(
        loaded,
        usage,
        allLanes().map(({ state }) => state.served.keys()),
      ),
    loaded: loaded.all.length,
    misses: () => usage.misses,
    probes: () => allLanes().reduce((sum, { state }) => sum + state.probes, 0),
  }
}

/** The headers that have chosen an answer of these cassettes, lower case. */
export function choosingNames(cassettes: readonly Cassette[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { interactions } of cassettes)
    for (const { reply } of interactions) if (reply) for (const name of varyNames(reply)) names.add(name)
  return names
}

function noteForwarded({ counts }: Usage): void {
  counts.missed--
  counts.forwarded++
}

/** What values decide, by the rules that each cassette was recorded with; equal rules are one. */
function rulesOf(cassettes: readonly Cassette[]) {
  const byText = new Map<string, HoleRules>()
  const ofCassettes = cassettes.map((cassette) => {
    const { rules, scores } = decidingOf(cassette)
    return getOrMake(byText, JSON.stringify([rules, scores]), () => {
      return { rules: byText.size, classOf: createClassOf({ rules, testValues: Object.keys(scores) }) }
    })
  })
  const ofNumber = (number: number): HoleRules => {
    const found = ofCassettes[number]
    if (!found) throw new TypeError('every cassette of a tape has its rules')
    return found
  }
  return { ofNumber, ofCassette: (cassette: Cassette) => ofNumber(cassettes.indexOf(cassette)).classOf }
}

function profileOf(cassettes: readonly Cassette[]): MatchProfile {
  return cassettes.some(({ profile }) => profile === 'strict') ? 'strict' : 'contract'
}
