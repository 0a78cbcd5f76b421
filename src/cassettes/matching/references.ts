import { rowOf } from '../../operations/operations.ts'
import { VOLATILE } from '../bindings/contract.ts'
import type { Cassette, Interaction, Place } from '../interaction.ts'
import { placeKey } from '../message/place.ts'
import { isSafe } from './resources.ts'

/** Which references of a read are compared, and which of them the recording had made by then: keys of places. */
export type ReferencePlaces = {
  readonly compared: ReadonlySet<string>
  readonly made: ReadonlySet<string>
}

export type References = (
  interaction: Interaction,
  position: number,
  cassetteNumber: number,
) => ReferencePlaces

const NAMES: ReadonlySet<string> = new Set(VOLATILE.filter((name) => name !== 'Idempotency-Key'))
const NO_PLACES: ReferencePlaces = { compared: new Set(), made: new Set() }

/** Whether bindings of this type are references of the contract: what the client makes up and looks up again. */
export function isReference(type: string): boolean {
  return NAMES.has(type)
}

/** Whether an interaction makes what it names: an effect that was not refused. */
export function isMaking(interaction: Interaction): boolean {
  const { request, reply } = interaction
  return !isSafe(request.method) && reply !== undefined && reply.status < 400
}

/**
 * A reference in a read may be another one in a replay only where the replay stands as the recording stood: what the
 * recording had made has to be made again, and what it never made is a value of the sandbox's own, such as a seeded
 * one, or of nobody's. `volatile`: what somebody has said by hand; it outranks this.
 */
export function readReferences(cassettes: readonly Cassette[], volatile: readonly string[]): References {
  const byHand = new Set(volatile.map((rule) => (rule.startsWith('/') ? rule : rule.toLowerCase())))
  const firstMade = new Map<string, number>()
  let position = 0
  for (const [number, { interactions }] of cassettes.entries()) {
    for (const interaction of interactions) {
      const at = position++
      if (!isMaking(interaction)) continue
      for (const { type, value, places } of interaction.bindings) {
        if (!isReference(type) || !places.some(isOfRequest)) continue
        const name = `${number} ${type}\0${value}`
        if (!firstMade.has(name)) firstMade.set(name, at)
      }
    }
  }
  return (interaction, at, number) => {
    // What decides (a simulation of credit) looks at other values; its reference is a note of the client's.
    const isRead = isSafe(interaction.request.method) && rowOf(interaction.operation)?.outcomes === undefined
    if (!isRead) return NO_PLACES
    const compared = new Set<string>()
    const made = new Set<string>()
    for (const { type, value, places } of interaction.bindings) {
      if (!isReference(type) || byHand.has(type.toLowerCase())) continue
      const first = firstMade.get(`${number} ${type}\0${value}`)
      for (const place of places) {
        if (!isOfRequest(place) || byHand.has(place.pointer)) continue
        if (first === undefined) compared.add(placeKey(place))
        else if (first < at) made.add(placeKey(place))
      }
    }
    return compared.size === 0 && made.size === 0 ? NO_PLACES : { compared, made }
  }
}

function isOfRequest({ part }: Place): boolean {
  return part === 'query' || part === 'request-body' || part === 'path'
}
