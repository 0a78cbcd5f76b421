import type { HeaderLine } from '../../http/header-lines.ts'
import type { Binding, Place, Redaction } from '../interaction.ts'
import { placeKey } from '../message/place.ts'

/** Gives what one interaction has in common with others as one object for all. */
export type Sharing = {
  readonly text: <T extends string>(text: T) => T
  readonly headers: (lines: readonly HeaderLine[]) => readonly HeaderLine[]
  readonly bindings: (list: readonly Binding[]) => readonly Binding[]
  readonly redactions: (list: readonly Redaction[]) => readonly Redaction[]
}

/**
 * Makes interactions share what they have in common. A large cassette repeats the same few hundred header lines, places
 * and redactions, and parsed one by one each would be an object of its own: see docs/performance.md for the memory. It is
 * asked some thirty times for each entry of a cassette that is to be replayed at once, hence no closures on the way.
 */
export function createSharing(): Sharing {
  const texts = new Map<string, string>()
  const lines = new Map<string, Map<string, HeaderLine>>()
  const places = new Map<string, readonly Place[]>()
  const redactions = new Map<string, readonly Redaction[]>()

  const text = <T extends string>(value: T): T => shared(texts, value, value) as T

  const line = (given: HeaderLine): HeaderLine => {
    const [name, value] = given
    const ofName = lines.get(name)
    if (ofName !== undefined) return shared(ofName, value, given)
    if (lines.size < REMEMBERED) lines.set(name, new Map([[value, given]]))
    return given
  }

  const binding = ({ type, value, madeBy, places: list }: Binding): Binding => ({
    type: text(type),
    value,
    madeBy: text(madeBy),
    places: shared(places, placesText(list), list),
  })

  return {
    text,
    headers: (list) => list.map(line),
    bindings: (list) => list.map(binding),
    redactions: (list) => {
      // A digest is of one value.
      if (list.some(isDigested)) return list
      return shared(redactions, list.map(redactionText).join('\n'), list)
    },
  }
}

/** How many different ones are remembered; further ones are not shared. */
const REMEMBERED = 1000

function shared<V>(known: Map<string, V>, key: string, given: V): V {
  const found = known.get(key)
  if (found !== undefined) return found
  if (known.size < REMEMBERED) known.set(key, given)
  return given
}

/** Most bindings have one or two places. */
function placesText(list: readonly Place[]): string {
  const [first] = list
  return list.length === 1 && first ? placeKey(first) : list.map(placeKey).join('\n')
}

function isDigested({ digest }: Redaction): boolean {
  return digest !== undefined
}

function redactionText({ place, kind, rule }: Redaction): string {
  return `${placeKey(place)} ${kind} ${rule}`
}
