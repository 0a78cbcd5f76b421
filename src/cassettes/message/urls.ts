import { type HeaderLine, headerOf } from '../../http/header-lines.ts'
import { mediaTypeOf } from '../../http/media-type.ts'
import type { CapturedReply, CapturedRequest } from '../interaction.ts'
import { bodyFields, type EditableField, queryFields, replaceFields } from './body-fields.ts'
import { withinBounds } from './bounds.ts'
import { bufferOf } from './bytes.ts'

/** What a URL begins with, and what it is to begin with: scheme, host and port, and perhaps a path; no slash at the end. */
export type Move = { readonly from: string; readonly to: string }

/** A URL that begins with `from`, with `to` instead. Undefined for every other text. */
export function movedUrl(text: string, { from, to }: Move): string | undefined {
  if (text.length < from.length || text.slice(0, from.length).toLowerCase() !== from.toLowerCase())
    return undefined
  const rest = text.slice(from.length)
  return rest === '' || /^[/?#]/.test(rest) ? to + rest : undefined
}

/** Every place of a reply that a client follows: `Location`, `Link`, and the texts of a JSON body. Others stay. */
export function moveReply(reply: CapturedReply, move: Move): CapturedReply {
  const headers = moveReplyLines(reply.headers, move)
  const body = isJson(reply.headers) ? moveBody(reply, move) : reply.body
  return { ...reply, headers, body }
}

/** The header lines of a reply; a cookie is for whoever has sent it, so its domain goes. */
export function moveReplyLines(lines: readonly HeaderLine[], move: Move): HeaderLine[] {
  return lines.map(([name, value]): HeaderLine => {
    switch (name.toLowerCase()) {
      case 'location':
      case 'content-location':
      case 'access-control-allow-origin':
        return [name, movedUrl(value.trim(), move) ?? value]
      case 'link':
        return [name, movedLinks(value, move)]
      case 'set-cookie':
        return [name, withoutDomain(value)]
      default:
        return [name, value]
    }
  })
}

/** RFC 8288: each target stands between angle brackets. */
export function movedLinks(value: string, move: Move): string {
  return value.replace(/<([^>]*)>/g, (all, url: string) => {
    const moved = movedUrl(url.trim(), move)
    return moved === undefined ? all : `<${moved}>`
  })
}

export function withoutDomain(cookie: string): string {
  return cookie.replace(/;\s*domain\s*=[^;]*/gi, '')
}

/** A request on its way back: its query, `Origin`, `Referer`, and the values of a form or a JSON body. */
export function moveRequest(request: CapturedRequest, move: Move): CapturedRequest {
  const target = replaceFields(
    request.target,
    withinBounds(() => queryFields(request.target), noFields),
    movedField(move),
  )
  const headers = request.headers.map(([name, value]): HeaderLine => {
    const lower = name.toLowerCase()
    if (lower === 'origin') {
      const origin = movedUrl(value.trim(), move)
      return [name, origin === undefined ? value : new URL(origin).origin]
    }
    return [name, lower === 'referer' ? (movedUrl(value.trim(), move) ?? value) : value]
  })
  const body = hasValues(request.headers) ? moveBody(request, move) : request.body
  return { ...request, target, headers: body === request.body ? headers : withLength(headers, body), body }
}

/** Whether a body may hold URLs that are moved; one that is packed is left alone. */
export function hasValues(headers: readonly HeaderLine[]): boolean {
  const type = mediaTypeOf(headers)
  const isForm = type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data'
  return isForm || isJson(headers)
}

export function isJson(headers: readonly HeaderLine[]): boolean {
  return (
    /[/+]json$/.test(mediaTypeOf(headers)) &&
    (headerOf(headers, 'content-encoding') ?? 'identity') === 'identity'
  )
}

/** The URLs of a reply that `moveReply` would move. */
export function urlsOf(reply: CapturedReply, move: Move): string[] {
  const found: string[] = []
  const note = (text: string) => {
    if (movedUrl(text, move) !== undefined) found.push(text)
  }
  for (const [name, value] of reply.headers) {
    const lower = name.toLowerCase()
    if (lower === 'location' || lower === 'content-location') note(value.trim())
    if (lower === 'link') for (const [, url = ''] of value.matchAll(/<([^>]*)>/g)) note(url.trim())
  }
  if (isJson(reply.headers)) for (const { value } of fieldsOf(reply)) note(value)
  return found
}

function moveBody(message: { headers: readonly HeaderLine[]; body: Uint8Array }, move: Move): Uint8Array {
  const fields = fieldsOf(message)
  if (!fields.some(({ value }) => movedUrl(value, move) !== undefined)) return message.body
  const text = bufferOf(message.body).toString('latin1')
  return Buffer.from(replaceFields(text, fields, movedField(move)), 'latin1')
}

function fieldsOf({
  headers,
  body,
}: {
  headers: readonly HeaderLine[]
  body: Uint8Array
}): readonly EditableField[] {
  // Most bodies hold no URL at all, and need not be read for it; a solidus may be escaped in JSON, a colon in a form.
  const bytes = bufferOf(body)
  if (!bytes.includes('http') && !bytes.includes('HTTP')) return []
  return withinBounds(() => bodyFields(bytes.toString('latin1'), mediaTypeOf(headers)), noFields)
}

/** What is beyond a bound is left as it is. */
const noFields = (): readonly EditableField[] => []

function movedField(move: Move): (field: EditableField) => string | undefined {
  return ({ value, number }) => (number ? undefined : movedUrl(value, move))
}

/** The length follows the body, where it is told. */
export function withLength(lines: readonly HeaderLine[], body: Uint8Array): HeaderLine[] {
  return lines.map(
    ([name, value]): HeaderLine => [
      name,
      name.toLowerCase() === 'content-length' ? String(body.length) : value,
    ],
  )
}
