import type { Binding, Interaction, Place, Redaction } from '../interaction.ts'
import { placeKey } from '../message/place.ts'
import { compileLayout, type Hole, type Layout, layoutId } from './layout.ts'
import { type Traits, traitsKey } from './traits.ts'

/** What a binding is, whatever its value. Each cassette numbers its own stand-ins, so the type of a personal value
 * names its cassette. */
export type BoundKind = Omit<Binding, 'value'> & { readonly field: string; readonly personal: boolean }

/**
 * Where the value of a hole stands in an interaction: the number of its binding and of the redaction with its digest,
 * or the number of its trait.
 */
export type HoleSource =
  | { readonly binding: number; readonly digest: number | undefined }
  | { readonly trait: number; readonly digest: undefined }

/** What interactions of one kind have in common: everything about their bindings but the values. */
export type Shape = {
  readonly kinds: readonly BoundKind[]
  readonly layout: Layout
  /** Per hole of the layout. */
  readonly sources: readonly HoleSource[]
}

/** The rules that say what a value of a cassette decides. */
export type HoleRules = Pick<Hole, 'classOf' | 'rules'>

export type ShapeOf = (interaction: Interaction, cassetteNumber: number, traits: Traits) => Shape

/** One object per shape and per layout, over all entries of a tape. `digests`: whether live values can be digested. */
export function createShapes(digests: boolean, rulesOf: (cassetteNumber: number) => HoleRules): ShapeOf {
  const shapes = new Map<string, Shape>()
  const layouts = new Map<string, Layout>()
  const placesId = createNumbering((places: readonly Place[]) => places.map(placeKey).join('\n'))
  const redactionsId = createNumbering((list: readonly Redaction[]) => list.map(redactionKey).join('\n'))
  return (interaction, cassetteNumber, traits) => {
    let key = `${cassetteNumber} ${redactionsId(interaction.redactions)} ${traitsKey(traits)}`
    for (const { type, madeBy, places } of interaction.bindings)
      key += `\n${type}\0${madeBy} ${placesId(places)}`
    const known = shapes.get(key)
    if (known) return known
    const rules = rulesOf(cassetteNumber)
    const shape = makeShape(interaction, traits, { cassetteNumber, digests, layouts, rules })
    shapes.set(key, shape)
    return shape
  }
}

/** Numbers lists by what they say; one that is met again is not read again. */
function createNumbering<T extends object>(textOf: (list: T) => string): (list: T) => number {
  const byText = new Map<string, number>()
  const byList = new WeakMap<T, number>()
  return (list) => {
    const known = byList.get(list)
    if (known !== undefined) return known
    const text = textOf(list)
    const id = byText.get(text) ?? byText.size
    byText.set(text, id)
    byList.set(list, id)
    return id
  }
}

function redactionKey({ place, kind, rule, digest }: Redaction): string {
  return `${placeKey(place)} ${kind} ${rule} ${digest !== undefined}`
}

type Making = {
  readonly cassetteNumber: number
  readonly digests: boolean
  readonly layouts: Map<string, Layout>
  readonly rules: HoleRules
}

function makeShape(
  { bindings, redactions }: Interaction,
  traits: Traits,
  { cassetteNumber, digests, layouts, rules }: Making,
): Shape {
  const redactedAt = new Map(redactions.map(({ place }, i) => [placeKey(place), i]))
  const redactionAt = (place: Place) => redactions[redactedAt.get(placeKey(place)) ?? -1]
  const kinds = bindings.map(({ type, madeBy, places }): BoundKind => {
    const personal = places.some((place) => redactionAt(place)?.kind === 'personal')
    return { type: personal ? `${type}@${cassetteNumber}` : type, field: type, madeBy, personal, places }
  })
  const filled: { hole: Hole; source: HoleSource }[] = []
  for (const [binding, { places, type, field, madeBy }] of kinds.entries()) {
    for (const place of places) {
      const at = placeKey(place)
      if (place.part.startsWith('reply-') || traits.compared.has(at)) continue
      const redaction = redactionAt(place)
      const isDigested = digests && redaction?.digest !== undefined
      const digestRule = isDigested ? redaction.rule : undefined
      const digest = isDigested ? redactedAt.get(at) : undefined
      const isMade = traits.made.has(at)
      const hole = { place, type, field, madeBy, digestRule, ...rules, ...(isMade && { isMade }) }
      filled.push({ hole, source: { binding, digest } })
    }
  }
  for (const [trait, { place, type, known }] of traits.holes.entries()) {
    const hole = { place, type, field: type, madeBy: 'client', digestRule: undefined, ...rules } as const
    filled.push({ hole: known ? { ...hole, known } : hole, source: { trait, digest: undefined } })
  }
  filled.sort((a, b) => (placeKey(a.hole.place) < placeKey(b.hole.place) ? -1 : 1))
  const holes = filled.map(({ hole }) => hole)
  const id = layoutId(holes)
  const layout = layouts.get(id) ?? compileLayout(holes)
  layouts.set(id, layout)
  return { kinds, layout, sources: filled.map(({ source }) => source) }
}
