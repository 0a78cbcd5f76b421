import { createFieldCount } from './bounds.ts'
import { utf8 } from './bytes.ts'
import type { FormValue } from './form-spans.ts'
import { nextPointer } from './place.ts'

/** A row is not read beyond so many columns. */
const MAX_COLUMNS = 1000

type Cell = { readonly start: number; readonly end: number }

/** The cells of a table with a line of names (RFC 4180, or separated by tabs or semicolons), by those. @throws BeyondBound */
export function csvValues(bytes: string): FormValue[] {
  const head = bytes.slice(0, endOfLine(bytes, 0))
  const separator = ['\t', ';', ','].find((each) => head.includes(each)) ?? ','
  const values: FormValue[] = []
  const count = createFieldCount()
  const seen = new Map<string, number>()
  let names: readonly string[] | undefined
  for (let at = 0; at < bytes.length; ) {
    const { cells, next } = readRow(bytes, at, separator)
    const texts = cells.map(({ start, end }) => cellText(bytes.slice(start, end)).trim())
    if (names === undefined) names = texts
    else
      for (const [i, { start, end }] of cells.entries()) {
        const name = names[i]
        if (name === undefined || end === start) continue
        const pointer = nextPointer(name, seen)
        count(pointer)
        values.push({ pointer, name, start, end, value: texts[i] ?? '' })
      }
    at = next
  }
  return values
}

/** What stands in a cell; in quotes, a quote is doubled. */
export function cellText(raw: string): string {
  return utf8(raw).replaceAll('""', '"')
}

/** In quotes a cell may hold separators and ends of lines. */
function readRow(bytes: string, from: number, separator: string): { cells: Cell[]; next: number } {
  const cells: Cell[] = []
  let at = from
  for (;;) {
    const isQuoted = bytes.charAt(at) === '"'
    const start = isQuoted ? at + 1 : at
    let end = start
    if (isQuoted) {
      end = closingQuote(bytes, start)
      at = Math.min(end + 1, bytes.length)
    }
    while (at < bytes.length && !isBreak(bytes.charAt(at)) && bytes.charAt(at) !== separator) at++
    if (!isQuoted) end = at
    if (cells.length < MAX_COLUMNS) cells.push({ start, end })
    if (at < bytes.length && bytes.charAt(at) === separator) {
      at++
      continue
    }
    while (at < bytes.length && isBreak(bytes.charAt(at))) at++
    return { cells, next: at }
  }
}

function closingQuote(bytes: string, from: number): number {
  for (let at = bytes.indexOf('"', from); at !== -1; at = bytes.indexOf('"', at + 2))
    if (bytes.charAt(at + 1) !== '"') return at
  return bytes.length
}

function isBreak(character: string): boolean {
  return character === '\n' || character === '\r'
}

function endOfLine(bytes: string, from: number): number {
  const found = bytes.indexOf('\n', from)
  return found === -1 ? bytes.length : found
}

/** How a text is written into a cell, quoted or not: without what would end it. */
export function csvText(text: string): string {
  return text.replaceAll(/["\r\n,;\t]/g, ' ')
}
