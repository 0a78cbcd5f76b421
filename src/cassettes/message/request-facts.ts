import { isUtf8 } from 'node:buffer'
import { weightedRanges } from '../../http/accept.ts'
import { headerOf } from '../../http/header-lines.ts'
import { idempotencyKey, isUuidV4 } from '../../http/idempotency-key.ts'
import { essence } from '../../http/media-type.ts'
import { segmentsOf } from '../../http/target.ts'
import type { CapturedRequest } from '../interaction.ts'
import { bodyFields, type EditableField } from './body-fields.ts'
import { withinBounds } from './bounds.ts'
import { bufferOf } from './bytes.ts'
import { ANYBODY, type CallerFacts } from './caller-facts.ts'
import { codingOf, decodeBody } from './encoding.ts'
import { type FormField, type MultipartPart, readFields, readMultipart } from './form-fields.ts'
import { type JsonText, readJson } from './json-tree.ts'
import { comparedTarget } from './target.ts'

export type RequestBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly json: JsonText }
  | { readonly kind: 'form'; readonly fields: readonly FormField[] }
  | { readonly kind: 'multipart'; readonly parts: readonly MultipartPart[] }
  /** Of another kind than its label says, or of none that is read as a whole. `text`: its bytes, as Latin-1. */
  | { readonly kind: 'raw'; readonly text: string; readonly fields: readonly RawField[] }
  /** Refused before it was read, or kept by nobody. `announced`: its length, or `chunked`. */
  | { readonly kind: 'unread'; readonly announced: string }

/** A value with a name in a body that is compared byte by byte around it. */
export type RawField = Pick<EditableField, 'pointer' | 'start' | 'end' | 'value'>

/** What a request says, taken apart once. */
export type RequestFacts = {
  readonly method: string
  /** Decoded, without the lane prefix. */
  readonly segments: readonly string[]
  readonly query: readonly FormField[]
  /** Lower case, without parameters; empty when there is none. */
  readonly mediaType: string
  /** The headers that take part, by lower-case name: the outcome and the negotiated type. */
  readonly headers: readonly (readonly [string, string])[]
  readonly idempotencyKey: string | undefined
  /** What kind of Idempotency-Key it has. */
  readonly keyForm: 'absent' | 'uuid' | 'other'
  /** Its content codings, lower case, the first applied first; empty for a body that is sent as it is. */
  readonly coding: string
  readonly body: RequestBody
  readonly caller: CallerFacts
}

/** Takes part beside the negotiated type. User-Agent, dates, trace ids and credentials never do. */
const OUTCOME = 'x-sandbox-outcome'

/** What a write is made dependent on, and what stands for another method: without it the request is another one. */
const OF_A_WRITE = new Set([
  'if-match',
  'if-unmodified-since',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
])

/** A preflight of CORS asks for a method and for names of headers. */
const OF_A_PREFLIGHT = ['access-control-request-headers', 'access-control-request-method'] as const

/** Takes a request apart. */
export function readRequest(request: CapturedRequest, caller: CallerFacts = ANYBODY): RequestFacts {
  const { path, query } = comparedTarget(request.target)
  const contentType = headerOf(request.headers, 'content-type') ?? ''
  const headers = headersOf(request)
  // Clients that set Content-Type on everything say nothing by it where there is no content.
  const mediaType = request.body.length === 0 ? '' : essence(contentType)
  return {
    method: request.method,
    segments: segmentsOf(path),
    query: readFields(query),
    mediaType,
    headers,
    idempotencyKey: keyOf(request),
    keyForm: keyFormOf(request),
    coding: codingOf(request.headers),
    caller,
    body: bodyFacts(request, contentType, mediaType),
  }
}

/** Headers that are never compared and hold no secret that could stand elsewhere in the request as well. */
const IDLE = new Set([
  'host',
  'user-agent',
  'connection',
  'content-length',
  'accept-encoding',
  'accept-language',
])
const NOTHING_CHOSEN: ReadonlySet<string> = new Set()

/** A token that we issued needs no redaction of its header to be found elsewhere: its form gives it away. */
const OUR_TOKEN = /^bearer eyJ/i

/**
 * A live request without the header lines that matching has no use for, so that they need not be redacted.
 * `choosing`: the headers that have chosen a recorded answer.
 */
export function withoutIdleHeaders(
  request: CapturedRequest,
  choosing: ReadonlySet<string> = NOTHING_CHOSEN,
): CapturedRequest {
  const headers = request.headers.filter(([name, value]) => {
    const lower = name.toLowerCase()
    if (choosing.has(lower)) return true
    return !IDLE.has(lower) && (lower !== 'authorization' || !OUR_TOKEN.test(value))
  })
  return { ...request, headers }
}

/** What a redacted request says; what redaction has left alone is not read again. */
export function readRedacted(
  redacted: CapturedRequest,
  request: CapturedRequest,
  facts: RequestFacts,
): RequestFacts {
  if (redacted.target !== request.target || redacted.body !== request.body)
    return { ...readRequest(redacted, facts.caller), keyForm: facts.keyForm, coding: facts.coding }
  const idempotencyKey = keyOf(redacted)
  const headers = headersOf(redacted)
  return { ...facts, headers, idempotencyKey }
}

function headersOf({ headers, body }: CapturedRequest): [string, string][] {
  const found: [string, string][] = []
  const outcomes = headers.filter(([name]) => name.toLowerCase() === OUTCOME).map(([, value]) => value)
  if (outcomes.length > 0) found.push([OUTCOME, outcomes.join(', ')])
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    if (OF_A_WRITE.has(lower)) found.push([lower, value])
  }
  const parameters = body.length === 0 ? '' : parametersOf(headerOf(headers, 'content-type') ?? '')
  if (parameters !== '') found.push(['content-type', parameters])
  const negotiated = negotiatedType(headerOf(headers, 'accept'))
  if (negotiated !== JSON_TYPE) found.push(['accept', negotiated])
  for (const name of OF_A_PREFLIGHT) {
    const value = headerOf(headers, name)
    // Browsers differ in the order and the spelling of what they ask for.
    if (value !== undefined)
      found.push([
        name,
        value
          .toLowerCase()
          .split(/[,\s]+/)
          .sort()
          .join(' ')
          .trim(),
      ])
  }
  return found
}

/** The parameters of a media type that say how its content is meant: not UTF-8, which is what JSON and forms are in. */
function parametersOf(contentType: string): string {
  if (!contentType.includes(';')) return ''
  return contentType
    .split(';')
    .slice(1)
    .map((parameter) => parameter.replaceAll(/[\s"]/g, '').toLowerCase())
    .filter((parameter) => parameter.includes('=') && !IDLE_PARAMETER.test(parameter))
    .sort()
    .join('; ')
}

const IDLE_PARAMETER = /^(?:boundary=|charset=(?:utf-?8|us-ascii)?$)/

function bodyFacts(request: CapturedRequest, contentType: string, mediaType: string): RequestBody {
  if (request.body.length === 0) return { kind: 'none' }
  const decoded = decodeBody(request.headers, request.body)
  const body = decoded.kind === 'decoded' ? decoded.bytes : request.body
  if (decoded.kind !== 'opaque') {
    if (mediaType === 'application/json' || mediaType.endsWith('+json')) {
      // What is no UTF-8 is read by no two programs alike.
      const json = isUtf8(body) ? readJson(body) : undefined
      if (json) return { kind: 'json', json }
    } else if (mediaType === 'application/x-www-form-urlencoded') {
      return { kind: 'form', fields: readFields(Buffer.from(body).toString('utf8')) }
    } else if (mediaType.startsWith('multipart/')) {
      const parts = readMultipart(contentType, Buffer.from(body).toString('latin1'))
      if (parts) return { kind: 'multipart', parts }
    }
  }
  return rawBody(bufferOf(body).toString('latin1'), mediaType)
}

/** With the fields in which redaction has found what it knows by name, so that these values are bound here as well. */
function rawBody(text: string, mediaType: string): RequestBody {
  const fields = withinBounds<readonly EditableField[]>(
    () =>
      // Bytes that are no text would all read as one replacement character, so they are compared as they stand.
      bodyFields(text, mediaType)
        .filter(({ value }) => !value.includes('\ufffd'))
        .toSorted((a, b) => a.start - b.start),
    () => [],
  )
  return { kind: 'raw', text, fields }
}

const JSON_TYPE = 'json'

/**
 * What the client wants, reduced to what can make a difference: JSON for every client that takes it at its best,
 * else the first of its best types. SDKs change their Accept with every version; this does not change with it.
 */
function negotiatedType(accept: string | undefined): string {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json')
    return JSON_TYPE
  const ranges = weightedRanges(accept)
  const best = Math.max(0, ...ranges.map(({ quality }) => quality))
  const types = ranges.filter(({ quality }) => quality === best && best > 0).map(({ range }) => range)
  const json = types.some((type) => type === '*/*' || type === 'application/*' || /[/+]json$/.test(type))
  return json ? JSON_TYPE : (types[0] ?? '')
}

/** Two lines are one key that is no UUID, as they are to whoever judges them. */
function keyFormOf({ headers }: CapturedRequest): RequestFacts['keyForm'] {
  const lines = headers.filter(([name]) => name.toLowerCase() === 'idempotency-key')
  const [line] = lines
  if (line === undefined) return 'absent'
  return lines.length === 1 && isUuidV4(idempotencyKey(line[1])) ? 'uuid' : 'other'
}

function keyOf({ headers }: CapturedRequest): string | undefined {
  const value = headerOf(headers, 'idempotency-key')
  return value === undefined ? undefined : idempotencyKey(value)
}
