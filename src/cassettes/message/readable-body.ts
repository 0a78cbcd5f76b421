import type { HeaderLine } from '../../http/header-lines.ts'
import { mediaTypeOf } from '../../http/media-type.ts'
import { bodyFields, type EditableField } from './body-fields.ts'
import { bufferOf } from './bytes.ts'
import { decodeBody } from './encoding.ts'

export type Message = { readonly headers: readonly HeaderLine[]; readonly body: Uint8Array }

/** A body for reading: its bytes without content codings, as a Latin-1 string, and its fields. */
export type ReadableBody = {
  readonly bytes: string
  readonly fields: readonly EditableField[]
  readonly encoding: 'plain' | 'decoded' | 'opaque'
}

export function readableBody(message: Message): ReadableBody {
  const decoded = decodeBody(message.headers, message.body)
  if (decoded.kind === 'opaque') return { bytes: '', fields: [], encoding: 'opaque' }
  const raw = decoded.kind === 'decoded' ? decoded.bytes : message.body
  const bytes = bufferOf(raw).toString('latin1')
  return { bytes, fields: bodyFields(bytes, mediaTypeOf(message.headers)), encoding: decoded.kind }
}
