/** Where the parts of a HAR stand. */
export type HarParts = {
  /** The members of `log` beside `entries`, by name: first and last byte (exclusive). */
  readonly members: ReadonlyMap<string, readonly [start: number, end: number]>
  readonly entries: readonly (readonly [start: number, end: number])[] | undefined
}

export type SplitFault = { readonly at: number }

/**
 * Finds the entries of a HAR without parsing them. They are then parsed one at a time, so that a large file never
 * stands in memory as one text and one tree (JSON.parse has a bound of 512 MB), and a fault has its entry and line.
 *
 * Undefined when the file is JSON without a `log` object.
 */
export function splitHar(bytes: Uint8Array): HarParts | SplitFault | undefined {
  const cursor = { bytes, at: bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0 }
  try {
    let parts: HarParts | undefined
    if (peek(cursor) === OPEN_ARRAY) {
      skipValue(cursor)
      return undefined
    }
    members(cursor, (name) => {
      if (name === 'log' && peek(cursor) === OPEN_OBJECT) parts = readLog(cursor)
      else skipValue(cursor)
    })
    if (peek(cursor) !== END) throw new JsonSyntaxError(cursor.at)
    return parts
  } catch (cause) {
    if (cause instanceof JsonSyntaxError) return { at: cause.at }
    throw cause
  }
}

type Cursor = { readonly bytes: Uint8Array; at: number }

class JsonSyntaxError extends Error {
  readonly at: number
  constructor(at: number) {
    super()
    this.at = at
  }
}

const END = -1
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

function readLog(cursor: Cursor): HarParts {
  const found = new Map<string, readonly [number, number]>()
  let entries: (readonly [number, number])[] | undefined
  members(cursor, (name) => {
    if (name === 'entries' && peek(cursor) === OPEN_ARRAY) {
      const list: (readonly [number, number])[] = []
      elements(cursor, () => list.push(span(cursor)))
      entries = list
    } else found.set(name, span(cursor))
  })
  return { members: found, entries }
}

function span(cursor: Cursor): readonly [number, number] {
  peek(cursor)
  const start = cursor.at
  skipValue(cursor)
  return [start, cursor.at]
}

function members(cursor: Cursor, member: (name: string) => void): void {
  expect(cursor, OPEN_OBJECT)
  if (peek(cursor) === CLOSE_OBJECT) {
    cursor.at++
    return
  }
  for (;;) {
    if (peek(cursor) !== QUOTE) throw new JsonSyntaxError(cursor.at)
    const start = cursor.at
    skipString(cursor)
    const name = Buffer.from(cursor.bytes.subarray(start + 1, cursor.at - 1)).toString('utf8')
    expect(cursor, COLON)
    member(name)
    const next = peek(cursor)
    cursor.at++
    if (next === CLOSE_OBJECT) return
    if (next !== COMMA) throw new JsonSyntaxError(cursor.at - 1)
  }
}

function elements(cursor: Cursor, element: () => void): void {
  expect(cursor, OPEN_ARRAY)
  if (peek(cursor) === CLOSE_ARRAY) {
    cursor.at++
    return
  }
  for (;;) {
    element()
    const next = peek(cursor)
    cursor.at++
    if (next === CLOSE_ARRAY) return
    if (next !== COMMA) throw new JsonSyntaxError(cursor.at - 1)
  }
}

/** Skips a value by its brackets and quotes; whoever parses the piece judges the rest. */
function skipValue(cursor: Cursor): void {
  const { bytes } = cursor
  const first = peek(cursor)
  if (first === QUOTE) {
    skipString(cursor)
    return
  }
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) {
    const start = cursor.at
    while (cursor.at < bytes.length && /[-+.0-9a-zA-Z]/.test(String.fromCharCode(bytes[cursor.at] ?? 0)))
      cursor.at++
    if (cursor.at === start) throw new JsonSyntaxError(start)
    return
  }
  let depth = 0
  let at = cursor.at
  for (; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      cursor.at = at
      skipString(cursor)
      at = cursor.at - 1
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --depth === 0) {
      cursor.at = at + 1
      return
    }
  }
  throw new JsonSyntaxError(bytes.length)
}

function skipString(cursor: Cursor): void {
  const { bytes } = cursor
  for (let at = cursor.at + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === BACKSLASH) at++
    else if (byte === QUOTE) {
      cursor.at = at + 1
      return
    }
  }
  throw new JsonSyntaxError(bytes.length)
}

function peek(cursor: Cursor): number {
  const { bytes } = cursor
  for (; cursor.at < bytes.length; cursor.at++) {
    const byte = bytes[cursor.at] ?? 0
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte
  }
  return END
}

function expect(cursor: Cursor, byte: number): void {
  if (peek(cursor) !== byte) throw new JsonSyntaxError(cursor.at)
  cursor.at++
}
