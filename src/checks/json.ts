import { isUtf8 } from 'node:buffer'
import { type Result, refuse } from '../errors/refusal.ts'
import { isExactInteger } from '../http/decimal.ts'
import { shownStep } from '../http/json-pointer.ts'
import { describeFault, placeIn } from './json-fault.ts'

/** Deeper than any body of the interface, and shallow enough for every recursive reader behind us. */
export const MAX_DEPTH = 32

export type ParsedJson = {
  readonly value: unknown
  /** JSON pointers (the first hundred) of numbers whose exact decimal value is not an integer, whatever they round to. */
  readonly inexact: ReadonlySet<string>
  /** JSON pointers (the first hundred) of texts and property names with a NUL or a lone surrogate. */
  readonly illFormed: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/** How many suspicious values are reported; one is enough to refuse the body, and each costs its pointer. */
const MAX_REPORTED = 100

/**
 * Parses a body once, strictly: UTF-8, one JSON text, no repeated property, at most MAX_DEPTH levels. Beside
 * the value it reports what JSON.parse rounds or lets through silently.
 */
export function parseJson(bytes: Buffer): Result<ParsedJson> {
  const text = bytes.toString('utf8')
  if (!isUtf8(bytes)) return malformed(`The body is not valid UTF-8${brokenByte(bytes, text)}.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's own message repeats a part of the body, which may be a secret or a personal datum.
    if (text.trim() === '') return malformed('The body is empty.')
    return malformed(`The body is not well-formed JSON${describeFault(text)}.`)
  }
  const scan = scanJson(text)
  if (scan.fault !== undefined) return malformed(scan.fault)
  return { ok: true, value: { value, inexact: scan.inexact ?? NONE, illFormed: scan.illFormed ?? NONE } }
}

/**
 * Where the first sequence begins that decoding replaced. What replaces it begins with 0xef: a broken sequence that begins
 * with it as well differs only further on, or is merely shorter.
 */
function brokenByte(bytes: Buffer, text: string): string {
  const decoded = Buffer.from(text)
  const differs = bytes.findIndex((byte, index) => byte !== decoded[index])
  const at = decoded.lastIndexOf('\ufffd', differs < 0 ? bytes.length : differs)
  return ` at byte ${at + 1}: found 0x${bytes[at]?.toString(16)}`
}

function malformed(detail: string): Result<never> {
  return { ok: false, refusal: refuse('MALFORMED_BODY', detail) }
}

type Scan = { fault?: string; inexact?: Set<string>; illFormed?: Set<string> }

type Level = {
  /** Property names seen so far; undefined in an array. */
  readonly names: Set<string> | undefined
  /** The name or index that the next value stands under. */
  at: string | number
  /** Whether the next string is a property name. */
  nameNext: boolean
}

/** Walks a text that JSON.parse has accepted, so it can be lenient about everything but what it looks for. */
function scanJson(text: string): Scan {
  const scan: Scan = {}
  const levels: Level[] = []
  // Looked for once: from each of many strings it would make the scan quadratic.
  const escapes = text.includes('\\u')
  let i = 0
  while (i < text.length && scan.fault === undefined) i = scanToken(text, i, levels, scan, escapes)
  return scan
}

/**
 * One token, or one character between two; returns where the next begins. A function of its own: as the inside of one
 * loop it stayed unoptimised in 2 processes of 6, at 45 ms for 60 kB of numbers instead of 2.
 */
function scanToken(text: string, i: number, levels: Level[], scan: Scan, escapes: boolean): number {
  const level = levels[levels.length - 1]
  switch (text.charCodeAt(i)) {
    case 0x22: {
      const end = endOfString(text, i)
      if (level?.names && level.nameNext) {
        const name = nameOf(text, i, end)
        if (level.names.has(name))
          scan.fault = `The body repeats a property of an object at ${placeIn(text, i)}.`
        level.names.add(name)
        level.at = name
        level.nameNext = false
      }
      if (escapes) judgeText(text.slice(i, end), levels, scan)
      return end
    }
    case 0x7b: // {
    case 0x5b: // [
      if (levels.length === MAX_DEPTH)
        scan.fault = `The body is nested more than ${MAX_DEPTH} levels deep at ${placeIn(text, i)}.`
      levels.push(
        text.charCodeAt(i) === 0x7b
          ? { names: new Set(), at: '', nameNext: true }
          : { names: undefined, at: 0, nameNext: false },
      )
      break
    case 0x7d: // }
    case 0x5d: // ]
      levels.pop()
      break
    case 0x2c: // ,
      if (level?.names) level.nameNext = true
      else if (level) level.at = Number(level.at) + 1
      break
    case 0x2d: // -
    case 0x30:
    case 0x31:
    case 0x32:
    case 0x33:
    case 0x34:
    case 0x35:
    case 0x36:
    case 0x37:
    case 0x38:
    case 0x39: {
      const end = endOfNumber(text, i)
      // Up to 15 plain digits are exact; nearly every number of a real request ends here.
      if (end - i > 15 || endOfDigits(text, i) !== end) {
        if (!isExactInteger(text.slice(i, end))) {
          scan.inexact ??= new Set()
          report(scan.inexact, levels)
        }
      }
      return end
    }
  }
  return i + 1
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x5c) i++
    else if (code === 0x22) return i + 1
  }
  return text.length
}

/** By code and not by character: a body of thirty thousand numbers must not make as many texts. */
function endOfNumber(text: string, start: number): number {
  let i = start
  for (;;) {
    i = endOfDigits(text, i)
    const code = text.charCodeAt(i)
    // + - . e E
    if (code !== 0x2b && code !== 0x2d && code !== 0x2e && code !== 0x65 && code !== 0x45) return i
    i++
  }
}

/** NaN behind the end of the text is no digit. */
function endOfDigits(text: string, start: number): number {
  let i = start
  for (;;) {
    const code = text.charCodeAt(i)
    if (!(code >= 0x30 && code <= 0x39)) return i
    i++
  }
}

function nameOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1)
  return raw.includes('\\') ? String(JSON.parse(text.slice(start, end))) : raw
}

function judgeText(literal: string, levels: readonly Level[], scan: Scan): void {
  if (!literal.includes('\\u')) return
  const value = String(JSON.parse(literal))
  if (value.isWellFormed() && !value.includes('\0')) return
  scan.illFormed ??= new Set()
  report(scan.illFormed, levels)
}

/** Adds the pointer of the value, or the name, that is being read. */
function report(pointers: Set<string>, levels: readonly Level[]): void {
  if (pointers.size < MAX_REPORTED) pointers.add(levels.map(({ at }) => shownStep(at)).join(''))
}
