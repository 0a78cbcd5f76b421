import { canonicalNumber } from '../../http/decimal.ts'
import type { Place } from '../interaction.ts'
import type { TokenFact } from '../message/caller-facts.ts'
import type { FormField, MultipartPart } from '../message/form-fields.ts'
import { eachPair, isOneType } from '../message/json-pairs.ts'
import { type JsonNode, scalarText, typeName } from '../message/json-tree.ts'
import { placeKey, repeatPointer } from '../message/place.ts'
import type { RequestFacts } from '../message/request-facts.ts'

export type Difference = {
  readonly kind: 'value' | 'number-spelling' | 'missing' | 'extra' | 'type'
  readonly place: Place
  readonly recorded?: string
  readonly live?: string
  /** What stands there on either side, where it is no text. */
  readonly types?: readonly [recorded: string, live: string]
}

type RawBody = RequestFacts['body'] & { readonly kind: 'raw' }

/** Notes a difference, if it is one. */
type Add = (
  kind: Difference['kind'],
  part: Place['part'],
  pointer: string,
  was?: string,
  is?: string,
  types?: Difference['types'],
) => void

/** A request that differs in more places than this is another request. */
const MOST = 12

/**
 * Where a recorded and a live request differ, holes left out. `missing`: recorded and not sent; `extra`: sent and
 * not recorded. Numbers that are equal and spelled differently are reported as such.
 */
export function differences(
  recorded: RequestFacts,
  live: RequestFacts,
  holes: ReadonlySet<string>,
): readonly Difference[] {
  const found: Difference[] = []
  const add: Add = (kind, part, pointer, was, is, types) => {
    if (found.length >= MOST) return
    // What stands in a hole is judged by its binding; whether something stands there is judged here.
    if (kind !== 'missing' && kind !== 'extra' && kind !== 'type' && holes.has(placeKey({ part, pointer })))
      return
    found.push({
      kind,
      place: { part, pointer },
      ...(was !== undefined && { recorded: was }),
      ...(is !== undefined && { live: is }),
      ...(types && { types }),
    })
  }
  if (recorded.method !== live.method)
    add('value', 'request-header', '/:method', recorded.method, live.method)
  for (let i = 0; i < Math.max(recorded.segments.length, live.segments.length); i++) {
    compare(add, 'path', `/${i}`, recorded.segments[i], live.segments[i])
  }
  compareFields(add, 'query', recorded.query, live.query)
  if (recorded.mediaType !== live.mediaType) {
    add('value', 'request-header', '/content-type', recorded.mediaType, live.mediaType)
  }
  const headers = new Map(recorded.headers)
  const liveHeaders = new Map(live.headers)
  for (const name of new Set([...headers.keys(), ...liveHeaders.keys()])) {
    compare(add, 'request-header', `/${name}`, headers.get(name), liveHeaders.get(name))
  }
  // Also where the value is bound: a key that is no UUID stands for no UUID.
  found.push(...callerDifferences(recorded, live))
  compareBodies(add, recorded, live)
  return found
}

/** The facts that an answer belongs to, beside what was asked. */
function callerDifferences(recorded: RequestFacts, live: RequestFacts): Difference[] {
  const facts: readonly (readonly [name: string, of: (facts: RequestFacts) => string])[] = [
    ['authorization', ({ caller }) => tokenName(caller.token)],
    ['x-tenant-id', ({ caller }) => TENANTS[caller.tenant] ?? caller.tenant.slice(1)],
    ['idempotency-key', ({ keyForm }) => KEY_FORMS[keyForm]],
    ['content-encoding', ({ coding }) => (coding === '' ? 'none' : coding)],
    ['cookie', ({ caller }) => [...caller.cookies.keys()].sort().join(', ') || 'none'],
  ]
  return facts.flatMap(([name, of]): Difference[] => {
    const [was, is] = [of(recorded), of(live)]
    if (was === is) return []
    const place = { part: 'request-header', pointer: `/${name}` } as const
    return [{ kind: 'value', place, recorded: was, live: is }]
  })
}

const TENANTS: Readonly<Record<string, string>> = {
  absent: 'none',
  own: 'the tenant of the client',
  another: 'another tenant',
}
const KEY_FORMS = { absent: 'none', uuid: 'a UUID v4', other: 'no UUID v4' } as const

function tokenName(token: TokenFact): string {
  switch (token.kind) {
    case 'none':
      return 'none'
    case 'granted':
      return token.scopes === '' ? 'a token without scopes' : `a token for ${token.scopes}`
    case 'unknown':
      return token.isRefused ? 'a token that is refused' : 'a token that no exchange has granted'
    case 'other':
      return token.scheme === ''
        ? 'credentials without a scheme'
        : `credentials of the scheme ${token.scheme}`
  }
}

function compare(
  add: Add,
  part: Place['part'],
  pointer: string,
  was?: string,
  is?: string,
  types?: Difference['types'],
): void {
  if (was === is) return
  if (was === undefined) add('extra', part, pointer, undefined, is, types)
  else if (is === undefined) add('missing', part, pointer, was, undefined, types)
  else add(isOneNumber(was, is) ? 'number-spelling' : 'value', part, pointer, was, is, types)
}

function compareFields(
  add: Add,
  part: 'query' | 'request-body',
  was: readonly FormField[],
  is: readonly FormField[],
): void {
  const names = new Set([...was, ...is].map(({ name }) => name))
  for (const name of names) {
    const before = was.filter((field) => field.name === name)
    const now = is.filter((field) => field.name === name)
    for (let i = 0; i < Math.max(before.length, now.length); i++) {
      compare(add, part, repeatPointer(name, i), before[i]?.value, now[i]?.value)
    }
  }
}

function compareBodies(add: Add, { body: was }: RequestFacts, { body: is }: RequestFacts): void {
  if (was.kind === 'json' && is.kind === 'json') compareJson(add, was.json.root, is.json.root)
  else if (was.kind === 'form' && is.kind === 'form')
    compareFields(add, 'request-body', was.fields, is.fields)
  else if (was.kind !== is.kind) {
    if (was.kind === 'none') add('extra', 'request-body', '', undefined, is.kind)
    else if (is.kind === 'none') add('missing', 'request-body', '', was.kind)
    else add('type', 'request-body', '', was.kind, is.kind)
  } else if (was.kind === 'raw' && is.kind === 'raw') {
    compareRaw(add, was, is)
  } else if (was.kind === 'multipart' && is.kind === 'multipart') {
    for (let i = 0; i < Math.max(was.parts.length, is.parts.length); i++) {
      comparePart(add, i, was.parts[i], is.parts[i])
    }
  }
}

/** Value by value where both have the same ones, and else the bytes. */
function compareRaw(add: Add, was: RawBody, is: RawBody): void {
  const texts = new Map(is.fields.map(({ pointer, value }) => [pointer, value]))
  const isAlike = was.fields.every(({ pointer }) => texts.has(pointer)) && texts.size === was.fields.length
  if (isAlike)
    for (const { pointer, value } of was.fields)
      compare(add, 'request-body', pointer, value, texts.get(pointer))
  if (!isAlike || textAround(was) !== textAround(is))
    add('value', 'request-body', '', `${was.text.length} bytes`, `${is.text.length} other bytes`)
}

function textAround({ text, fields }: RawBody): string {
  const ends = [0, ...fields.map(({ end }) => end)]
  return ends.map((end, i) => text.slice(end, fields[i]?.start)).join('\0')
}

/** By its name where it has one; else by its place among the parts. */
function comparePart(
  add: Add,
  i: number,
  was: MultipartPart | undefined,
  is: MultipartPart | undefined,
): void {
  const name = (was ?? is)?.name ?? ''
  const pointer = name === '' ? `/${i}` : repeatPointer(name, 0)
  if (was && is && was.value === is.value)
    compare(add, 'request-body', pointer, was.head.join(', '), is.head.join(', '))
  else compare(add, 'request-body', pointer, was?.value, is?.value)
}

/** Every place counts alike here; `json-drift.ts` judges by what a client can rest on, and has other rules. */
function compareJson(add: Add, was: JsonNode, is: JsonNode): void {
  eachPair(was, is, (pair) => {
    const { pointer, was: before, is: now } = pair
    const types = [before ? typeName(before) : '', now ? typeName(now) : ''] as const
    if (before && now && !isOneType(pair))
      add('type', 'request-body', pointer, textOf(before), textOf(now), types)
    else compare(add, 'request-body', pointer, before && textOf(before), now && textOf(now), types)
  })
}

function textOf(node: JsonNode): string {
  return node.kind === 'object' || node.kind === 'array' ? `(${node.kind})` : scalarText(node)
}

/** Whether two texts spell one exact number: `1000` and `1000.0`, in a body, a form or a query. */
function isOneNumber(a: string, b: string): boolean {
  const number = canonicalNumber(a)
  return number !== undefined && number === canonicalNumber(b)
}
