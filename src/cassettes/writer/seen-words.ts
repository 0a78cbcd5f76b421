const BITS = 24
const SHORTEST = 6
const WORD = /[0-9A-Za-z]{6,}/g
/** Of the ASCII characters, which are a part of a word. */
const IS_WORD = Uint8Array.from({ length: 128 }, (_, code) =>
  /[0-9A-Za-z]/.test(String.fromCharCode(code)) ? 1 : 0,
)

/**
 * Which words have been written: whether a secret that is only now known to be one stands in a journal already. It may
 * say yes for a word that was not written, and never no for one that was (Bloom, 1970); 2 MiB, whatever was written.
 */
export type SeenWords = {
  readonly add: (text: string) => void
  /** Whether the longest word of the text was seen; true when it has none. */
  readonly mayHold: (text: string) => boolean
}

export function createSeenWords(): SeenWords {
  const bits = new Uint8Array(1 << (BITS - 3))
  /** The two places of a word that stands in a text from `start` to `end`. */
  const places = (text: string, start: number, end: number): readonly [number, number] => {
    let a = 2166136261
    let b = 5381
    for (let i = start; i < end; i++) {
      const code = text.charCodeAt(i)
      a = Math.imul(a ^ code, 16777619)
      b = (Math.imul(b, 33) + code) | 0
    }
    return [a >>> (32 - BITS), b >>> (32 - BITS)]
  }
  const isSet = (place: number) => ((bits[place >> 3] ?? 0) & (1 << (place & 7))) !== 0
  const mark = (place: number) => {
    bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
  }
  const isSeen = (word: string) => places(word, 0, word.length).every(isSet)
  return {
    add: (text) => {
      for (let at = 0; at < text.length; at++) {
        const start = at
        while (IS_WORD[text.charCodeAt(at)] === 1) at++
        if (at - start < SHORTEST) continue
        const [a, b] = places(text, start, at)
        mark(a)
        mark(b)
      }
    },
    mayHold: (text) => {
      const words = [...text.matchAll(WORD)].map(([word]) => word)
      if (words.length === 0) return true
      // Another word may have grown together with what stood beside it; those inside have not.
      return words.length > 2 ? words.slice(1, -1).every(isSeen) : words.some(isSeen)
    },
  }
}
