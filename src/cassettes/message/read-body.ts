import type { HeaderLine } from '../../http/header-lines.ts'
import { bodyFields, type Field } from './body-fields.ts'
import { decodeBody } from './encoding.ts'

export type Message = { readonly headers: readonly HeaderLine[]; readonly body: Uint8Array }

/** A body for reading: its bytes without content codings, as a Latin-1 string, and its fields. */
export type ReadBody = {
  readonly bytes: string
  readonly fields: readonly Field[]
  readonly encoding: 'plain' | 'decoded' | 'opaque'
}

export function readBody(message: Message): ReadBody {
  const decoded = decodeBody(message.headers, message.body)
  if (decoded.kind === 'opaque') return { bytes: '', fields: [], encoding: 'opaque' }
  const raw = decoded.kind === 'decoded' ? decoded.bytes : message.body
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1')
  return { bytes, fields: bodyFields(bytes, mediaTypeOf(message.headers)), encoding: decoded.kind }
}

function mediaTypeOf(headers: readonly HeaderLine[]): string {
  const line = headers.find(([name]) => name.toLowerCase() === 'content-type')
  return (line?.[1].split(';', 1)[0] ?? '').trim().toLowerCase()
}
