const BITS = 24
const WORD = /[0-9A-Za-z]{6,}/g

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
  const places = (word: string): readonly [number, number] => {
    let a = 2166136261
    let b = 5381
    for (let i = 0; i < word.length; i++) {
      const code = word.charCodeAt(i)
      a = Math.imul(a ^ code, 16777619)
      b = (Math.imul(b, 33) + code) | 0
    }
    return [a >>> (32 - BITS), b >>> (32 - BITS)]
  }
  const isSet = (place: number) => ((bits[place >> 3] ?? 0) & (1 << (place & 7))) !== 0
  return {
    add: (text) => {
      for (const [word] of text.matchAll(WORD))
        for (const place of places(word)) bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
    },
    mayHold: (text) => {
      const words = [...text.matchAll(WORD)].map(([word]) => word)
      if (words.length === 0) return true
      // Another word may have grown together with what stood beside it; those inside have not.
      return words.length > 2
        ? words.slice(1, -1).every((word) => places(word).every(isSet))
        : words.some((word) => places(word).every(isSet))
    },
  }
}
