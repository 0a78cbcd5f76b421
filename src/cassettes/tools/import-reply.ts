import { isUtf8 } from 'node:buffer'
import { type HeaderLine, headerOf, WIRE_HEADERS } from '../../http/header-lines.ts'
import { mediaTypeOf } from '../../http/media-type.ts'
import { isRecord } from '../file/checked.ts'
import { EntryError, readContent, record, text } from '../file/har/members.ts'
import type { CapturedExchange, CapturedReply, NoReply } from '../interaction.ts'
import { bufferOf } from '../message/bytes.ts'
import { plainReply } from '../message/encoding.ts'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * The reply of an entry of anybody's HAR, or why there is none. Programs that write HAR leave bodies out, cut them, and
 * show a browser's cache as an answer of the server; none of that is what the server has said.
 *
 * @throws EntryError
 */
export function foreignReply(
  entry: JsonObject,
  status: number,
  isBrowser: boolean,
): Pick<CapturedExchange, 'reply' | 'noReply'> {
  // Status 0 (or -1) is how HAR says that no response came.
  if (status < 100) return lacking('unanswered')
  const request = record(entry.request, 'request')
  const response = record(entry.response, 'response')
  const lines = foreignLines(response.headers, 'response.headers')
  if (status === 304 && isOfCache(entry, request, response, isBrowser)) return lacking('from-cache')
  const content = isRecord(response.content) ? response.content : {}
  const body = readContent(content, 'response.content')
  if (isPacked(lines, content, body)) {
    const packed = plainReply({ status, headers: lines, body })
    return packed.kind === 'broken'
      ? lacking(packed.why)
      : { reply: { ...packed.reply, headers: unwired(packed.reply.headers) } }
  }
  const reply: CapturedReply = { status, headers: unwired(lines), body }
  if (!mayHaveBody(text(request.method, 'request.method'), status)) return { reply }
  return isLost(content, lines, body, response.bodySize) ? lacking('not-kept') : { reply }
}

function lacking(noReply: NoReply): Pick<CapturedExchange, 'reply' | 'noReply'> {
  return { reply: undefined, noReply }
}

/** Without the lines that describe bytes which a HAR does not show. */
export function unwired(lines: readonly HeaderLine[], kept = ''): HeaderLine[] {
  return lines.filter(([name]) => name.toLowerCase() === kept || !WIRE_HEADERS.has(name.toLowerCase()))
}

/** @throws EntryError */
export function foreignLines(value: unknown, name: string): HeaderLine[] {
  if (!Array.isArray(value)) throw new EntryError(`${name} is missing or has the wrong type`)
  return value.filter(isRecord).flatMap((line): HeaderLine[] => {
    const key = String(line.name ?? '')
    if (key.startsWith(':')) return []
    // Browsers join repeated lines of a response with a line break.
    return String(line.value ?? '')
      .split('\n')
      .map((part): HeaderLine => [key, part])
  })
}

/**
 * Whether a 304 was for the browser's cache, and not for the program that asked: nobody has asked for it in the
 * request, or a browser has, which then answered the program with 200.
 */
function isOfCache(
  entry: JsonObject,
  request: JsonObject,
  response: JsonObject,
  isBrowser: boolean,
): boolean {
  const lines = foreignLines(request.headers, 'request.headers')
  const isConditional = lines.some(([name]) => /^if-(?:none-match|modified-since)$/i.test(name))
  const agent = headerOf(lines, 'user-agent') ?? ''
  const ofBrowser = lines.some(([name]) => /^sec-fetch-/i.test(name)) || agent.startsWith('Mozilla/')
  const content = isRecord(response.content) ? response.content : {}
  const hasContent = typeof content.text === 'string' && content.text !== ''
  return !isConditional || isBrowser || ofBrowser || hasContent || entry._fromCache !== undefined
}

function mayHaveBody(method: string, status: number): boolean {
  return method.toUpperCase() !== 'HEAD' && status !== 204 && status !== 304
}

/** Some programs put the bytes of the wire where the decoded ones belong; a text shows that it is none. */
function isPacked(lines: readonly HeaderLine[], content: JsonObject, body: Uint8Array): boolean {
  if (content.encoding !== 'base64' || body.length === 0 || headerOf(lines, 'content-encoding') === undefined)
    return false
  return (body[0] === 0x1f && body[1] === 0x8b) || (isTextual(lines, content) && !isUtf8(body))
}

function isTextual(lines: readonly HeaderLine[], content: JsonObject): boolean {
  const type = mediaTypeOf(lines) || String(content.mimeType ?? '')
  return /^text\/|[/+](?:json|xml)\b|x-www-form-urlencoded/.test(type)
}

/** Whether the body is absent or shorter than the server's, by what the HAR says of its length. */
function isLost(
  content: JsonObject,
  lines: readonly HeaderLine[],
  body: Uint8Array,
  bodySize: unknown,
): boolean {
  if (/truncat|not included/i.test(String(content.comment ?? ''))) return true
  const isCoded = headerOf(lines, 'content-encoding') !== undefined
  const announced = isCoded ? undefined : lengthOf(headerOf(lines, 'content-length'))
  const size = lengthOf(content.size)
  if (content.text === undefined) {
    if (announced === 0 || (size === 0 && announced === undefined)) return false
    // Minus one says that nobody knows.
    return announced !== undefined || size !== undefined || Number(bodySize) > 0 || content.size === -1
  }
  if (body.length === 0)
    return (announced ?? size ?? 0) > 0 || (content.size === -1 && announced === undefined)
  // A text is counted here as UTF-8, and the server may have sent another charset or a mark of byte order.
  const charset = /charset="?(utf-?16|utf-?32)/i.test(headerOf(lines, 'content-type') ?? '')
  const longest = Math.max(announced ?? 0, size ?? 0)
  if (charset || longest <= body.length || isWholeJson(body)) return false
  // Of a packed body some programs give the length on the wire, which a short text can be below.
  if (isCoded && size === bodySize) return false
  return content.encoding === 'base64' || longest - body.length !== BYTE_ORDER_MARK
}

const BYTE_ORDER_MARK = 3

/** An object or list that was cut off is not well-formed. */
function isWholeJson(body: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(bufferOf(body).toString('utf8'))
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

function lengthOf(value: unknown): number | undefined {
  const length = typeof value === 'string' ? Number(value) : value
  return typeof length === 'number' && Number.isInteger(length) && length >= 0 ? length : undefined
}
