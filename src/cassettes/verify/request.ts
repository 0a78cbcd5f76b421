import type { HeaderLine } from '../../http/header-lines.ts'
import type { CapturedRequest, Interaction } from '../interaction.ts'
import { type Field, queryFields } from '../message/body-fields.ts'
import { readBody } from '../message/read-body.ts'
import type { LiveValues } from './live-values.ts'

/** They belong to the connection that was recorded, or to the tape. */
const LEFT_OUT = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'cookie',
  'date',
  'expect',
  'host',
  'transfer-encoding',
  'x-sandgate-lane',
])

const UUID_V4 = /^"?[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"?$/i

export type RequestContext = {
  readonly values: LiveValues
  /** The live Idempotency-Key of a recorded one: the same for a recorded retry. */
  readonly keyOf: (lane: string, recorded: string) => string
  readonly authorization: string | undefined
  /** Replaces the recorded X-Tenant-Id. */
  readonly tenant: string | undefined
}

export type LiveRequest =
  | { readonly kind: 'ready'; readonly request: CapturedRequest }
  /** It needs a value that no live reply has held. */
  | { readonly kind: 'missing'; readonly type: string }

/** The recorded request with the live values of what the server has made since; everything else as it was sent. */
export function liveRequest(interaction: Interaction, context: RequestContext): LiveRequest {
  const { request, lane, bindings } = interaction
  const lives = new Map<string, string>()
  for (const { type, value, madeBy, places } of bindings) {
    if (madeBy !== 'server') continue
    const here = places.filter(({ part }) => !part.startsWith('reply'))
    if (here.length === 0) continue
    const live = context.values.liveOf(lane, type, value)
    if (live === undefined) return { kind: 'missing', type }
    for (const { part, pointer } of here) lives.set(`${part} ${pointer}`, live)
  }
  const target = liveTarget(request.target, lives)
  const body = replaceFields(request, lives)
  const headers = request.headers.flatMap(([name, value]): HeaderLine[] => {
    const lower = name.toLowerCase()
    if (LEFT_OUT.has(lower)) return []
    switch (lower) {
      case 'authorization':
        return context.authorization === undefined ? [] : [[name, context.authorization]]
      case 'content-encoding':
        return body.decoded ? [] : [[name, value]]
      case 'idempotency-key':
        // A key that was refused as none is sent as it was.
        return [
          [name, UUID_V4.test(value) ? context.keyOf(lane, value.replaceAll('"', '').toLowerCase()) : value],
        ]
      case 'x-tenant-id':
        return [[name, context.tenant ?? value]]
      default:
        return [[name, value]]
    }
  })
  return { kind: 'ready', request: { ...request, target, headers, body: body.bytes } }
}

function liveTarget(recorded: string, lives: ReadonlyMap<string, string>): string {
  const target = recorded.replace(/^\/_lane\/[^/?]+(?=\/|\?|$)/, '')
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const query = replaced(
    target,
    queryFields(target).filter(({ pointer }) => lives.has(`query ${pointer}`)),
    ({ pointer }) => lives.get(`query ${pointer}`),
  ).slice(path.length)
  const segments = path.slice(1).split('/')
  const live = segments.map((segment, i) => {
    const value = lives.get(`path /${i}`)
    return value === undefined ? segment : encodeURIComponent(value)
  })
  return `/${live.join('/')}${query}`
}

function replaceFields(
  request: CapturedRequest,
  lives: ReadonlyMap<string, string>,
): { readonly bytes: Uint8Array; readonly decoded: boolean } {
  const body = readBody(request)
  const fields = body.fields.filter(({ pointer }) => lives.has(`request-body ${pointer}`))
  if (fields.length === 0) return { bytes: request.body, decoded: false }
  const text = replaced(body.bytes, fields, ({ pointer }) => lives.get(`request-body ${pointer}`))
  return { bytes: Buffer.from(text, 'latin1'), decoded: body.encoding === 'decoded' }
}

/** `text` with other values for these fields, each written as its place asks for; the other bytes stay. */
export function replaced(
  text: string,
  fields: readonly Field[],
  live: (field: Field) => string | undefined,
): string {
  let out = ''
  let rest = 0
  for (const field of fields) {
    const value = live(field)
    if (value === undefined) continue
    out += text.slice(rest, field.start) + field.write(value)
    rest = field.end
  }
  return out + text.slice(rest)
}
