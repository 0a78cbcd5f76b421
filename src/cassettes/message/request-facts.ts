import { headerOf } from '../../http/header-lines.ts'
import { segmentsOf, splitTarget } from '../../http/target.ts'
import type { CapturedRequest } from '../interaction.ts'
import { type Field, readFields, readMultipart } from './form-fields.ts'
import { type JsonText, readJson } from './json-tree.ts'

export type RequestBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly json: JsonText }
  | { readonly kind: 'form'; readonly fields: readonly Field[] }
  | { readonly kind: 'multipart'; readonly parts: readonly string[] }
  | { readonly kind: 'raw'; readonly bytes: Uint8Array }

/** What a request says, taken apart once. */
export type RequestFacts = {
  readonly method: string
  /** Decoded, without the lane prefix. */
  readonly segments: readonly string[]
  readonly query: readonly Field[]
  /** Lower case, without parameters; empty when there is none. */
  readonly mediaType: string
  /** The headers that take part, by lower-case name: the outcome, the negotiated type, and those opted into. */
  readonly headers: readonly (readonly [string, string])[]
  readonly idempotencyKey: string | undefined
  readonly body: RequestBody
}

/** Headers that always take part. User-Agent, dates, trace ids and credentials never do. */
const OUTCOME = 'x-sandbox-outcome'

/** Takes a request apart. `optIn`: lower-case names of further headers that make a request another one. */
export function readRequest(request: CapturedRequest, optIn: readonly string[] = []): RequestFacts {
  const { path, query } = splitTarget(request.target)
  const contentType = headerOf(request.headers, 'content-type') ?? ''
  const headers = headersOf(request, optIn)
  // Clients that set Content-Type on everything say nothing by it where there is no content.
  const mediaType = request.body.length === 0 ? '' : essence(contentType)
  return {
    method: request.method,
    segments: segmentsOf(path),
    query: readFields(query),
    mediaType,
    headers,
    idempotencyKey: unquoted(headerOf(request.headers, 'idempotency-key')),
    body: readBody(request, contentType, mediaType),
  }
}

/** Never compared, and no secrets that could stand elsewhere in a request; a token that we issued is known by its form. */
const IDLE = new Set([
  'host',
  'user-agent',
  'connection',
  'content-length',
  'accept-encoding',
  'accept-language',
])
const OUR_TOKEN = /^bearer eyJ/i

/** A live request without the header lines that matching has no use for: redacting them would cost the most. */
export function withoutIdleHeaders(request: CapturedRequest, optIn: readonly string[]): CapturedRequest {
  const headers = request.headers.filter(([name, value]) => {
    const lower = name.toLowerCase()
    if (IDLE.has(lower)) return optIn.includes(lower)
    return lower !== 'authorization' || !OUR_TOKEN.test(value)
  })
  return { ...request, headers }
}

/** What a redacted request says; what redaction has left alone is not read again. */
export function readRedacted(
  redacted: CapturedRequest,
  request: CapturedRequest,
  facts: RequestFacts,
  optIn: readonly string[],
): RequestFacts {
  if (redacted.target !== request.target || redacted.body !== request.body)
    return readRequest(redacted, optIn)
  const idempotencyKey = unquoted(headerOf(redacted.headers, 'idempotency-key'))
  const headers = headersOf(redacted, optIn)
  return { ...facts, headers, idempotencyKey }
}

function headersOf({ headers }: CapturedRequest, optIn: readonly string[]): [string, string][] {
  const found: [string, string][] = []
  for (const name of [OUTCOME, ...optIn]) {
    const value = headerOf(headers, name)
    if (value !== undefined) found.push([name, value])
  }
  const negotiated = negotiatedType(headerOf(headers, 'accept'))
  if (negotiated !== JSON_TYPE) found.push(['accept', negotiated])
  return found
}

function readBody(request: CapturedRequest, contentType: string, mediaType: string): RequestBody {
  const { body } = request
  if (body.length === 0) return { kind: 'none' }
  const encoding = headerOf(request.headers, 'content-encoding')
  if (encoding === undefined || encoding.toLowerCase() === 'identity') {
    if (mediaType === 'application/json' || mediaType.endsWith('+json')) {
      const json = readJson(body)
      if (json) return { kind: 'json', json }
    } else if (mediaType === 'application/x-www-form-urlencoded') {
      return { kind: 'form', fields: readFields(Buffer.from(body).toString('utf8')) }
    } else if (mediaType.startsWith('multipart/')) {
      const parts = readMultipart(contentType, Buffer.from(body).toString('latin1'))
      if (parts) return { kind: 'multipart', parts }
    }
  }
  return { kind: 'raw', bytes: body }
}

const JSON_TYPE = 'json'

/**
 * What the client wants, reduced to what can make a difference: JSON for every client that takes it at its best,
 * else the first of its best types. SDKs change their Accept with every version; this does not change with it.
 */
function negotiatedType(accept: string | undefined): string {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json')
    return JSON_TYPE
  let best = 0
  let types: string[] = []
  for (const item of accept.split(',')) {
    const quality = Number(/;\s*q=([0-9.]+)/i.exec(item)?.[1] ?? '1')
    if (quality > best) types = []
    if (quality >= best && quality > 0) types.push(essence(item))
    best = Math.max(best, quality)
  }
  const json = types.some((type) => type === '*/*' || type === 'application/*' || /[/+]json$/.test(type))
  return json ? JSON_TYPE : (types[0] ?? '')
}

function essence(contentType: string): string {
  const end = contentType.indexOf(';')
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
}

/** As the edge reads it: the IETF draft quotes the key, and case does not matter. */
function unquoted(key: string | undefined): string | undefined {
  return key?.replace(/^"(.*)"$/, '$1').toLowerCase()
}
