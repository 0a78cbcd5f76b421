import { isUtf8 } from 'node:buffer'
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { type HeaderLine, withoutHeader } from '../../http/header-lines.ts'
import type { CapturedReply } from '../interaction.ts'

/** What a body is once its content codings are undone. */
export type Decoded =
  | { readonly kind: 'plain' }
  | { readonly kind: 'decoded'; readonly bytes: Uint8Array }
  /** A coding that nobody here can look into. */
  | { readonly kind: 'opaque' }

/** A few kilobytes can be made to unpack to gigabytes. */
const MAX_BYTES = 64 * 1024 * 1024

const flush = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_BYTES }

const DECODERS: Readonly<Record<string, (body: Uint8Array) => Uint8Array>> = {
  // What arrived of a cut-off body is looked at as far as it goes.
  gzip: (body) => gunzipSync(body, flush),
  'x-gzip': (body) => gunzipSync(body, flush),
  // Some servers send deflate without its zlib wrapper.
  deflate: (body) => ((body[0] ?? 0) % 16 === 8 ? inflateSync(body, flush) : inflateRawSync(body, flush)),
  br: (body) =>
    brotliDecompressSync(body, { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength: MAX_BYTES }),
  identity: (body) => body,
}

export function decodeBody(headers: readonly HeaderLine[], body: Uint8Array): Decoded {
  const codings = headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length === 0 || body.length === 0) return { kind: 'plain' }
  let bytes = body
  for (const coding of codings.reverse()) {
    const decode = DECODERS[coding]
    // A text is not encoded, whatever its label says; a client that tests our refusal sends such a thing.
    if (decode === undefined) return { kind: isUtf8(bytes) ? 'plain' : 'opaque' }
    try {
      bytes = decode(bytes)
    } catch {
      return { kind: 'plain' }
    }
  }
  return { kind: 'decoded', bytes }
}

/** The bytes of a body without its content codings; as they were where nobody here can undo them. */
export function decodedBody({ headers, body }: Pick<CapturedReply, 'headers' | 'body'>): Uint8Array {
  const decoded = decodeBody(headers, body)
  return decoded.kind === 'decoded' ? decoded.bytes : body
}

/**
 * A reply without its content coding, which is how values in it are found and replaced: no client minds being sent a
 * body as it is. What nobody here can decode stays as it was recorded.
 */
export function plainReply(reply: CapturedReply): CapturedReply {
  const decoded = decodeBody(reply.headers, reply.body)
  if (decoded.kind !== 'decoded') return reply
  return { ...reply, headers: withoutHeader(reply.headers, 'content-encoding'), body: decoded.bytes }
}
