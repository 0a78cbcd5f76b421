import { type HeaderLine, headerOf } from '../../../http/header-lines.ts'
import { bufferOf } from '../../message/bytes.ts'
import { decodedBody } from '../../message/encoding.ts'
import { queryValues } from '../../message/form-spans.ts'
import { headerLines, isRecord } from '../checked.ts'
import { EntryError, readContent } from './members.ts'
import { isSame, shownLines } from './served.ts'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Where an entry says one thing twice and differently, in words: an edit by hand has changed one of them. What is named
 * first is what is served.
 */
export function editsOf(value: unknown): string[] {
  const entry = objectOf(value)
  const wire = objectOf(objectOf(entry._cassette).wire)
  const request = objectOf(entry.request)
  const response = objectOf(entry.response)
  const isComplete = objectOf(entry._cassette).complete !== false
  try {
    return [
      ...requestEdits(request, objectOf(wire.request)),
      ...(isComplete ? responseEdits(response, objectOf(wire.reply)) : []),
    ]
  } catch (cause) {
    // Such an entry cannot be loaded at all, which is said elsewhere.
    if (cause instanceof EntryError) return []
    throw cause
  }
}

function requestEdits(request: JsonObject, wire: JsonObject): string[] {
  const headers = shownLines(request.headers, 'request.headers')
  const kept = headerLines(wire.headers) ?? []
  const edits: string[] = []
  if (!isSame(headers, kept)) edits.push('request.headers counts, and differs from _cassette.wire')
  if (typeof wire.body === 'string') {
    const packed = decodedBody({ headers: kept, body: Buffer.from(wire.body, 'base64') })
    if (!bufferOf(packed).equals(readContent(request.postData, 'request.postData')))
      edits.push('request.postData.text counts, and differs from _cassette.wire')
  }
  const { url, queryString, postData } = request
  if (typeof url === 'string' && Array.isArray(queryString) && !isQuery(url, queryString))
    edits.push('request.url counts, and differs from request.queryString')
  if (isRecord(postData)) edits.push(...typeEdit('request', postData.mimeType, headers))
  return edits
}

function responseEdits(response: JsonObject, wire: JsonObject): string[] {
  const headers = shownLines(response.headers, 'response.headers')
  const kept = headerLines(wire.headers) ?? []
  const content = objectOf(response.content)
  const edits: string[] = []
  if (!isSame(headers, kept)) edits.push('response.headers counts, and differs from _cassette.wire')
  if (content.size !== readContent(content, 'response.content').length)
    edits.push('response.content.text counts, and is longer or shorter than content.size')
  edits.push(...typeEdit('response', content.mimeType, headers))
  if ((headerOf(headers, 'location') ?? '') !== response.redirectURL)
    edits.push('the header location of response.headers counts, and differs from response.redirectURL')
  return edits
}

/** A body without a media type has one in HAR all the same. */
function typeEdit(message: string, mimeType: unknown, headers: readonly HeaderLine[]): string[] {
  const type = headerOf(headers, 'content-type')
  const isSame =
    type === undefined
      ? /^(?:x-unknown|application\/octet-stream)$/.test(String(mimeType))
      : type === mimeType
  return isSame ? [] : [`the header content-type of ${message}.headers counts, and differs from mimeType`]
}

function isQuery(url: string, queryString: readonly unknown[]): boolean {
  const query = queryValues(url)
  return (
    query.length === queryString.length &&
    query.every(({ name, value }, i) => {
      const shown = objectOf(queryString[i])
      return shown.name === name && shown.value === value
    })
  )
}

function objectOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {}
}
