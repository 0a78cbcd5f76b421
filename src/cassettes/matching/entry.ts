import { segmentsOf } from '../../http/target.ts'
import type { ClassOf } from '../bindings/outcome-class.ts'
import type { Cassette, Interaction } from '../interaction.ts'
import { type Choosing, choosingOf, conditionOf } from '../message/choosing.ts'
import { type RequestFacts, readRequest } from '../message/request-facts.ts'
import { comparedTarget } from '../message/target.ts'
import { canonicalKey } from './canonical-key.ts'
import type { Layout } from './layout.ts'
import { familyOf, isSafe } from './order.ts'
import type { BoundKind, Shape, ShapeOf } from './shape.ts'

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
  readonly safe: boolean
  /** The headers that have chosen its answer, and the condition under which it was asked for. */
  readonly choosing: Choosing
  readonly condition: string | undefined
}

export type KeyOf = (entry: Entry) => string

export type EntryContext = {
  readonly shapeOf: ShapeOf
  /** One text for all entries that have it in common. */
  readonly shared: (text: string) => string
}

export function prepareEntry(
  position: number,
  cassette: Cassette,
  cassetteNumber: number,
  interaction: Interaction,
  { shapeOf, shared }: EntryContext,
): Entry {
  const { request, operation, bindings, lane } = interaction
  const segments = segmentsOf(comparedTarget(request.target).path)
  const shape = shapeOf(interaction, cassetteNumber)
  return {
    position,
    cassette,
    cassetteNumber,
    interaction,
    shape,
    layout: shape.layout,
    values: shape.sources.map(({ binding }) => bindings[binding]?.value ?? ''),
    group: shared(groupKey({ method: request.method, segments }, operation)),
    family: shared(familyOf(segments)),
    scope: shared(`${cassetteNumber} ${lane}`),
    safe: isSafe(request.method),
    choosing: choosingOf(request, interaction.reply),
    condition: conditionOf(request),
  }
}

/** The canonical key of an entry. It is made for the entries of an operation when that is first called. */
export function createKeyOf(classOf: ClassOf): KeyOf {
  return ({ interaction, shape, layout, values }) => {
    const { request, operation, redactions } = interaction
    const tokens = layout.holes.map(({ type, field }, i) => {
      const digest = shape.sources[i]?.digest
      const decides =
        digest === undefined ? classOf(field, values[i] ?? '') : `#${redactions[digest]?.digest}`
      return holeToken(type, decides)
    })
    return canonicalKey(readRequest(request), operation, layout, tokens)
  }
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
