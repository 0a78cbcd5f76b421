import { getOrMake } from '../../../map-entries.ts'
import { latin1 } from '../../message/bytes.ts'

/**
 * Texts that are looked for as whole words, however many they are: a text is gone through once, word by word, and each
 * word is looked up. Texts are Latin-1 strings that stand for bytes; a byte beyond ASCII is a part of a word.
 */
export type WordIndex<T> = {
  /** False when it is there already, or holds no word. */
  readonly add: (text: string, tag: T) => boolean
  /**
   * Adds texts before they could be found for the first time: `spell` makes them, and each of them holds these digits, the
   * first two next to each other and at most one of ` .-` between others. Most are never looked for.
   */
  readonly addLater: (digits: string, spell: () => readonly string[], tag: T) => void
  readonly isEmpty: () => boolean
  readonly find: (text: string, found: (start: number, end: number, tag: T) => void) => void
}

const WORD_CHARACTER = /[0-9A-Za-z\x80-\xff]/
const LETTER = /[a-z\x80-\xff]/
/** Values of so many lengths that begin with one word are told apart; a field has no more. */
const MAX_LENGTHS = 64

/** Of the 256 bytes, which are a part of a word. */
const IS_WORD = Uint8Array.from({ length: 256 }, (_, code) =>
  WORD_CHARACTER.test(String.fromCharCode(code)) ? 1 : 0,
)
/** Tells most words of a text from those that are looked for, by their first two bytes and their length. */
const FILTER_BITS = 10

function filterPlace(text: string, start: number, end: number): number {
  const mixed = text.charCodeAt(start) * 37 + text.charCodeAt(start + 1) * 11 + (end - start)
  return mixed & ((1 << FILTER_BITS) - 1)
}

/** Most words begin one value alone. */
type Only<T> = { readonly lead: number; readonly text: string; readonly tag: T }
/** Values by how many characters stand before the word, and by their length. */
type Leads<T> = Map<number, Map<number, Map<string, T>>>

type Waiting<T> = { readonly digits: string; readonly spell: () => readonly string[]; readonly tag: T }
/** More of them, or a longer text, are not compared one by one. */
const MAX_WAITING = 8
const MAX_COMPARED = 8192

export function createWordIndex<T>(): WordIndex<T> {
  const byWord = new Map<string, Only<T> | Leads<T>>()
  let waiting: Waiting<T>[] = []
  /** Made when the first word is added: most messages have none of their own. */
  let filter: number[] | undefined

  const add = (text: string, tag: T): boolean => {
    let lead = 0
    while (lead < text.length && IS_WORD[text.charCodeAt(lead)] !== 1) lead++
    if (lead === text.length) return false
    let end = lead + 1
    while (IS_WORD[text.charCodeAt(end)] === 1) end++
    const word = text.slice(lead, end)
    const only = { lead, text, tag }
    // A small array of numbers is made faster than one of bytes.
    filter ??= new Array<number>(1 << (FILTER_BITS - 5)).fill(0)
    const place = filterPlace(text, lead, end)
    filter[place >> 5] = (filter[place >> 5] ?? 0) | (1 << (place & 31))
    // The byte behind a word of one byte is not its own.
    if (word.length === 1) filter.fill(-1)
    const held = byWord.get(word)
    if (held === undefined || (!(held instanceof Map) && held.text === text)) {
      byWord.set(word, only)
      return held === undefined
    }
    if (held instanceof Map) return insert(held, only)
    const leads: Leads<T> = new Map()
    insert(leads, held)
    byWord.set(word, leads)
    return insert(leads, only)
  }

  /** All of them, in their order: of two values that are spelled alike, the later one is meant. */
  const settle = (): void => {
    const settled = waiting
    waiting = []
    for (const { spell, tag } of settled) for (const text of spell()) add(text, tag)
  }

  const settleFor = (text: string): void => {
    if (waiting.length === 0) return
    if (text.length > MAX_COMPARED || waiting.some(({ digits }) => mayHold(text, digits))) settle()
  }

  return {
    isEmpty: () => byWord.size === 0,
    addLater: (digits, spell, tag) => {
      waiting.push({ digits, spell, tag })
      if (waiting.length > MAX_WAITING) settle()
    },
    add: (text, tag) => {
      const bytes = latin1(text)
      settleFor(bytes)
      const isNew = add(bytes, tag)
      // In Latin-1 as well.
      if (bytes.length !== text.length && /^[\0-\xff]*$/.test(text)) add(text, tag)
      // A form or a mail often says a name in capitals.
      if (bytes.length < 4 || !LETTER.test(bytes)) return isNew
      const capitals = latin1(text.toUpperCase())
      if (capitals !== bytes) add(capitals, tag)
      return isNew
    },
    find: (text, found) => {
      settleFor(text)
      if (filter === undefined) return
      for (let at = 0; at < text.length; ) {
        if (IS_WORD[text.charCodeAt(at)] !== 1) {
          at++
          continue
        }
        const start = at
        while (at < text.length && IS_WORD[text.charCodeAt(at)] === 1) at++
        const place = filterPlace(text, start, at)
        if (((filter[place >> 5] ?? 0) & (1 << (place & 31))) === 0) continue
        const longest = longestFrom(text, start, byWord.get(text.slice(start, at)))
        if (longest === undefined) continue
        found(longest.start, longest.end, longest.tag)
        at = Math.max(at, longest.end)
      }
    },
  }
}

function mayHold(text: string, digits: string): boolean {
  const first = digits.slice(0, 2)
  for (let from = text.indexOf(first); from !== -1; from = text.indexOf(first, from + 1)) {
    let at = from + 2
    let held = 2
    for (; held < digits.length; held++) {
      if (isDivider(text.charCodeAt(at))) at++
      if (text.charCodeAt(at++) !== digits.charCodeAt(held)) break
    }
    if (held === digits.length) return true
  }
  return false
}

function isDivider(code: number): boolean {
  return code === 0x20 || code === 0x2d || code === 0x2e
}

function insert<T>(leads: Leads<T>, { lead, text, tag }: Only<T>): boolean {
  const byLength = getOrMake(leads, lead, () => new Map<number, Map<string, T>>())
  if (byLength.size >= MAX_LENGTHS && !byLength.has(text.length)) return false
  const values = getOrMake(byLength, text.length, () => new Map<string, T>())
  const isNew = !values.has(text)
  values.set(text, tag)
  return isNew
}

function longestFrom<T>(
  text: string,
  word: number,
  held: Only<T> | Leads<T> | undefined,
): { readonly start: number; readonly end: number; readonly tag: T } | undefined {
  if (held === undefined) return undefined
  if (!(held instanceof Map)) {
    const start = word - held.lead
    const end = start + held.text.length
    if (start < 0 || !text.startsWith(held.text, start) || isCut(text, held.text, end)) return undefined
    return { start, end, tag: held.tag }
  }
  for (const [lead, byLength] of held) {
    const start = word - lead
    const longest = start < 0 ? undefined : longestAt(text, start, byLength)
    if (longest) return { start, ...longest }
  }
  return undefined
}

/** Where the value ends within a word, it is not that word. */
function isCut(text: string, value: string, end: number): boolean {
  return WORD_CHARACTER.test(value.slice(-1)) && WORD_CHARACTER.test(text.charAt(end))
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
    if (isCut(text, value, end)) continue
    longest = { end, tag }
  }
  return longest
}
