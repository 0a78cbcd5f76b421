import type { CapturedReply, CapturedRequest, Place } from '../interaction.ts'
import type { FormField } from '../message/form-fields.ts'
import { eachScalar, readJson } from '../message/json-tree.ts'
import { nextPointer } from '../message/place.ts'
import { readRequest } from '../message/request-facts.ts'
import { TOKEN_DELIMITERS } from '../message/values.ts'

/** A text in an exchange, where it stands and under which name. */
export type Spot = {
  readonly place: Place
  readonly name: string
  readonly value: string
  /** The texts that may be bound at this place: the value, and what a URL, path or URN is made of. */
  readonly tokens: readonly string[]
  /** A JSON number, by its text: the client may make it up, but no identifier of the server is one. */
  readonly isNumber: boolean
}

/** Every text and number of a request that could be bound. Path segments are decoded, and named by the one before them. */
export function requestStrings(request: CapturedRequest): readonly Spot[] {
  const facts = readRequest(request)
  const spots: Spot[] = facts.segments.map((value, i) => spot('path', `/${i}`, '', value))
  if (facts.idempotencyKey !== undefined) {
    spots.push(spot('request-header', '/idempotency-key', 'idempotency-key', facts.idempotencyKey))
  }
  fieldSpots('query', facts.query, spots)
  if (facts.body.kind === 'form') fieldSpots('request-body', facts.body.fields, spots)
  if (facts.body.kind === 'json') {
    eachScalar(facts.body.json.root, (scalar, pointer, name) => {
      if (scalar.kind === 'string') spots.push(spot('request-body', pointer, name, scalar.value))
      if (scalar.kind === 'number') spots.push(numberSpot('request-body', pointer, name, scalar.text))
    })
  }
  return spots
}

/** Every text of a reply that may hold a bound value: the strings of a JSON body, Location and the request id. */
export function replyStrings(reply: CapturedReply | undefined): readonly Spot[] {
  if (!reply) return []
  const spots: Spot[] = []
  for (const [name, value] of reply.headers) {
    const lower = name.toLowerCase()
    if (lower === 'location' || lower === 'x-request-id') {
      spots.push({ ...spot('reply-header', `/${lower}`, lower, value), tokens: tokensOf(value) })
    }
  }
  const json = readJson(reply.body)
  if (json) {
    eachScalar(json.root, (scalar, pointer, name) => {
      if (scalar.kind !== 'string') return
      spots.push({ ...spot('reply-body', pointer, name, scalar.value), tokens: tokensOf(scalar.value) })
    })
  }
  return spots
}

/** Every number of a JSON reply: where a number of the client may come back. */
export function replyNumbers(reply: CapturedReply | undefined): readonly Spot[] {
  const json = reply && readJson(reply.body)
  if (!json) return []
  const spots: Spot[] = []
  eachScalar(json.root, (scalar, pointer, name) => {
    if (scalar.kind === 'number') spots.push(numberSpot('reply-body', pointer, name, scalar.text))
  })
  return spots
}

function spot(part: Place['part'], pointer: string, name: string, value: string): Spot {
  return { place: { part, pointer }, name, value, tokens: [value], isNumber: false }
}

function numberSpot(part: Place['part'], pointer: string, name: string, text: string): Spot {
  return { ...spot(part, pointer, name, text), isNumber: true }
}

function fieldSpots(part: 'query' | 'request-body', fields: readonly FormField[], spots: Spot[]): void {
  const seen = new Map<string, number>()
  for (const { name, value } of fields) {
    spots.push(spot(part, nextPointer(name, seen), name, value))
  }
}

const URL_LIKE = /^(?:https?:\/\/|\/|urn:)/

function tokensOf(value: string): readonly string[] {
  return URL_LIKE.test(value)
    ? [value, ...value.split(TOKEN_DELIMITERS).filter((part) => part !== '')]
    : [value]
}
