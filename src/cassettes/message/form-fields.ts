import { decodeFormOrKeep } from '../../http/percent.ts'

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

/**
 * The parts of a multipart body, each in one spelling, without the boundary, which clients make up anew for every
 * request. Undefined when the body is not what its Content-Type says. `body` is Latin-1, so bytes stay bytes.
 */
export function readMultipart(contentType: string, body: string): readonly string[] | undefined {
  const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2]
  if (boundary === undefined) return undefined
  const delimiter = `--${boundary}`
  const sections = `\r\n${body}`.split(`\r\n${delimiter}`)
  const last = sections.pop()
  if (sections.length < 1 || last === undefined || !last.startsWith('--')) return undefined
  // What stands before the first delimiter is a preamble, which RFC 2046 tells readers to ignore.
  return sections.slice(1).map(canonicalPart)
}

function canonicalPart(section: string): string {
  // The rest of the delimiter line, then the header lines, an empty line and the content.
  const text = section.replace(/^[ \t]*\r\n/, '')
  const end = text.startsWith('\r\n') ? 0 : text.indexOf('\r\n\r\n')
  if (end === -1) return JSON.stringify([[], text])
  const lines = end === 0 ? [] : text.slice(0, end).split('\r\n')
  const headers = lines
    .map((line) => {
      const colon = line.indexOf(':')
      return colon < 1 ? line : `${line.slice(0, colon).toLowerCase()}:${line.slice(colon + 1).trim()}`
    })
    .sort()
  return JSON.stringify([headers, text.slice(end === 0 ? 2 : end + 4)])
}
