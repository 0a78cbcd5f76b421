import type { CapturedReply, CapturedRequest, HeaderLine, Place } from './interaction.ts'
import { type Field, queryFields } from './redact-body.ts'
import { pointerOf } from './redact-form.ts'
import { type Message, readBody } from './redact-message.ts'

type Names = ReadonlyMap<string, string>
type Where = (place: Place) => boolean

/** Other stand-ins for the old ones, at the places that were redacted; every other byte stays. */
export function renameRequest(request: CapturedRequest, names: Names, where: Where): CapturedRequest {
  const { target } = request
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const query = renameFields(target, queryFields(target), 'query', names, where).slice(path.length)
  return {
    ...request,
    target: marks(path, names) + query,
    headers: renameHeaders(request.headers, 'request-header', names, where),
    body: renameBody(request, 'request-body', names, where),
  }
}

export function renameReply(reply: CapturedReply, names: Names, where: Where): CapturedReply {
  return {
    ...reply,
    headers: renameHeaders(reply.headers, 'reply-header', names, where),
    body: renameBody(reply, 'reply-body', names, where),
  }
}

function renameHeaders(
  lines: readonly HeaderLine[],
  part: 'request-header' | 'reply-header',
  names: Names,
  where: Where,
): HeaderLine[] {
  const seen = new Map<string, number>()
  return lines.map(([name, value]): HeaderLine => {
    const place = { part, pointer: pointerOf(name.toLowerCase(), seen) }
    return [name, where(place) ? rename(value, names) : value]
  })
}

function renameBody(
  message: Message,
  part: 'request-body' | 'reply-body',
  names: Names,
  where: Where,
): Uint8Array {
  const { bytes, fields, encoding } = readBody(message)
  // A compressed body that was kept had nothing to redact.
  if (encoding !== 'plain') return message.body
  let text = renameFields(bytes, fields, part, names, where)
  if (where({ part, pointer: '' })) text = marks(text, names)
  return text === bytes ? message.body : Buffer.from(text, 'latin1')
}

function renameFields(
  text: string,
  fields: readonly Field[],
  part: Place['part'],
  names: Names,
  where: Where,
): string {
  let result = ''
  let rest = 0
  for (const field of fields) {
    if (!where({ part, pointer: field.pointer })) continue
    const value = rename(field.value, names)
    if (value === field.value) continue
    result += text.slice(rest, field.start) + field.write(value)
    rest = field.end
  }
  return result + text.slice(rest)
}

function rename(value: string, names: Names): string {
  const whole = names.get(value)
  if (whole !== undefined) return whole
  let text = marks(value, names)
  // A value that was repeated inside another text, such as an error's detail.
  if (text === value)
    for (const [from, to] of names) {
      if (from.startsWith('redacted-') || from.length < 8) continue
      if (text.includes(from)) return text.replaceAll(from, to)
      const encoded = encodeURIComponent(from)
      if (text.includes(encoded)) text = text.replaceAll(encoded, encodeURIComponent(to))
    }
  return text
}

/** Marks are unmistakable wherever they stand. */
function marks(text: string, names: Names): string {
  return text.replace(/redacted-[a-z0-9-]*-[0-9]+/g, (mark) => names.get(mark) ?? mark)
}
