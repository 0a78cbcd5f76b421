import type { HeaderLine } from '../../http/header-lines.ts'
import { mediaTypeOf } from '../../http/media-type.ts'
import { bodyFields, type EditableField } from './body-fields.ts'
import { type Beyond, BeyondBound, MAX_BODY_BYTES, withinBounds } from './bounds.ts'
import { bufferOf } from './bytes.ts'
import { decodeBody } from './encoding.ts'
import { unpacked, unpackingRoom } from './packed.ts'

export type Message = { readonly headers: readonly HeaderLine[]; readonly body: Uint8Array }

/** A body for reading: its bytes without content codings and packing, as a Latin-1 string, and its fields. */
export type ReadableBody = {
  readonly bytes: string
  readonly fields: readonly EditableField[]
  /** `opaque`: nobody can say what is in it, because of the bound that it is `beyond`. */
  readonly encoding: 'plain' | 'decoded' | 'opaque'
  readonly beyond?: Beyond
}

/** In time and memory that grow with the bytes alone, whatever they are. */
export function readableBody(message: Message): ReadableBody {
  return withinBounds(() => read(message), opaqueBody)
}

/** Stands for a body that is beyond a bound. */
export function opaqueBody(beyond: Beyond): ReadableBody {
  return { bytes: '', fields: [], encoding: 'opaque', beyond }
}

/** The value of one field of a body; undefined where it has none. */
export function bodyValue(message: Message, pointer: string): string | undefined {
  return fieldValue(readableBody(message).fields, pointer)
}

export function fieldValue(fields: ReadableBody['fields'], pointer: string): string | undefined {
  return fields.find((field) => field.pointer === pointer)?.value
}

/** @throws BeyondBound */
function read(message: Message): ReadableBody {
  if (message.body.length > MAX_BODY_BYTES) throw new BeyondBound('too-long')
  const decoded = decodeBody(message.headers, message.body)
  if (decoded.kind === 'opaque') throw new BeyondBound('unknown-packing')
  const raw = bufferOf(decoded.kind === 'decoded' ? decoded.bytes : message.body)
  // Packed bytes are known by their first ones, whatever the label says.
  const inner = unpacked(raw, unpackingRoom())
  const bytes = inner.toString('latin1')
  const fields = bodyFields(bytes, mediaTypeOf(message.headers))
  return { bytes, fields, encoding: inner === raw ? decoded.kind : 'decoded' }
}
