import type { HeaderLine } from '../../http/header-lines.ts'
import type { Binding, Interaction, Place, Redaction } from '../interaction.ts'
import { placeKey } from '../message/place.ts'

/**
 * Makes interactions share what they have in common. A large cassette repeats the same few hundred header lines, places
 * and redactions, and parsed one by one each would be an object of its own: see docs/performance.md for the memory.
 */
export function createSharing(): (interaction: Interaction) => Interaction {
  const texts = new Map<string, string>()
  const lines = new Map<string, Map<string, HeaderLine>>()
  const places = new Map<string, readonly Place[]>()
  const redactions = new Map<string, readonly Redaction[]>()

  const text = <T extends string>(value: T): T => shared(texts, value, () => value) as T

  const line = ([name, value]: HeaderLine): HeaderLine => {
    const ofName = shared(lines, name, () => new Map<string, HeaderLine>())
    return shared(ofName, value, (): HeaderLine => [text(name), value])
  }

  const placesOf = (list: readonly Place[]): readonly Place[] =>
    shared(places, list.map(placeKey).join('\n'), () => list)

  const redactionsOf = (list: readonly Redaction[]): readonly Redaction[] => {
    // A digest is of one value.
    if (list.some(({ digest }) => digest !== undefined)) return list
    return shared(redactions, list.map(redactionText).join('\n'), () => list)
  }

  return ({ request, reply, ...interaction }) => ({
    ...interaction,
    lane: text(interaction.lane),
    operation: interaction.operation && text(interaction.operation),
    origin: text(interaction.origin),
    request: { ...request, method: text(request.method), headers: request.headers.map(line) },
    reply: reply && { ...reply, headers: reply.headers.map(line) },
    bindings: interaction.bindings.map(
      ({ type, value, madeBy, places }): Binding => ({
        type: text(type),
        value,
        madeBy: text(madeBy),
        places: placesOf(places),
      }),
    ),
    redactions: redactionsOf(interaction.redactions),
  })
}

/** How many different ones are remembered; further ones are not shared. */
const REMEMBERED = 1000

function shared<V>(known: Map<string, V>, key: string, make: () => V): V {
  const found = known.get(key)
  if (found !== undefined) return found
  const made = make()
  if (known.size < REMEMBERED) known.set(key, made)
  return made
}

function redactionText({ place, kind, rule }: Redaction): string {
  return `${placeKey(place)} ${kind} ${rule}`
}
