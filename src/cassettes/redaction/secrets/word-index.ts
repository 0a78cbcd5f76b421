import { getOrMake } from '../../../map-entries.ts'
import { latin1 } from '../../message/bytes.ts'

/**
 * Texts that are looked for as whole words, however many they are: a text is gone through once, word by word, and each
 * word is looked up. Texts are Latin-1 strings that stand for bytes; a byte beyond ASCII is a part of a word.
 */
export type WordIndex<T> = {
  /** False when it is there already, or holds no word. */
  readonly add: (text: string, tag: T) => boolean
  readonly isEmpty: () => boolean
  readonly find: (text: string, found: (start: number, end: number, tag: T) => void) => void
}

const WORD = /[0-9A-Za-z\x80-\xff]+/g
const WORD_CHARACTER = /[0-9A-Za-z\x80-\xff]/
/** Values of so many lengths that begin with one word are told apart; a field has no more. */
const MAX_LENGTHS = 64

type Entry<T> = { readonly lead: number; readonly byLength: Map<number, Map<string, T>> }

export function createWordIndex<T>(): WordIndex<T> {
  /** First word -> how many characters stand before it -> values by length. */
  const byWord = new Map<string, Map<number, Entry<T>>>()

  const add = (value: string, tag: T): boolean => {
    WORD.lastIndex = 0
    const first = WORD.exec(value)
    if (first === null) return false
    const leads = getOrMake(byWord, first[0], () => new Map<number, Entry<T>>())
    const { byLength } = getOrMake(leads, first.index, () => ({ lead: first.index, byLength: new Map() }))
    if (byLength.size >= MAX_LENGTHS && !byLength.has(value.length)) return false
    const values = getOrMake(byLength, value.length, () => new Map<string, T>())
    const isNew = !values.has(value)
    values.set(value, tag)
    return isNew
  }

  return {
    isEmpty: () => byWord.size === 0,
    add: (text, tag) => {
      const bytes = latin1(text)
      const isNew = add(bytes, tag)
      // A form or a mail often says a name in capitals.
      const capitals = latin1(text.toUpperCase())
      if (capitals !== bytes && bytes.length >= 4) add(capitals, tag)
      return isNew
    },
    find: (text, found) => {
      if (byWord.size === 0) return
      const words = new RegExp(WORD.source, 'g')
      for (let match = words.exec(text); match !== null; match = words.exec(text)) {
        const leads = byWord.get(match[0])
        if (leads === undefined) continue
        const { index } = match
        for (const { lead, byLength } of leads.values()) {
          const start = index - lead
          if (start < 0) continue
          const longest = longestAt(text, start, byLength)
          if (longest === undefined) continue
          found(start, longest.end, longest.tag)
          words.lastIndex = Math.max(words.lastIndex, longest.end)
          break
        }
      }
    },
  }
}

function longestAt<T>(
  text: string,
  start: number,
  byLength: ReadonlyMap<number, ReadonlyMap<string, T>>,
): { readonly end: number; readonly tag: T } | undefined {
  let longest: { end: number; tag: T } | undefined
  for (const [length, values] of byLength) {
    const end = start + length
    if (longest !== undefined && end <= longest.end) continue
    const value = text.slice(start, end)
    const tag = values.get(value)
    if (tag === undefined) continue
    // Where the value ends within a word, it is not that word.
    if (WORD_CHARACTER.test(value.slice(-1)) && WORD_CHARACTER.test(text.charAt(end))) continue
    longest = { end, tag }
  }
  return longest
}
