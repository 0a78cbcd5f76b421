import { getOrMake } from '../../map-entries.ts'
import type { Binding, Interaction, Place } from '../interaction.ts'
import { placeKey } from '../message/place.ts'
import { type ClassOf, type ClassOptions, createClassOf } from './outcome-class.ts'
import { replyNumbers, replyStrings, requestStrings, type Spot } from './spots.ts'

export type AnnotateOptions = ClassOptions & {
  /** What the client makes up anew in every run: names of fields and headers, and pointers (`/metadata/step`) into a body or query. */
  readonly volatile: readonly string[]
}

/** A value shorter than this may stand elsewhere by chance; it counts as the same one only under its own name. */
const UNMISTAKABLE = 8

/**
 * Says of every interaction where its values come from and go to. The interactions come with the bindings that
 * redaction made (the personal values that stand-ins were written for) and leave with all of them:
 * what the server made in a reply, wherever it is used later, and what the client makes up anew in every run.
 *
 * A value that no recorded reply produced is not bound: the client knows it from somewhere else and will send it
 * again, and an identifier that the tape has never given out must not find another one's answer.
 */
export function annotate(
  interactions: readonly Interaction[],
  options: AnnotateOptions,
): readonly Interaction[] {
  const classOf = createClassOf(options)
  const volatile = readVolatile(options.volatile)
  const made = serverMade(interactions, volatile.names)
  const context: Context = { classOf, volatile, made, known: new Map(), numbers: new Set() }
  return interactions.map((interaction) => annotateOne(interaction, context))
}

export type Volatile = {
  /** Lower case -> as it was written. */
  readonly names: ReadonlyMap<string, string>
  readonly pointers: ReadonlySet<string>
}

/** A rule with a slash in front is a pointer, any other one a name. */
export function readVolatile(rules: readonly string[]): Volatile {
  const names = rules.filter((rule) => !rule.startsWith('/'))
  return {
    names: new Map(names.map((name) => [name.toLowerCase(), name])),
    pointers: new Set(rules.filter((rule) => rule.startsWith('/'))),
  }
}

/** What the volatile rules call the value at a place of a request; undefined when none is about it. */
export function volatileName({ place, name }: Spot, { names, pointers }: Volatile): string | undefined {
  const named = names.get(name.toLowerCase())
  if (named !== undefined) return named
  const isField = place.part === 'query' || place.part === 'request-body'
  return isField && pointers.has(place.pointer) ? name : undefined
}

type Context = {
  readonly classOf: ClassOf
  readonly volatile: Volatile
  /** Server-made value -> its type. */
  readonly made: ReadonlyMap<string, string>
  /** Type -> client-made values so far: a reply that repeats one is rendered with the live value. */
  readonly known: Map<string, Set<string>>
  /** The types of those that were JSON numbers. */
  readonly numbers: Set<string>
}

/** Every value that a reply is the first to mention, under a name that says it is an identifier or a cursor. */
function serverMade(
  interactions: readonly Interaction[],
  volatile: ReadonlyMap<string, string>,
): Map<string, string> {
  const made = new Map<string, string>()
  const sent = new Set<string>()
  for (const interaction of interactions) {
    for (const { value, isNumber } of requestStrings(interaction.request)) if (!isNumber) sent.add(value)
    for (const { name, value, place } of replyStrings(interaction.reply)) {
      if (place.part !== 'reply-body' || value === '' || sent.has(value) || made.has(value)) continue
      const type = madeType(name)
      if (type !== undefined && !volatile.has(name.toLowerCase())) made.set(value, type)
    }
  }
  return made
}

function madeType(name: string): string | undefined {
  if (name === 'nextCursor' || name === 'next_cursor' || name === 'cursor') return 'cursor'
  return /(?:^id|Id|_id|ID)$/.test(name) ? name : undefined
}

function annotateOne(interaction: Interaction, context: Context): Interaction {
  const bindings = new Map<string, { binding: Omit<Binding, 'places'>; places: Map<string, Place> }>()
  const add = (type: string, value: string, madeBy: Binding['madeBy'], places: readonly Place[]): void => {
    const id = `${type}\0${value}`
    const entry = bindings.get(id) ?? { binding: { type, value, madeBy }, places: new Map() }
    for (const place of places) entry.places.set(placeKey(place), place)
    bindings.set(id, entry)
  }
  const taken = new Set<string>()
  for (const { type, value, madeBy, places } of interaction.bindings) {
    add(type, value, madeBy, places)
    for (const place of places) taken.add(placeKey(place))
  }
  for (const redaction of interaction.redactions) taken.add(placeKey(redaction.place))

  for (const spot of requestStrings(interaction.request)) {
    if (taken.has(placeKey(spot.place))) continue
    const volatileType = volatileAt(spot, interaction, context)
    const madeAs = madeAt(spot, context)
    if (madeAs !== undefined) add(madeAs, spot.value, 'server', [spot.place])
    else if (volatileType !== undefined) {
      add(volatileType, spot.value, 'client', [spot.place])
      if (spot.isNumber) context.numbers.add(volatileType)
    }
  }
  for (const { binding } of bindings.values()) {
    if (binding.madeBy === 'client') knownOf(context, binding.type).add(binding.value)
  }
  for (const spot of replyStrings(interaction.reply)) {
    if (taken.has(placeKey(spot.place))) continue
    for (const token of spot.tokens) {
      const type = context.made.get(token)
      if (type !== undefined) add(type, token, 'server', [spot.place])
    }
    const type = requestIdAt(spot) ?? clientMadeAt(spot, context)
    if (type !== undefined) add(type, spot.value, type === 'requestId' ? 'server' : 'client', [spot.place])
  }
  for (const spot of context.numbers.size === 0 ? [] : replyNumbers(interaction.reply)) {
    const type = taken.has(placeKey(spot.place)) ? undefined : clientMadeAt(spot, context)
    if (type !== undefined && context.numbers.has(type)) add(type, spot.value, 'client', [spot.place])
  }
  const all = [...bindings.values()].map(({ binding, places }) => ({
    ...binding,
    places: [...places.values()],
  }))
  addRequestIds(interaction, all)
  return { ...interaction, bindings: all }
}

/** The type of a volatile value of the client, unless it decides something: those are compared exactly. */
function volatileAt(
  spot: Spot,
  interaction: Interaction,
  { volatile, classOf }: Context,
): string | undefined {
  const name = volatileName(spot, volatile)
  if (name === undefined || spot.value === '') return undefined
  // The edge ignores the key of a request without an effect.
  if (spot.place.part === 'request-header' && interaction.request.method !== 'POST') return undefined
  if (classOf(name, spot.value) !== '') return undefined
  return spot.place.part === 'request-header' ? spot.name : name
}

function madeAt(spot: Spot, { made }: Context): string | undefined {
  if (spot.isNumber) return undefined
  const type = made.get(spot.value)
  if (type === undefined) return undefined
  return spot.value.length >= UNMISTAKABLE || spot.name === type ? type : undefined
}

function clientMadeAt(spot: Spot, context: Context): string | undefined {
  if (spot.place.part !== 'reply-body') return undefined
  const type = context.volatile.names.get(spot.name.toLowerCase()) ?? spot.name
  return context.known.get(type)?.has(spot.value) ? type : undefined
}

function requestIdAt(spot: Spot): string | undefined {
  return spot.place.part === 'reply-body' && spot.place.pointer === '/requestId' ? 'requestId' : undefined
}

/** A problem repeats its request id in `instance` and in a header; all of them are one value. */
function addRequestIds(interaction: Interaction, bindings: Binding[]): void {
  const at = bindings.findIndex(({ type }) => type === 'requestId')
  const binding = bindings[at]
  if (!binding) return
  const more = replyStrings(interaction.reply).filter(
    ({ tokens, place }) => tokens.includes(binding.value) && place.pointer !== '/requestId',
  )
  bindings[at] = { ...binding, places: [...binding.places, ...more.map(({ place }) => place)] }
}

function knownOf({ known }: Context, type: string): Set<string> {
  return getOrMake(known, type, () => new Set())
}
