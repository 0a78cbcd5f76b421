import { type HeaderLine, WIRE_HEADERS } from '../../../http/header-lines.ts'
import { bufferOf } from '../../message/bytes.ts'
import { decodedBody, encodeBody } from '../../message/encoding.ts'
import { headerLines, isRecord } from '../checked.ts'
import { fault, readContent } from './members.ts'

/**
 * The header lines of a message in a HAR. Those that a reader of the file sees count; the lines of the wire say how
 * they were spelled, and which were left out because they describe bytes that the file does not show.
 *
 * @throws EntryError
 */
export function servedLines(
  shown: unknown,
  wire: unknown,
  message: 'request' | 'response',
): readonly HeaderLine[] {
  const lines = headerLines(wire)
  if (!lines) return fault(`_cassette.wire.${message === 'request' ? 'request' : 'reply'}.headers`)
  if (isAsWritten(shown, lines)) return lines
  const visible = shownLines(shown, `${message}.headers`)
  if (isSame(visible, lines)) return lines
  const spelled = new Map(lines.map(([name]) => [name.toLowerCase(), name]))
  return [
    ...visible.map(([name, value]): HeaderLine => [spelled.get(name.toLowerCase()) ?? name, value]),
    ...lines.filter(([name]) => WIRE_HEADERS.has(name.toLowerCase())),
  ]
}

/** Whether the lines are shown as this product writes them, which is told without making anything of them. */
function isAsWritten(shown: unknown, wire: readonly HeaderLine[]): boolean {
  if (!Array.isArray(shown)) return false
  let at = 0
  for (const [name, value] of wire) {
    const lower = name.toLowerCase()
    if (WIRE_HEADERS.has(lower)) continue
    const line: unknown = shown[at++]
    if (!isRecord(line) || line.value !== value || line.name !== lower) return false
  }
  return at === shown.length
}

/** Whether the lines that are shown are those of the wire, but for what HAR leaves out. */
export function isSame(visible: readonly HeaderLine[], wire: readonly HeaderLine[]): boolean {
  let at = 0
  for (const [name, value] of wire) {
    const lower = name.toLowerCase()
    if (WIRE_HEADERS.has(lower)) continue
    const line = visible[at++]
    if (line === undefined || line[1] !== value || (line[0] !== lower && line[0].toLowerCase() !== lower))
      return false
  }
  return at === visible.length
}

/** @throws EntryError */
export function shownLines(value: unknown, name: string): readonly HeaderLine[] {
  if (!Array.isArray(value)) return fault(name)
  return value
    .map((line): HeaderLine => {
      if (!isRecord(line) || typeof line.name !== 'string' || typeof line.value !== 'string')
        return fault(name)
      return [line.name, line.value]
    })
    .filter(([lineName]) => !WIRE_HEADERS.has(lineName.toLowerCase()))
}

/**
 * The body of a request, in the coding in which it was sent. The packed bytes that are kept count as long as they say
 * what is shown; after an edit the text is packed anew.
 */
export function servedRequestBody(
  postData: unknown,
  packed: unknown,
  headers: readonly HeaderLine[],
): Uint8Array {
  const text = readContent(postData, 'request.postData')
  if (typeof packed !== 'string') return text
  const body = Buffer.from(packed, 'base64')
  if (bufferOf(decodedBody({ headers, body })).equals(text)) return body
  return encodeBody(headers, text) ?? text
}
