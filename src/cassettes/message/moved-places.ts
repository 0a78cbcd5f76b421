import { idempotencyKey } from '../../http/idempotency-key.ts'
import type { Interaction, Place } from '../interaction.ts'
import { bufferOf } from './bytes.ts'
import { placeKey } from './place.ts'
import { TOKEN_DELIMITERS, valuesOf } from './values.ts'

/** A place that does not hold what the cassette says of it. */
export type MovedPlace = { readonly place: Place; readonly message: string }

/** What a whole body was redacted for has no place in it. What follows the word says more. */
const OF_THE_BODY: ReadonlySet<string> = new Set(['stored-decoded', 'unreadable-encoding', 'beyond'])

/** After an edit by hand the places of bound and redacted values may hold something else, or be gone. */
export function movedPlaces(interaction: Interaction): MovedPlace[] {
  const { bindings, redactions } = interaction
  if (bindings.length === 0 && redactions.length === 0) return []
  const values = valuesOf(interaction)
  const moved: MovedPlace[] = []
  for (const { type, value, places } of bindings) {
    for (const place of places)
      if (!holds(values.get(placeKey(place)), value, place))
        moved.push({ place, message: `${placeKey(place)} does not hold the bound ${type}` })
  }
  for (const { place, kind, rule } of redactions) {
    if (OF_THE_BODY.has(rule.split(' ', 1)[0] ?? '')) continue
    const held = place.pointer === '' ? textOf(interaction, place) : values.get(placeKey(place))
    if (held === undefined || (kind === 'secret' && !held.includes('redacted-')))
      moved.push({ place, message: `${placeKey(place)} does not hold the stand-in of the ${rule}` })
  }
  return moved
}

/** In a reply a bound value may be one token of a URL. */
function holds(held: string | undefined, value: string, { part, pointer }: Place): boolean {
  if (held === value) return true
  // A key is bound by what it means: quotes and case do not count.
  if (pointer === '/idempotency-key') return held !== undefined && idempotencyKey(held) === value
  return part.startsWith('reply') && held?.split(TOKEN_DELIMITERS).includes(value) === true
}

/** The text that holds what stands in no field. */
function textOf({ request, reply }: Interaction, { part }: Place): string | undefined {
  if (part === 'query') return request.target
  const body = part === 'request-body' ? request.body : part === 'reply-body' ? reply?.body : undefined
  return body && bufferOf(body).toString('latin1')
}
