import type { ClassOf } from './bindings-classes.ts'
import type { Layout } from './bindings-layout.ts'
import { canonicalKey, type RequestFacts, readRequest } from './canonical.ts'
import type { Cassette, Interaction } from './interaction.ts'
import type { BoundKind, Shape, ShapeOf } from './matcher-shape.ts'
import { familyOf, isSafe } from './order.ts'

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
  readonly key: string
  /** What its path is about. */
  readonly family: string
  /** The client of one recording: only entries of one depend on each other. */
  readonly scope: string
  readonly safe: boolean
}

export type EntryContext = {
  readonly classOf: ClassOf
  /** Lower-case names of the headers that make a request another one. */
  readonly optIn: readonly string[]
  readonly shapeOf: ShapeOf
  /** One text for all entries that have it in common. */
  readonly shared: (text: string) => string
}

export function prepareEntry(
  position: number,
  cassette: Cassette,
  cassetteNumber: number,
  interaction: Interaction,
  { classOf, optIn, shapeOf, shared }: EntryContext,
): Entry {
  const facts = readRequest(interaction.request, optIn)
  const shape = shapeOf(interaction, cassetteNumber)
  const { layout, sources } = shape
  const { operation, bindings, redactions } = interaction
  const values: string[] = []
  const tokens: string[] = []
  for (const [i, { type, field }] of layout.holes.entries()) {
    const { binding = -1, digest } = sources[i] ?? {}
    const value = bindings[binding]?.value ?? ''
    values.push(value)
    tokens.push(
      holeToken(type, digest === undefined ? classOf(field, value) : `#${redactions[digest]?.digest}`),
    )
  }
  return {
    position,
    cassette,
    cassetteNumber,
    interaction,
    shape,
    layout,
    values,
    group: shared(groupKey(facts, operation)),
    key: shared(canonicalKey(facts, operation, layout, tokens)),
    family: shared(familyOf(facts.segments)),
    scope: shared(`${cassetteNumber} ${interaction.lane}`),
    safe: isSafe(facts.method),
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
export function groupKey(facts: RequestFacts, operation: string | undefined): string {
  return `${facts.method} ${operation ?? ''} ${facts.segments.length}`
}
