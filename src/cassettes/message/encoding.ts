import { isUtf8 } from 'node:buffer'
import {
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib'
import { type HeaderLine, withoutHeader } from '../../http/header-lines.ts'
import { systemCode } from '../../system-error.ts'
import type { CapturedReply, NoReply } from '../interaction.ts'
import { MAX_UNPACKED_BYTES } from './bounds.ts'

/** What a body is once its content codings are undone. */
export type Decoded =
  | { readonly kind: 'plain' }
  | { readonly kind: 'decoded'; readonly bytes: Uint8Array }
  /** A coding that nobody here can look into. */
  | { readonly kind: 'opaque' }

/** `whole`: a body that was cut off is an error; else it is decoded as far as it goes. @throws */
type Decoder = (body: Uint8Array, whole: boolean) => Uint8Array

const zlib = (whole: boolean) => ({
  finishFlush: whole ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
  maxOutputLength: MAX_UNPACKED_BYTES,
})

const gunzip: Decoder = (body, whole) => gunzipSync(body, zlib(whole))

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  // Some servers send deflate without its zlib wrapper.
  ['deflate', (body, whole) => ((body[0] ?? 0) % 16 === 8 ? inflateSync : inflateRawSync)(body, zlib(whole))],
  [
    'br',
    (body, whole) =>
      brotliDecompressSync(body, {
        finishFlush: whole ? constants.BROTLI_OPERATION_FINISH : constants.BROTLI_OPERATION_FLUSH,
        maxOutputLength: MAX_UNPACKED_BYTES,
      }),
  ],
])

/** The content codings that can be undone here. */
export function isReadableCoding(coding: string): boolean {
  return coding === 'identity' || DECODERS.has(coding)
}

/** The content codings of a message, in lower case and in one spelling; empty when there are none. */
export function codingOf(headers: readonly HeaderLine[]): string {
  return codingsOf(headers).join(', ')
}

/** The content codings of a body, in the order in which they were applied. */
function codingsOf(headers: readonly HeaderLine[]): string[] {
  return headers
    .filter(([name]) => name.length === 16 && name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
}

/**
 * A body for looking into, as far as it can be undone: a request that a sandbox refuses for its coding holds the same
 * secrets as a good one.
 */
export function decodeBody(headers: readonly HeaderLine[], body: Uint8Array): Decoded {
  const codings = codingsOf(headers)
  if (codings.length === 0 || body.length === 0) return { kind: 'plain' }
  let bytes = body
  for (const coding of codings.reverse()) {
    const decode = DECODERS.get(coding)
    // A text is not encoded, whatever its label says; a client that tests our refusal sends such a thing.
    if (decode === undefined) return { kind: isUtf8(bytes) ? 'plain' : 'opaque' }
    try {
      bytes = decode(bytes, false)
    } catch (cause) {
      return { kind: isTooLong(cause) ? 'opaque' : 'plain' }
    }
  }
  return { kind: 'decoded', bytes }
}

/** A body that unpacks to more than is looked through. */
function isTooLong(cause: unknown): boolean {
  return systemCode(cause) === 'ERR_BUFFER_TOO_LARGE'
}

/** The bytes of a body without its content codings; as they were where nobody here can undo them. */
export function decodedBody({ headers, body }: Pick<CapturedReply, 'headers' | 'body'>): Uint8Array {
  const decoded = decodeBody(headers, body)
  return decoded.kind === 'decoded' ? decoded.bytes : body
}

/** The bytes in the codings that these headers name. Undefined when one of them is not known here. */
export function encodeBody(headers: readonly HeaderLine[], bytes: Uint8Array): Uint8Array | undefined {
  let body = bytes
  for (const coding of codingsOf(headers)) {
    const encode = ENCODERS.get(coding)
    if (encode === undefined) return undefined
    body = encode(body)
  }
  return body
}

const ENCODERS: ReadonlyMap<string, (body: Uint8Array) => Uint8Array> = new Map([
  ['gzip', (body) => gzipSync(body)],
  ['x-gzip', (body) => gzipSync(body)],
  ['deflate', (body) => deflateSync(body)],
  ['br', (body) => brotliCompressSync(body)],
])

/** Its first byte. */
const GZIP = 0x1f

export type PlainReply =
  | { readonly kind: 'whole'; readonly reply: CapturedReply }
  | { readonly kind: 'broken'; readonly why: NoReply }

/**
 * A reply as it is kept: without its content coding, since no client minds being sent a body as it is. One that cannot
 * be undone as a whole is no reply: a replay would serve what nobody has ever been answered.
 */
export function plainReply(reply: CapturedReply): PlainReply {
  const codings = codingsOf(reply.headers)
  // The label of no coding says nothing.
  if (codings.length === 0)
    return { kind: 'whole', reply: { ...reply, headers: withoutHeader(reply.headers, 'content-encoding') } }
  const headers = unpackedLines(reply.headers)
  let body = reply.body
  if (body.length === 0) return { kind: 'whole', reply: { ...reply, headers } }
  // A text with the label of gzip is not packed: it is whole, and who had asked has got it with that label.
  if (/^(?:x-)?gzip$/.test(codings.join()) && body[0] !== GZIP && isUtf8(body))
    return { kind: 'whole', reply }
  for (const coding of codings.reverse()) {
    const decode = DECODERS.get(coding)
    if (decode === undefined) return { kind: 'broken', why: 'unreadable-coding' }
    try {
      body = decode(body, true)
    } catch (cause) {
      return { kind: 'broken', why: isTooLong(cause) ? 'beyond-bound' : 'undecodable' }
    }
  }
  return { kind: 'whole', reply: { ...reply, headers, body } }
}

/** The header lines of a reply whose coding has been undone; the length was that of the packed bytes. */
export function unpackedLines(lines: readonly HeaderLine[]): readonly HeaderLine[] {
  if (!lines.some(([name]) => name.toLowerCase() === 'content-encoding')) return lines
  return withoutHeader(withoutHeader(lines, 'content-encoding'), 'content-length')
}
