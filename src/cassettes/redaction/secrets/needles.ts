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

export type Needles<T> = {
  /** Needles that are shorter than 7 bytes cannot be told from chance, and are not added. */
  readonly add: (bytes: string, tag: T) => void
  /** Calls `found` for every occurrence of every needle. */
  readonly scan: (text: string, found: (start: number, end: number, tag: T) => void) => void
}

export function createNeedles<T>(): Needles<T> {
  const shifts = new Uint8Array(TABLE).fill(WIDTH - BLOCK + 1)
  const byStart = new Map<string, { readonly bytes: string; readonly tag: T }[]>()
  return {
    add: (bytes, tag) => {
      if (bytes.length < WIDTH) return
      const start = bytes.slice(0, WIDTH)
      const list = byStart.get(start)
      if (list === undefined) byStart.set(start, [{ bytes, tag }])
      else if (!list.some((needle) => needle.bytes === bytes)) list.push({ bytes, tag })
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
        const list = byStart.get(text.slice(start, last + 1))
        if (list !== undefined)
          for (const { bytes, tag } of list)
            if (text.startsWith(bytes, start)) found(start, start + bytes.length, tag)
        last++
      }
    },
  }
}

function blockAt(text: string, last: number): number {
  const mixed = (text.charCodeAt(last - 2) << 10) ^ (text.charCodeAt(last - 1) << 5) ^ text.charCodeAt(last)
  return mixed & (TABLE - 1)
}
