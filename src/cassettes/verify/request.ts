import type { HeaderLine } from '../../http/header-lines.ts'
import { idempotencyKey, isUuidV4 } from '../../http/idempotency-key.ts'
import { LANE_HEADER, takeLane } from '../../http/lane.ts'
import { splitTarget } from '../../http/target.ts'
import type { CapturedRequest, Interaction, Place } from '../interaction.ts'
import { type EditableField, queryFields, replaceFields } from '../message/body-fields.ts'
import { placeKey } from '../message/place.ts'
import { readableBody } from '../message/readable-body.ts'
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
  LANE_HEADER,
])

export type RequestContext = {
  readonly values: LiveValues
  /** The live Idempotency-Key of a recorded one: the same for a recorded retry. */
  readonly keyOf: (lane: string, recorded: string) => string
  readonly authorization: string | undefined
  /** Replaces the recorded X-Tenant-Id. */
  readonly tenant: string | undefined
}

export type PreparedRequest =
  | { readonly kind: 'ready'; readonly request: CapturedRequest }
  /** It needs a value that no live reply has held. */
  | { readonly kind: 'missing'; readonly type: string }

/** The recorded request with the live values of what the server has made since; everything else as it was sent. */
export function prepareRequest(interaction: Interaction, context: RequestContext): PreparedRequest {
  const { request, lane, bindings } = interaction
  const lives = new Map<string, string>()
  for (const { type, value, madeBy, places } of bindings) {
    if (madeBy !== 'server') continue
    const here = places.filter(({ part }) => !part.startsWith('reply'))
    if (here.length === 0) continue
    const live = context.values.liveOf(lane, type, value)
    if (live === undefined) return { kind: 'missing', type }
    for (const place of here) lives.set(placeKey(place), live)
  }
  const target = liveTarget(request.target, lives)
  const body = liveBody(request, lives)
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
        return [[name, isUuidV4(idempotencyKey(value)) ? context.keyOf(lane, idempotencyKey(value)) : value]]
      case 'x-tenant-id':
        return [[name, context.tenant ?? value]]
      default:
        return [[name, value]]
    }
  })
  return { kind: 'ready', request: { ...request, target, headers, body: body.bytes } }
}

function liveTarget(recorded: string, lives: ReadonlyMap<string, string>): string {
  const { target } = takeLane(recorded)
  const { path } = splitTarget(target)
  const query = replaceFields(target, queryFields(target), liveAt('query', lives)).slice(path.length)
  const segments = path.slice(1).split('/')
  const live = segments.map((segment, i) => {
    const value = lives.get(placeKey({ part: 'path', pointer: `/${i}` }))
    return value === undefined ? segment : encodeURIComponent(value)
  })
  return `/${live.join('/')}${query}`
}

function liveBody(
  request: CapturedRequest,
  lives: ReadonlyMap<string, string>,
): { readonly bytes: Uint8Array; readonly decoded: boolean } {
  const body = readableBody(request)
  const text = replaceFields(body.bytes, body.fields, liveAt('request-body', lives))
  if (text === body.bytes) return { bytes: request.body, decoded: false }
  return { bytes: Buffer.from(text, 'latin1'), decoded: body.encoding === 'decoded' }
}

function liveAt(part: Place['part'], lives: ReadonlyMap<string, string>) {
  return ({ pointer }: EditableField) => lives.get(placeKey({ part, pointer }))
}
