import { createFieldCount } from './bounds.ts'
import { utf8 } from './bytes.ts'
import type { FormValue } from './form-spans.ts'
import { nextPointer } from './place.ts'

/** A row is not read beyond so many columns. */
const MAX_COLUMNS = 1000

type Cell = { readonly start: number; readonly end: number }

/** The cells of a table with a line of names (RFC 4180, or separated by tabs or semicolons), by those. @throws BeyondBound */
export function csvValues(bytes: string): FormValue[] {
  const from = headAt(bytes)
  const separator = separatorOf(bytes.slice(from, endOfLine(bytes, from)))
  const values: FormValue[] = []
  const count = createFieldCount()
  const seen = new Map<string, number>()
  let names: readonly string[] | undefined
  for (let at = from; at < bytes.length; ) {
    const { cells, next } = readRow(bytes, at, separator)
    const texts = cells.map(({ start, end }) => cellText(bytes.slice(start, end)).trim())
    if (names === undefined) names = texts
    else
      for (const [i, { start, end }] of cells.entries()) {
        const name = names[i]
        const value = texts[i] ?? ''
        if (name === undefined || value === '') continue
        const pointer = nextPointer(name, seen)
        count(pointer)
        // White space around a cell is layout.
        const at = start + bytes.slice(start, end).search(/\S/)
        const held = bytes.slice(at, end).trimEnd().length
        values.push({ pointer, name, start: at, end: at + held, value })
      }
    at = next
  }
  return values
}

/** Behind what names the separator, and the line of a frame. */
function headAt(bytes: string): number {
  let at = bytes.startsWith('\xef\xbb\xbf') ? 3 : 0
  for (let lines = 0; lines < 4 && at < bytes.length; lines++) {
    const end = endOfLine(bytes, at)
    const line = bytes.slice(at, Math.min(end, at + 2000))
    if (/[A-Za-z0-9\x80-\xff]/.test(line) && !/^sep=/i.test(line)) return at
    at = end + 1
  }
  return 0
}

function separatorOf(head: string): string {
  return ['\t', ';', '|', ','].find((each) => head.includes(each)) ?? ','
}

const HEAD_CELL = /^\s*["']?[A-Za-z_\x80-\xff][\w .\x80-\xff-]{0,40}["']?\s*$/
const MAX_HEAD = 4000

/** Whether a text is a table whatever its label: a line of names, and a line below it with as many cells. */
export function isTable(bytes: string): boolean {
  const at = headAt(bytes)
  const end = endOfLine(bytes, at)
  if (end - at > MAX_HEAD || end >= bytes.length - 1) return false
  const head = bytes.slice(at, end)
  const separator = separatorOf(head)
  const names = head.split(separator).filter((name) => name.trim() !== '')
  if (names.length < 2 || !names.every((name) => HEAD_CELL.test(name))) return false
  const next = bytes.slice(end + 1, end + 1 + MAX_HEAD).split('\n', 1)[0] ?? ''
  return next.split(separator).length >= names.length || /^[-+|\s]+$/.test(next)
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
