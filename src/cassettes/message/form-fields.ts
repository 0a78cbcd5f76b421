import { decodeFormOrKeep } from '../../http/percent.ts'
import { utf8 } from './bytes.ts'

/** A field of a form or a parameter of a query, decoded. */
export type FormField = { readonly name: string; readonly value: string }

/** Reads `a=1&b=2` in the order of the text. A broken encoding stands for itself. */
export function readFields(text: string): readonly FormField[] {
  if (text === '') return []
  const fields: FormField[] = []
  for (const part of text.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = equals === -1 ? part : part.slice(0, equals)
    const value = equals === -1 ? '' : part.slice(equals + 1)
    fields.push({ name: decodeFormOrKeep(name), value: decodeFormOrKeep(value) })
  }
  return fields
}

/** A part of a multipart body, its header lines in one order and spelling. */
export type MultipartPart = {
  readonly head: readonly string[]
  /** Of the field; empty where the part has none. */
  readonly name: string
  readonly value: string
}

/**
 * The parts of a multipart body, without the boundary, which clients make up anew for every request. Undefined when
 * the body is not what its Content-Type says. `body` is Latin-1, so bytes stay bytes.
 */
export function readMultipart(contentType: string, body: string): readonly MultipartPart[] | undefined {
  const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2]
  if (boundary === undefined) return undefined
  const delimiter = `--${boundary}`
  const sections = `\r\n${body}`.split(`\r\n${delimiter}`)
  const last = sections.pop()
  if (sections.length < 1 || last === undefined || !last.startsWith('--')) return undefined
  // What stands before the first delimiter is a preamble, which RFC 2046 tells readers to ignore.
  return sections.slice(1).map(readPart)
}

function readPart(section: string): MultipartPart {
  // The rest of the delimiter line, then the header lines, an empty line and the content.
  const text = section.replace(/^[ \t]*\r\n/, '')
  const end = text.startsWith('\r\n') ? 0 : text.indexOf('\r\n\r\n')
  if (end === -1) return { head: [], name: '', value: text }
  const lines = end === 0 ? [] : text.slice(0, end).split('\r\n')
  const head = lines
    .map((line) => {
      const colon = line.indexOf(':')
      return colon < 1 ? line : `${line.slice(0, colon).toLowerCase()}:${line.slice(colon + 1).trim()}`
    })
    .sort()
  const disposition = head.find((line) => line.startsWith('content-disposition:')) ?? ''
  const name = utf8(/\bname="?([^";]+)"?/i.exec(disposition)?.[1] ?? '')
  return { head, name, value: utf8(text.slice(end === 0 ? 2 : end + 4)) }
}
