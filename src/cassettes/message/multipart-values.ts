import { decodePercentOrKeep } from '../../http/percent.ts'
import { BeyondBound, createFieldCount, MAX_LAYERS } from './bounds.ts'
import { utf8 } from './bytes.ts'
import type { FormValue } from './form-spans.ts'
import { nextPointer } from './place.ts'

/** A header line is not read beyond this; what follows is not its name. */
const LINE_BYTES = 16 * 1024
const MAX_HEADER_LINES = 64

/**
 * The values of a multipart body by the names of the parts. What separates them is read from the body, whose first
 * line it is; the label may be another. A part that is multipart itself is read as well.
 *
 * @throws BeyondBound
 */
export function multipartValues(bytes: string): FormValue[] {
  const values: FormValue[] = []
  const seen = new Map<string, number>()
  const count = createFieldCount()
  readParts(bytes, 0, bytes.length, 0, (name, start, end) => {
    const pointer = nextPointer(name, seen)
    count(pointer)
    values.push({ pointer, name, start, end, value: utf8(bytes.slice(start, end)) })
  })
  return values
}

type TakeValue = (name: string, start: number, end: number) => void

function readParts(bytes: string, from: number, to: number, layer: number, take: TakeValue): void {
  const first = bytes.startsWith('--', from) ? from : indexIn(bytes, '\n--', from, to) + 1
  if (first <= 0 && !bytes.startsWith('--', from)) return
  const lineEnd = Math.min(endOfLine(bytes, first, to), first + LINE_BYTES)
  const delimiter = `\n${bytes.slice(first, lineEnd).trimEnd()}`
  if (delimiter.length < 4) return
  for (let at = endOfLine(bytes, first, to) + 1; at < to; ) {
    const next = indexIn(bytes, delimiter, at - 1, to)
    const stop = next === -1 ? to : next
    readPart(bytes, at, bytes.charCodeAt(stop - 1) === 0x0d && next !== -1 ? stop - 1 : stop, layer, take)
    if (next === -1) return
    at = endOfLine(bytes, next + 1, to) + 1
  }
}

function readPart(bytes: string, from: number, to: number, layer: number, take: TakeValue): void {
  let at = from
  let name: string | undefined
  let isMultipart = false
  for (let lines = 0; at < to && lines < MAX_HEADER_LINES; lines++) {
    const end = endOfLine(bytes, at, to)
    const line = bytes.slice(at, Math.min(end, at + LINE_BYTES)).trimEnd()
    at = end + 1
    if (line === '') break
    name ??= nameIn(line)
    isMultipart ||= /^content-type:\s*multipart\//i.test(line)
  }
  const start = Math.min(at, to)
  if (start <= to && (name !== undefined || !isMultipart)) take(name ?? '', start, to)
  if (!isMultipart) return
  if (layer >= MAX_LAYERS) throw new BeyondBound('too-deep')
  readParts(bytes, start, to, layer + 1, take)
}

/** The `name` of a Content-Disposition, or of a line that goes on with one. */
function nameIn(line: string): string | undefined {
  if (!/^(?:content-disposition:|[ \t])/i.test(line)) return undefined
  const found = /(?:^|[;:\s])name(\*?)\s{0,8}=\s{0,8}(?:"((?:[^"\\]|\\.)*)"|([^";\s]+))/i.exec(line)
  if (found === null) return undefined
  const [, star, quoted, bare] = found
  // RFC 8187: a charset, a language and the name in percent-encoding.
  if (star && bare !== undefined) return decodePercentOrKeep(bare.replace(/^[\w-]*'[\w-]*'/, ''))
  return utf8(quoted === undefined ? (bare ?? '') : quoted.replaceAll(/\\(.)/g, '$1'))
}

function endOfLine(bytes: string, from: number, to: number): number {
  const found = bytes.indexOf('\n', from)
  return found === -1 || found > to ? to : found
}

function indexIn(bytes: string, sought: string, from: number, to: number): number {
  const found = bytes.indexOf(sought, from)
  return found === -1 || found >= to ? -1 : found
}
