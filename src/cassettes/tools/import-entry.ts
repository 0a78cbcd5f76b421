import type { HeaderLine } from '../../http/header-lines.ts'
import { EntryFault, number, readBody, record, text } from '../file/har/read-entry.ts'
import { isRecord } from '../file/shape.ts'
import type { CapturedExchange } from '../interaction.ts'

/** `urlOrigin`: scheme, host and port. */
export type ForeignExchange = CapturedExchange & { readonly urlOrigin: string }

const LANE_PREFIX = /^\/_lane\/([A-Za-z0-9._~-]{1,100})(?=\/)/

/** They described the bytes on the wire; a HAR holds decoded ones. */
const WIRE_ONLY = new Set(['content-encoding', 'content-length', 'transfer-encoding'])

/** An exchange from an entry of anybody's HAR. @throws EntryFault */
export function exchangeOf(value: unknown): ForeignExchange {
  const entry = record(value, 'the entry')
  const request = record(entry.request, 'request')
  const response = record(entry.response, 'response')
  const spelled = text(request.url, 'request.url')
  const url = urlOf(spelled)
  const startedAt = Date.parse(text(entry.startedDateTime, 'startedDateTime'))
  if (Number.isNaN(startedAt)) throw new EntryFault('startedDateTime is not an instant')
  const headers = linesOf(request.headers, 'request.headers')
  // As it was spelled: URL would tidy it.
  const asked = /^[a-z]+:\/\/[^/?#]*([^#]*)/i.exec(spelled)?.[1] || '/'
  // The prefix names the lane, and no sandbox has such a path.
  const target = asked.replace(LANE_PREFIX, '')
  const status = number(response.status, 'response.status')
  return {
    startedAt,
    durationMs: typeof entry.time === 'number' && entry.time >= 0 ? entry.time : 0,
    partner: undefined,
    lane: laneOf(headers, asked),
    operation: undefined,
    origin: 'upstream',
    urlOrigin: url.origin,
    request: {
      method: text(request.method, 'request.method').toUpperCase(),
      target,
      httpVersion: request.httpVersion === 'HTTP/1.0' ? '1.0' : '1.1',
      headers,
      body: requestBody(request.postData),
    },
    // Status 0 (or -1) is how HAR says that no response came.
    reply: status < 100 ? undefined : { status, ...replyOf(response) },
  }
}

function replyOf(response: Readonly<Record<string, unknown>>) {
  const content = isRecord(response.content) ? response.content : {}
  const size = typeof content.size === 'number' ? content.size : 0
  if (content.text === undefined && size > 0)
    throw new EntryFault('has no response body: export the HAR with its content')
  return {
    headers: linesOf(response.headers, 'response.headers'),
    body: readBody(undefined, content, 'response.content'),
  }
}

function requestBody(postData: unknown): Uint8Array {
  if (!isRecord(postData)) return new Uint8Array(0)
  if (typeof postData.text === 'string' && (postData.text !== '' || !Array.isArray(postData.params)))
    return readBody(undefined, postData, 'request.postData')
  // Some exporters give the fields of a form alone.
  const params = Array.isArray(postData.params) ? postData.params.filter(isRecord) : []
  const form = new URLSearchParams(
    params.map(({ name, value }): [string, string] => [String(name ?? ''), String(value ?? '')]),
  )
  return Buffer.from(form.toString())
}

function linesOf(value: unknown, name: string): HeaderLine[] {
  if (!Array.isArray(value)) throw new EntryFault(`${name} is missing or has the wrong type`)
  return value.filter(isRecord).flatMap((line): HeaderLine[] => {
    const key = String(line.name ?? '')
    if (key.startsWith(':') || WIRE_ONLY.has(key.toLowerCase())) return []
    // Browsers join repeated lines of a response with a line break.
    return String(line.value ?? '')
      .split('\n')
      .map((part): HeaderLine => [key, part])
  })
}

/** X-Sandgate-Lane, else the path's prefix, else the client that the token was made out to. */
function laneOf(headers: readonly HeaderLine[], target: string): string {
  const header = (name: string) => headers.find(([key]) => key.toLowerCase() === name)?.[1]
  const named = header('x-sandgate-lane') ?? LANE_PREFIX.exec(target)?.[1]
  if (named !== undefined) return named
  const payload = /^bearer\s+[\w-]+\.([\w-]+)\./i.exec(header('authorization') ?? '')?.[1]
  if (payload === undefined) return ''
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    const client = isRecord(claims) ? claims.client_id : undefined
    return typeof client === 'string' && /^key_[\w-]{1,60}$/.test(client) ? client : ''
  } catch {
    return ''
  }
}

function urlOf(url: string): URL {
  if (!URL.canParse(url)) throw new EntryFault('request.url is not an absolute URL')
  const parsed = new URL(url)
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    throw new EntryFault('was not made over HTTP')
  return parsed
}
