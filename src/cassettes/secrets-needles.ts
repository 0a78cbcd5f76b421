/**
 * Many known texts looked for at once. A long recording knows thousands of secrets; one `indexOf` for each would
 * make every exchange dearer than the one before. A rolling hash over the first bytes of each needle keeps the cost
 * at one multiplication per byte, however many there are.
 *
 * Texts are Latin-1 strings that stand for bytes, so that positions are byte offsets and nothing is ever decoded.
 */
const WIDTH = 8
const BASE = 0x01000193
const LEAVING = power(BASE, WIDTH - 1)

export type Needles<T> = {
  /** Shorter needles than this cannot be told from chance, and are not added. */
  readonly width: number
  readonly add: (bytes: string, tag: T) => void
  /** Calls `found` for every occurrence of every needle. */
  readonly scan: (text: string, found: (start: number, end: number, tag: T) => void) => void
}

export function createNeedles<T>(): Needles<T> {
  const byHash = new Map<number, { readonly bytes: string; readonly tag: T }[]>()
  const possible = new Uint8Array(1 << 16)
  return {
    width: WIDTH,
    add: (bytes, tag) => {
      if (bytes.length < WIDTH) return
      const hash = hashAt(bytes)
      const list = byHash.get(hash)
      if (list === undefined) byHash.set(hash, [{ bytes, tag }])
      else if (!list.some((needle) => needle.bytes === bytes)) list.push({ bytes, tag })
      possible[hash >>> 16] = 1
    },
    scan: (text, found) => {
      if (byHash.size === 0 || text.length < WIDTH) return
      let hash = hashAt(text)
      for (let end = WIDTH; ; end++) {
        if (possible[hash >>> 16] === 1) {
          for (const { bytes, tag } of byHash.get(hash) ?? []) {
            const start = end - WIDTH
            if (text.startsWith(bytes, start)) found(start, start + bytes.length, tag)
          }
        }
        if (end >= text.length) return
        hash = (hash - Math.imul(text.charCodeAt(end - WIDTH), LEAVING)) | 0
        hash = (Math.imul(hash, BASE) + text.charCodeAt(end)) | 0
      }
    },
  }
}

function hashAt(text: string): number {
  let hash = 0
  for (let i = 0; i < WIDTH; i++) hash = (Math.imul(hash, BASE) + text.charCodeAt(i)) | 0
  return hash
}

function power(base: number, exponent: number): number {
  let result = 1
  for (let i = 0; i < exponent; i++) result = Math.imul(result, base)
  return result
}
