import { escapeStep } from '../../http/json-pointer.ts'
import { splitTarget } from '../../http/target.ts'
import { append } from '../../map-entries.ts'
import type { Interaction } from '../interaction.ts'
import { placeKey, readPlaceKey } from '../message/place.ts'
import { readableBody } from '../message/readable-body.ts'
import { valuesOf } from '../message/values.ts'

export type MeantValue = { readonly type: 'text' | 'number' | 'literal' | 'bytes'; readonly text: string }

export type Meaning = {
  readonly sequence: number
  readonly title: string
  /** Interactions that can be each other's counterpart have one key. */
  readonly key: string
  readonly values: ReadonlyMap<string, MeantValue>
}

const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}/
const MOMENT = new Set([
  'authorization',
  'content-length',
  'cookie',
  'date',
  'expires',
  'last-modified',
  'ratelimit',
  'retry-after',
  'set-cookie',
  'transfer-encoding',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
])

/** Headers that tell the moment and the connection rather than what was said. */
export function headerIgnored(at: string): boolean {
  const { part, pointer } = readPlaceKey(at)
  return part.endsWith('-header') && MOMENT.has(pointer.split('/')[1] ?? '')
}

/** The values of an interaction with numbered holes for what is bound. `numbers` runs through the whole cassette. */
export function meaningOf(interaction: Interaction, numbers: Map<string, number>): Meaning {
  const { request, reply, lane, operation, sequence } = interaction
  const holes = new Map<string, { value: string; hole: string }[]>()
  for (const { type, value, places } of interaction.bindings) {
    const id = `${lane}\0${type}\0${value}`
    const number = numbers.get(id) ?? nextOf(numbers, `${lane}\0${type}`)
    numbers.set(id, number)
    for (const place of places) append(holes, placeKey(place), { value, hole: `{${type} ${number}}` })
  }
  const types = new Map<string, MeantValue['type']>()
  for (const field of readableBody(request).fields)
    if (field.number) types.set(placeKey({ part: 'request-body', pointer: field.pointer }), 'number')
  for (const field of reply ? readableBody(reply).fields : [])
    if (field.number) types.set(placeKey({ part: 'reply-body', pointer: field.pointer }), 'number')

  const values = new Map<string, MeantValue>()
  for (const [at, raw] of valuesOf(interaction)) {
    let text = raw
    for (const { value, hole } of holes.get(at) ?? [])
      text = text === value ? hole : text.replaceAll(value, hole)
    if (INSTANT.test(text)) text = '{instant}'
    values.set(at, { type: types.get(at) ?? 'text', text })
  }
  for (const [part, message] of [
    ['request-body', request],
    ['reply-body', reply],
  ] as const) {
    if (message === undefined || message.body.length === 0) continue
    const { bytes, fields } = readableBody(message)
    if (fields.length === 0 && !/^\s*[{[]/.test(bytes)) values.set(part, { type: 'bytes', text: bytes })
    else for (const [pointer, literal] of literalsOf(bytes)) values.set(placeKey({ part, pointer }), literal)
  }
  values.set('status', { type: 'number', text: reply ? String(reply.status) : 'none' })
  const path = splitTarget(request.target).path.slice(1).split('/')
  const shape = path
    .map(
      (_, i) =>
        values.get(placeKey({ part: 'path', pointer: `/${i}` }))?.text.replace(/^\{(\S+) \d+\}$/, '{$1}') ??
        '',
    )
    .join('/')
  const title = `${request.method} /${shape}`
  return { sequence, title, key: `${lane}\0${operation ?? ''}\0${title}`, values }
}

/** true, false and null have no place of their own among the fields. */
function* literalsOf(bytes: string): Generator<[string, MeantValue]> {
  let value: unknown
  try {
    value = JSON.parse(bytes)
  } catch {
    return
  }
  yield* literals(value, '')
}

function* literals(value: unknown, pointer: string): Generator<[string, MeantValue]> {
  if (value === null || typeof value === 'boolean') yield [pointer, { type: 'literal', text: String(value) }]
  else if (typeof value === 'object') {
    const members = Object.entries(value)
    if (members.length === 0) yield [pointer, { type: 'literal', text: Array.isArray(value) ? '[]' : '{}' }]
    for (const [name, child] of members) yield* literals(child, `${pointer}/${escapeStep(name)}`)
  }
}

function nextOf(numbers: Map<string, number>, type: string): number {
  const next = (numbers.get(type) ?? 0) + 1
  numbers.set(type, next)
  return next
}
