import { isUtf8 } from 'node:buffer'
import { bufferOf } from '../message/bytes.ts'

/** Bytes as JSON can hold them: text when UTF-8 gives the same bytes back, else base64. */
export type StoredBody = { readonly text: string } | { readonly base64: string }

export function storeBody(body: Uint8Array): StoredBody | undefined {
  if (body.length === 0) return undefined
  const bytes = bufferOf(body)
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') }
}

export function readStored(body: StoredBody | undefined): Uint8Array {
  if (body === undefined) return new Uint8Array(0)
  return 'text' in body ? Buffer.from(body.text, 'utf8') : Buffer.from(body.base64, 'base64')
}
