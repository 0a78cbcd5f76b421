import { headerOf } from '../../http/header-lines.ts'
import { segmentsOf } from '../../http/target.ts'
import { grantsToken } from '../../operations/operations.ts'
import type { CapturedRequest, Cassette, Interaction, PairDigest } from '../interaction.ts'
import type { CallerFacts } from '../message/caller-facts.ts'
import { type Choosing, choosingOf, conditionOf } from '../message/choosing.ts'
import { type RequestFacts, readRequest } from '../message/request-facts.ts'
import { comparedTarget } from '../message/target.ts'
import { storedCoding } from '../redaction/stored-body.ts'
import type { Callers } from './callers.ts'
import { canonicalKey } from './canonical-key.ts'
import { isRefusal, isTokenExchange } from './edge-answers.ts'
import type { Layout } from './layout.ts'
import { familyOf, isSafe } from './resources.ts'
import type { BoundKind, Shape, ShapeOf } from './shape.ts'
import type { TraitsOf } from './traits.ts'

/** A binding of an entry. */
export type Bound = BoundKind & { readonly value: string }

/** An interaction, made ready for matching once per tape. */
export type Entry = {
  /** Its place among all interactions of the tape, in recorded order. */
  readonly position: number
  readonly cassette: Cassette
  readonly cassetteNumber: number
  readonly interaction: Interaction
  readonly shape: Shape
  readonly layout: Layout
  /** The recorded value of each hole of the layout. */
  readonly values: readonly string[]
  readonly group: string
  /** What its path is about. */
  readonly family: string
  /** The client of one recording: only entries of one depend on each other. */
  readonly scope: string
  /** Asking it again changes nothing: a read, a refusal, a token exchange. */
  readonly safe: boolean
  /** The headers that have chosen its answer, and the condition under which it was asked for. */
  readonly choosing: Choosing
  readonly condition: string | undefined
  /** The sandbox has refused the request for what it was. */
  readonly refusal: boolean
  readonly caller: CallerFacts
  /** Of a body that nobody has read: the length by which alone it is known. */
  readonly announced: string | undefined
  /** Its Idempotency-Key had been used before, by something that was kept: only a live key that was used stands for it. */
  readonly repeatsKey: boolean
}

export type EntryContext = {
  readonly shapeOf: ShapeOf
  readonly callers: Callers
  readonly traitsOf: TraitsOf
  /** Whether a run can tell if a pair of client and secret is this one. */
  readonly knowsPair: (pair: PairDigest) => boolean
  /** One text for all entries that have it in common. */
  readonly shared: (text: string) => string
}

export function prepareEntry(
  position: number,
  cassette: Cassette,
  cassetteNumber: number,
  interaction: Interaction,
  repeatsKey: boolean,
  { shapeOf, shared, callers, traitsOf }: EntryContext,
): Entry {
  const { request, operation, bindings, lane, reply } = interaction
  const segments = segmentsOf(comparedTarget(request.target).path)
  const caller = callers.factsOf(cassette, interaction)
  const traits = traitsOf(interaction, caller, position, cassetteNumber)
  const shape = shapeOf(interaction, cassetteNumber, traits)
  const refusal = isRefusal(interaction)
  const isGrant = isTokenExchange(interaction) && reply?.status === 200
  return {
    position,
    cassette,
    cassetteNumber,
    interaction,
    shape,
    layout: shape.layout,
    values: shape.sources.map((source) =>
      'trait' in source ? (traits.holes[source.trait]?.value ?? '') : (bindings[source.binding]?.value ?? ''),
    ),
    group: shared(groupKey({ method: request.method, segments }, operation)),
    family: shared(familyOf(segments)),
    scope: shared(`${cassetteNumber} ${lane}`),
    safe: isSafe(request.method) || refusal || isGrant,
    refusal,
    caller,
    announced: announcedLength(request, reply?.status),
    repeatsKey,
    choosing: choosingOf(request, interaction.reply),
    condition: conditionOf(request),
  }
}

/** The canonical key of an entry. It is made for the entries of an operation when that is first called. */
export function keyOf(entry: Entry): string {
  const { interaction, shape, layout, values } = entry
  const { operation, redactions } = interaction
  const tokens = layout.holes.map(({ type, field, classOf }, i) => {
    const digest = shape.sources[i]?.digest
    const decides = digest === undefined ? classOf(field, values[i] ?? '') : `#${redactions[digest]?.digest}`
    return holeToken(type, decides)
  })
  return canonicalKey(recordedFacts(entry), operation, layout, tokens)
}

/** What a recorded request says, as it was before it was redacted. */
export function recordedFacts({ interaction, caller, announced }: Entry): RequestFacts {
  const { request, redactions } = interaction
  const facts = comparedFacts(readRequest(request, caller), interaction.operation)
  const coding = storedCoding(redactions) ?? facts.coding
  return announced === undefined ? { ...facts, coding } : { ...facts, coding, ...unread(announced) }
}

/** A token exchange ignores an Idempotency-Key. */
export function comparedFacts(facts: RequestFacts, operation: string | undefined): RequestFacts {
  return grantsToken(operation) ? { ...facts, keyForm: 'absent' } : facts
}

/** A body that nobody has read is known by its length alone. */
export function unread(announced: string): Pick<RequestFacts, 'mediaType' | 'body'> {
  return { mediaType: '', body: { kind: 'unread', announced } }
}

function announcedLength({ headers, body }: CapturedRequest, status = 0): string | undefined {
  if (body.length > 0) return undefined
  const length = headerOf(headers, 'content-length')
  if (length !== undefined && Number(length) > 0) return length
  return headerOf(headers, 'transfer-encoding') !== undefined && status === 413 ? 'chunked' : undefined
}

/** The bindings of an entry, of which only the values are its own. */
export function boundOf({ shape, interaction }: Entry): readonly Bound[] {
  return shape.kinds.map((kind, i) => ({ ...kind, value: interaction.bindings[i]?.value ?? '' }))
}

/** What stands in the key instead of a value: its type, and what it decides. Never quoted, so never a text. */
export function holeToken(type: string, decides: string): string {
  return `<${type} ${decides}>`
}

/** Requests of two groups never have one key. */
export function groupKey(
  { method, segments }: Pick<RequestFacts, 'method' | 'segments'>,
  operation: string | undefined,
): string {
  return `${method} ${operation ?? ''} ${segments.length}`
}
