import { getOrMake } from '../../../map-entries.ts'

/**
 * Many known texts looked for at once (Wu and Manber, 1994). A long recording knows thousands of secrets, and one
 * `indexOf` for each would go through an exchange thousands of times. Here three bytes at a time tell how far away the
 * next occurrence is at least, so that a text is gone through once, and mostly in steps of several bytes.
 *
 * Texts are Latin-1 strings that stand for bytes, so that positions are byte offsets and nothing is ever decoded.
 */
const WIDTH = 7
const BLOCK = 3
const TABLE = 1 << 16
/** A longer needle is known by so many bytes, and then followed as far as it goes. */
const LONGEST = 64

export type Needles<T extends object> = {
  /** Needles that are shorter than 7 bytes cannot be told from chance, and are not added. */
  readonly add: (bytes: string, tag: T) => void
  /** Calls `found` for the occurrences of all needles. */
  readonly scan: (text: string, found: (start: number, end: number, tag: T) => void) => void
}

type Needle<T> = { readonly bytes: string; readonly tag: T }

export function createNeedles<T extends object>(): Needles<T> {
  const shifts = new Uint8Array(TABLE).fill(WIDTH - BLOCK + 1)
  /** First bytes -> length -> needles: what begins alike is told apart by one look-up for each length. */
  const byStart = new Map<string, Map<number, Map<string, Needle<T>>>>()
  return {
    add: (bytes, tag) => {
      if (bytes.length < WIDTH) return
      const head = bytes.slice(0, LONGEST)
      const lengths = getOrMake(byStart, bytes.slice(0, WIDTH), () => new Map())
      const needles: Map<string, Needle<T>> = getOrMake(lengths, head.length, () => new Map())
      if ((needles.get(head)?.bytes.length ?? 0) < bytes.length) needles.set(head, { bytes, tag })
      for (let last = BLOCK - 1; last < WIDTH; last++) {
        const block = blockAt(bytes, last)
        shifts[block] = Math.min(shifts[block] ?? 0, WIDTH - 1 - last)
      }
    },
    scan: (text, found) => {
      if (byStart.size === 0) return
      for (let last = WIDTH - 1; last < text.length; ) {
        const shift = shifts[blockAt(text, last)] ?? 1
        if (shift > 0) {
          last += shift
          continue
        }
        const start = last - WIDTH + 1
        const lengths = byStart.get(text.slice(start, last + 1))
        const longest = lengths && longestAt(text, start, lengths)
        if (longest) found(start, longest.end, longest.tag)
        // What begins inside an occurrence and goes on behind it is found at its last bytes.
        last = longest ? Math.max(last + 1, longest.end - 1) : last + 1
      }
    },
  }
}

function longestAt<T>(
  text: string,
  start: number,
  lengths: ReadonlyMap<number, ReadonlyMap<string, Needle<T>>>,
): { readonly end: number; readonly tag: T } | undefined {
  let longest: { end: number; tag: T } | undefined
  for (const [length, needles] of lengths) {
    const needle = needles.get(text.slice(start, start + length))
    if (needle === undefined) continue
    let end = start + length
    while (end - start < needle.bytes.length && text.charCodeAt(end) === needle.bytes.charCodeAt(end - start))
      end++
    if (end > (longest?.end ?? 0)) longest = { end, tag: needle.tag }
  }
  return longest
}

function blockAt(text: string, last: number): number {
  const mixed = (text.charCodeAt(last - 2) << 10) ^ (text.charCodeAt(last - 1) << 5) ^ text.charCodeAt(last)
  return mixed & (TABLE - 1)
}
