import { readSync } from 'node:fs'

/** Inside a JSON string every quote is escaped, so these bytes can only be the name of a member. */
const FIRST_MEMBER = Buffer.from('"startedDateTime": "')
const WINDOW_BYTES = 4 << 20

/** The file is no HAR, or one that is spelled otherwise than this product does. */
export class OtherSpellingError extends Error {}

/**
 * The head of a HAR (up to the bracket that opens its entries), then each entry, without reading the file as a whole.
 * Entries are found by the member that this product begins them with. Whoever parses the head and every piece has
 * proved by it that the file is well-formed and that the pieces are its entries: nothing stands between them but
 * commas, and nothing behind them but brackets.
 *
 * A piece is good until the next one is asked for.
 *
 * @throws OtherSpellingError
 */
export function* readPieces(fd: number): Generator<Buffer> {
  const window = createWindow(fd)
  /** Where the piece begins that is being looked for the end of; -1 in the head. */
  let start = -1
  let from = 0
  for (;;) {
    const next = window.bytes().indexOf(FIRST_MEMBER, from)
    if (next !== -1) {
      const open = backTo(window.bytes(), next, '{')
      yield start === -1
        ? window.bytes().subarray(0, backTo(window.bytes(), open, '[') + 1)
        : window.bytes().subarray(start, endOf(window.bytes(), start, backTo(window.bytes(), open, ',')))
      start = open
      from = next + FIRST_MEMBER.length
      continue
    }
    const kept = Math.max(start, 0)
    const searched = Math.max(from, window.bytes().length - FIRST_MEMBER.length)
    const isMore = window.slide(kept)
    if (start !== -1) start = 0
    from = searched - kept
    if (!isMore) break
  }
  if (start === -1) throw new OtherSpellingError()
  let end = window.bytes().length
  for (const bracket of ['}', '}', ']']) end = backTo(window.bytes(), end, bracket)
  yield window.bytes().subarray(start, endOf(window.bytes(), start, end))
}

/** What follows a place in a file. */
function createWindow(fd: number) {
  let buffer = Buffer.allocUnsafe(WINDOW_BYTES)
  let held = buffer.subarray(0, 0)
  return {
    bytes: () => held,
    /** Drops what stands before `kept` and reads on; false at the end of the file. */
    slide: (kept: number): boolean => {
      const rest = held.subarray(kept)
      const target = rest.length > buffer.length / 2 ? Buffer.allocUnsafe(buffer.length * 2) : buffer
      rest.copy(target)
      const read = readSync(fd, target, rest.length, target.length - rest.length, null)
      buffer = target
      held = target.subarray(0, rest.length + read)
      return read > 0
    },
  }
}

function endOf(bytes: Buffer, start: number, before: number): number {
  const end = backTo(bytes, before, '}') + 1
  if (end <= start) throw new OtherSpellingError()
  return end
}

/** The place of a character that stands before another one, with white space between them alone. */
function backTo(bytes: Buffer, before: number, character: string): number {
  let at = before - 1
  while (bytes[at] === 0x20 || bytes[at] === 0x0a) at--
  if (bytes[at] !== character.charCodeAt(0)) throw new OtherSpellingError()
  return at
}
