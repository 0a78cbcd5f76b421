import type { Interaction, Place } from '../interaction.ts'
import {
  CALLER_PLACES,
  type CallerFacts,
  callerPlace,
  callerValue,
  cookiePlace,
} from '../message/caller-facts.ts'
import { placeKey } from '../message/place.ts'
import { bodyValue } from '../message/readable-body.ts'
import type { Callers } from './callers.ts'
import { isTokenExchange } from './edge-answers.ts'
import type { References } from './references.ts'

/** A hole that no binding of the file speaks of. */
export type TraitHole = {
  readonly place: Place
  readonly type: string
  readonly value: string
  /** Values that are no other one. */
  readonly known?: ReadonlySet<string>
}

/** What is known of the holes of an interaction beside its bindings: it follows from the rest of the recording. */
export type Traits = {
  readonly holes: readonly TraitHole[]
  /** Keys of places that have a binding and are compared all the same. */
  readonly compared: ReadonlySet<string>
  /** Keys of places with a reference that the recording had made by then. */
  readonly made: ReadonlySet<string>
}

/** `position` and `cassetteNumber` say where the interaction stands on the tape. */
export type TraitsOf = (
  interaction: Interaction,
  caller: CallerFacts,
  position: number,
  cassetteNumber: number,
) => Traits

const NONE: ReadonlySet<string> = new Set()
const CLIENT_ID: Place = { part: 'request-body', pointer: '/client_id' }
const IDEMPOTENCY_KEY: Place = { part: 'request-header', pointer: '/idempotency-key' }

/**
 * `comparesSecrets`: some refused exchange has no digest of its pair, so that the pairs of a recording can be told
 * apart only by which of them are the same.
 */
export function createTraits(callers: Callers, references: References, comparesSecrets: boolean): TraitsOf {
  return (interaction, caller, position, cassetteNumber) => {
    if (isTokenExchange(interaction)) return exchangeTraits(interaction, caller, callers, comparesSecrets)
    const { compared, made } = references(interaction, position, cassetteNumber)
    const secrets = comparedSecrets(interaction, callers)
    const all = secrets.length === 0 ? compared : new Set([...compared, ...secrets])
    return { holes: callerHoles(caller, callers.clients), compared: all, made }
  }
}

/** The mark of a secret that is all that stands at its place. */
const WHOLE_MARK = /^redacted-[a-z0-9-]+-[0-9]+$/

/**
 * A password in a field is bound: two stay two. What is compared: a text with a secret in it, and a token that a
 * recorded exchange has granted, of which a run may have several.
 */
function comparedSecrets({ redactions, bindings }: Interaction, callers: Callers): string[] {
  const secret = redactions.filter(({ kind, place }) => kind === 'secret' && BOUND_PARTS.has(place.part))
  if (secret.length === 0) return []
  const places = new Set(secret.map(({ place }) => placeKey(place)))
  return bindings
    .filter(({ value }) => !WHOLE_MARK.test(value) || callers.isGranted(value))
    .flatMap((binding) => binding.places.map(placeKey))
    .filter((at) => places.has(at))
}

const BOUND_PARTS: ReadonlySet<Place['part']> = new Set(['path', 'query', 'request-body'])

function callerHoles(caller: CallerFacts, clients: ReadonlySet<string>): TraitHole[] {
  const holes: TraitHole[] = []
  const pointer = callerPlace(caller)
  if (pointer !== undefined) {
    const place = { part: 'request-header', pointer } as const
    const value = callerValue(caller, pointer) ?? recordedToken(caller)
    if (pointer === CALLER_PLACES.client) holes.push({ place, type: 'client', value, known: clients })
    else holes.push({ place, type: 'credentials', value })
  }
  for (const [name, value] of caller.cookies) {
    const place = { part: 'request-header', pointer: cookiePlace(name) } as const
    holes.push({ place, type: `cookie ${name}`, value })
  }
  return holes
}

function recordedToken({ token }: CallerFacts): string {
  return token.kind === 'unknown' || token.kind === 'other' ? token.value : ''
}

/** Any client may exchange its credentials, whatever its secret is; its id names it from then on. */
function exchangeTraits(
  interaction: Interaction,
  caller: CallerFacts,
  { clients }: Callers,
  comparesSecrets: boolean,
): Traits {
  const { request, redactions, bindings } = interaction
  const compared = new Set([placeKey(IDEMPOTENCY_KEY)])
  const secret = new Set(
    redactions.filter(({ kind }) => kind === 'secret').map(({ place }) => placeKey(place)),
  )
  for (const { places } of bindings) {
    for (const place of places) {
      const at = placeKey(place)
      if (secret.has(at) && !(comparesSecrets && place.pointer === '/client_secret')) compared.add(at)
    }
  }
  const named = bodyValue(request, CLIENT_ID.pointer)
  const isPublic = named !== undefined && clients.has(named) && !secret.has(placeKey(CLIENT_ID))
  const holes = callerHoles(caller, clients)
  if (isPublic) holes.push({ place: CLIENT_ID, type: 'client', value: named, known: clients })
  return { holes, compared, made: NONE }
}

export function traitsKey({ holes, compared, made }: Traits): string {
  if (holes.length === 0 && compared.size === 0 && made.size === 0) return ''
  const names = holes.map(({ place, type }) => `${placeKey(place)} ${type}`)
  return [...names, ...[...compared].map((at) => `=${at}`), ...[...made].map((at) => `+${at}`)].join('\n')
}
