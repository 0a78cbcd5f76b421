import { placeKey } from './bindings.ts'
import type { ClassOf } from './bindings-classes.ts'
import { compileLayout, type Hole, type Layout, layoutId } from './bindings-layout.ts'
import { canonicalKey, type RequestFacts, readRequest } from './canonical.ts'
import type { Binding, Cassette, Interaction, Place } from './interaction.ts'
import { isSafe } from './order.ts'

/** A binding of an entry. Stand-ins are numbered per cassette, so a personal value's type is the cassette's own. */
export type Bound = Binding & { readonly field: string; readonly personal: boolean }

/** An interaction, made ready for matching once per tape. */
export type Entry = {
  /** Its place among all interactions of the tape, in recorded order. */
  readonly position: number
  readonly cassette: Cassette
  readonly cassetteNumber: number
  readonly interaction: Interaction
  readonly bindings: readonly Bound[]
  readonly layout: Layout
  /** The recorded value of each hole of the layout. */
  readonly values: readonly string[]
  readonly group: string
  readonly key: string
  readonly safe: boolean
}

export type EntryContext = {
  readonly classOf: ClassOf
  /** Lower-case names of the headers that make a request another one. */
  readonly optIn: readonly string[]
  /** Whether live values can be digested with the key of the recording. */
  readonly digests: boolean
  /** One object per layout, over all entries of the tape. */
  readonly layouts: Map<string, Layout>
}

type FilledHole = { readonly hole: Hole; readonly value: string; readonly token: string }

export function prepareEntry(
  position: number,
  cassette: Cassette,
  cassetteNumber: number,
  interaction: Interaction,
  context: EntryContext,
): Entry {
  const facts = readRequest(interaction.request, context.optIn)
  const redactions = new Map(interaction.redactions.map((each) => [placeKey(each.place), each]))
  const kindAt = (place: Place) => redactions.get(placeKey(place))?.kind
  const bindings = interaction.bindings.map((binding): Bound => {
    const personal = binding.places.some((place) => kindAt(place) === 'personal')
    const type = personal ? `${binding.type}@${cassetteNumber}` : binding.type
    return { ...binding, type, field: binding.type, personal }
  })
  const filled: FilledHole[] = []
  for (const { places, type, field, madeBy, value } of bindings) {
    for (const place of places) {
      // A secret is written as a mark that says its kind, and the canonical form compares that.
      if (place.part.startsWith('reply-') || kindAt(place) === 'secret') continue
      const { digest, rule } = (context.digests && redactions.get(placeKey(place))) || {}
      const token = holeToken(type, digest === undefined ? context.classOf(field, value) : `#${digest}`)
      const digestRule = digest === undefined ? undefined : rule
      filled.push({ hole: { place, type, field, madeBy, digestRule }, value, token })
    }
  }
  filled.sort((a, b) => (placeKey(a.hole.place) < placeKey(b.hole.place) ? -1 : 1))
  const holes = filled.map(({ hole }) => hole)
  const id = layoutId(holes)
  const layout = context.layouts.get(id) ?? compileLayout(holes)
  context.layouts.set(id, layout)
  const { operation } = interaction
  return {
    position,
    cassette,
    cassetteNumber,
    interaction,
    bindings,
    layout,
    values: filled.map(({ value }) => value),
    group: groupKey(facts, operation),
    key: canonicalKey(
      facts,
      operation,
      layout,
      filled.map(({ token }) => token),
    ),
    safe: isSafe(facts.method),
  }
}

/** What stands in the key instead of a value: its type, and what it decides. Never quoted, so never a text. */
export function holeToken(type: string, decides: string): string {
  return `<${type} ${decides}>`
}

/** Requests of two groups never have one key. */
export function groupKey(facts: RequestFacts, operation: string | undefined): string {
  return `${facts.method} ${operation ?? ''} ${facts.segments.length}`
}
