import { createHash } from 'node:crypto'
import type { Layout } from './bindings-layout.ts'
import { decodePercent, type Field, readFields, readMultipart } from './canonical-fields.ts'
import type { JsonText } from './canonical-json.ts'
import { readJson } from './canonical-json.ts'
import { writeFields, writeJson, writeText } from './canonical-write.ts'
import type { CapturedRequest, HeaderLine } from './interaction.ts'

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

/**
 * The canonical key: equal for two requests that ask for the same. `tokens[i]` stands where hole i of the layout
 * is, so that requests that differ in bound values alone have one key.
 */
export function canonicalKey(
  facts: RequestFacts,
  operation: string | undefined,
  layout: Layout,
  tokens: readonly string[],
): string {
  const out: string[] = [facts.method, ' ', operation ?? '']
  for (const [i, segment] of facts.segments.entries()) {
    const hole = layout.path.get(i)
    out.push('/', hole === undefined ? writeText(segment) : (tokens[hole] ?? ''))
  }
  out.push('\n', writeFields(facts.query, layout.query, tokens), '\n', facts.mediaType)
  for (const [name, value] of facts.headers) out.push('\n', name, ':', writeText(value))
  out.push('\n', facts.body.kind, '\n')
  switch (facts.body.kind) {
    case 'json':
      writeJson(facts.body.json.root, layout.body, tokens, out)
      break
    case 'form':
      out.push(writeFields(facts.body.fields, layout.form, tokens))
      break
    case 'multipart':
      for (const part of facts.body.parts) out.push(writeText(part), '\n')
      break
    case 'raw':
      out.push(Buffer.from(facts.body.bytes).toString('base64'))
  }
  return compact(out.join(''))
}

/** Beyond this a digest stands for a text: what is compared is kept for every entry. */
const COMPACT_LENGTH = 512

/** A short text as it is, a long one by its digest: two differ when what they stand for does. */
export function compact(text: string): string {
  return text.length <= COMPACT_LENGTH ? text : createHash('sha256').update(text).digest('base64url')
}

/** The value of the first line of a header, trimmed. */
export function headerOf(headers: readonly HeaderLine[], lowerName: string): string | undefined {
  for (const [name, value] of headers) {
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) return value.trim()
  }
  return undefined
}

/** Path and query of a target, without an origin and without the prefix that only names a lane. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const isPlain = target.startsWith('/') && !target.startsWith('/_lane/')
  const rest = isPlain
    ? target
    : target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^\/_lane\/[^/?]+(?=\/|\?|$)/, '')
  const mark = rest.indexOf('?')
  return mark === -1 ? { path: rest, query: '' } : { path: rest.slice(0, mark), query: rest.slice(mark + 1) }
}

export function segmentsOf(path: string): readonly string[] {
  const segments = (path.startsWith('/') ? path.slice(1) : path).split('/')
  return path.includes('%') ? segments.map(decodePercent) : segments
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
