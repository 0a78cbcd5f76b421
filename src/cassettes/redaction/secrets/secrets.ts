import { isPublicClientId } from '../../../tokens/client-id.ts'
import { BeyondBound, MAX_LAYERS, MAX_REPLACED } from '../../message/bounds.ts'
import { latin1, utf8 } from '../../message/bytes.ts'
import { unpackingRoom } from '../../message/packed.ts'
import { type Inner, innerTexts, mayBePacked } from './inside.ts'
import { type Marks, marksOf } from './marks.ts'
import { MEANING_TYPES } from './names.ts'
import { createNeedles } from './needles.ts'
import { base64Needles, findPatterns } from './patterns.ts'
import { asGiven, decoded, decodings, STEPS, type View } from './views.ts'
import type { WordIndex } from './word-index.ts'

/** Where a secret or a known personal value stands in a text. */
export type SecretHit = {
  readonly start: number
  readonly end: number
  readonly rule: string
  /** The secret itself when it is known, else its decoded spelling. */
  readonly value: string
  /** What stands before it says what it is; elsewhere it looks like any other text. */
  readonly isNamed?: true
  /** A person's value by its form or by the name before it, for which nothing stands yet. */
  readonly isPerson?: true
  /** Of a personal value: what stands for it. */
  readonly standIn?: string
}

/** A value that is looked for as a whole word. */
export type KnownWord = Omit<SecretHit, 'start' | 'end' | 'isPerson'>
export type KnownWords = WordIndex<KnownWord>

/**
 * Every secret that this process has seen. `find` knows them in each spelling: raw, in percent-encoding, JSON escapes
 * and character references on top of each other, UTF-16, hexadecimal, in base64 at every alignment in both alphabets,
 * and packed; and beside them whatever looks like a key, a token, credentials or user information of a URL, or is called
 * a secret by the name before it.
 */
export type Secrets = {
  /** True when it is looked for from now on and was not before. */
  readonly learn: (value: string) => boolean
  /** Those that were learned since this was last asked. */
  readonly takeNew: () => readonly string[]
  /** Whether it is a word of the interface or of the file format: found on every page, and no secret. */
  readonly isWord: (value: string) => boolean
  /**
   * `bytes` as a Latin-1 string, so that positions are byte offsets. In order, without overlaps. `words`: what is looked
   * for as well, as whole words. `people`: what is a person by its form or by the name before it is found too. @throws
   * BeyondBound when there is more in it than can be looked through.
   */
  readonly find: (bytes: string, words?: readonly KnownWords[], people?: boolean) => SecretHit[]
  /** Whether a text holds what was learned or one of these words, as it is spelled there. */
  readonly holdsKnown: (bytes: string, words: readonly KnownWords[]) => boolean
  /** Whether a short text holds none of what is known, when it is one of those that hold nothing else: it is known again. */
  readonly isSteady: (bytes: string, words: readonly KnownWords[]) => boolean
  /** What `find` finds, and whether it has found nothing in the text that is encoded or packed. */
  readonly findPlain: (
    bytes: string,
    words: readonly KnownWords[],
    people: boolean,
  ) => { readonly hits: readonly SecretHit[]; readonly isPlain: boolean }
  /** A text in which nothing was found is remembered, if it holds nothing that is encoded: `isPlain` says that it does not. */
  readonly remember: (bytes: string, isPlain: boolean) => void
  /** The same in the text of a cassette, which wraps what it holds once more. @throws BeyondBound */
  readonly findInFile: (text: string) => SecretHit[]
}

/** The words of OAuth, of HTTP and of the file format, and our stand-ins. */
const FORMAT_WORDS = [
  'client_credentials authorization_code refresh_token idempotency-key authorization',
  'application/json application/problem+json application/x-www-form-urlencoded multipart/form-data text/html',
  'startedDateTime httpVersion queryString headersSize bodySize statusText mimeType redirectURL interactions',
  'redactions bindings pointer request-body request-header reply-body reply-header secret personal upstream',
  'redacted-token-1 redacted-access-token-1 redacted-client-secret-1 redacted-client-id-1 redacted-signing-secret-1',
  'redacted-sandbox-key-1 redacted-credentials-1 redacted-basic-1 redacted-cookie-1 redacted-base64-1 redacted-1',
  'learned encoded stored-decoded beyond unreadable-encoding private-key signing-secret sandbox-key userinfo',
]

const REFUSED = 1000
const LONGEST_STEADY = 200
const MOST_STEADY = 2000
/** From this length on a secret is looked for everywhere; a shorter one is a chance likeness. */
export const SEARCHED_LENGTH = 8

type Needle = { readonly value: string; readonly kind: 'plain' | 'base64' }

/** What may be looked through of one text: its decodings, and what stands encoded in them. */
type Work = { left: number; found: number; isPlain: boolean; readonly room: ReturnType<typeof unpackingRoom> }
const WORK_FACTOR = 48
const WORK_LEAST = 4 * 1024 * 1024
/** One value shows in several decodings of a text. */
const MAX_FOUND = 2 * MAX_REPLACED

/**
 * A word of the interface (`words`) or of the file format that somebody sent as a secret cannot be one: it would be
 * found on every page. Where it was sent, its field is redacted all the same.
 */
export function createSecrets(words: readonly string[] = []): Secrets {
  const vocabulary = [...FORMAT_WORDS, ...MEANING_TYPES, ...words].join(' ')
  const vocabularyWords = new Set(vocabulary.toLowerCase().split(/[^a-z0-9]+/))
  /** Where a value begins like nothing in it, it need not be gone through. */
  const vocabularyStarts = new Set(Array.from(vocabulary, (_, i) => vocabulary.slice(i, i + 3)))
  const known = new Set<string>()
  /** What was refused as a needle a moment ago: the same token comes with every request. */
  const refused = new Set<string>()
  const needles = createNeedles<Needle>()
  let last = ''
  let fresh: string[] = []

  const learn = (value: string): boolean => {
    // A client sends one token with every request: the last one is known without hashing it.
    if (value === last) return false
    last = value
    if (known.has(value) || refused.has(value)) return false
    if (!isSearchable(value, vocabulary)) {
      if (refused.size >= REFUSED) refused.clear()
      refused.add(value)
      return false
    }
    known.add(value)
    fresh.push(value)
    for (const spelling of spellings(value)) {
      needles.add(spelling, { value, kind: 'plain' })
      for (const needle of base64Needles(spelling)) needles.add(needle, { value, kind: 'base64' })
    }
    const hex = Buffer.from(latin1(value), 'latin1').toString('hex')
    needles.add(hex, { value, kind: 'plain' })
    needles.add(hex.toUpperCase(), { value, kind: 'plain' })
    return true
  }

  const scan = (
    text: string,
    marks: Marks,
    words: readonly KnownWords[],
    people: boolean,
    take: (hit: SecretHit) => void,
  ) => {
    needles.scan(text, (start, end, { value, kind }) => {
      if (kind === 'base64') {
        // The characters at both ends carry bits of the secret as well.
        const from = start > 0 && isBase64(text.charAt(start - 1)) ? start - 1 : start
        const tail = /^[A-Za-z0-9+/_-]?={0,2}/.exec(text.slice(end, end + 3))?.[0].length ?? 0
        take({ start: from, end: end + tail, rule: 'learned', value })
      } else if (!isInNumber(text, start, end)) take({ start, end, rule: 'learned', value })
    })
    for (const hit of findPatterns(text, people, marks))
      take({ ...hit, value: utf8(text.slice(hit.start, hit.end)) })
    for (const index of words) index.find(text, (start, end, word) => take({ ...word, start, end }))
  }

  const hitsIn = (
    bytes: string,
    words: readonly KnownWords[],
    people: boolean,
    layersLeft: number,
    work: Work,
  ): SecretHit[] => {
    const hits: SecretHit[] = []
    let view: View | undefined = asGiven(bytes)
    for (let step = 0; view !== undefined; step++) {
      const { text, source } = view
      work.left -= text.length
      if (work.left < 0) throw new BeyondBound('unpacks-too-far')
      const take = (hit: SecretHit) => {
        const [start, end] = source(hit.start, hit.end)
        hits.push({ ...hit, start, end })
        if (++work.found > MAX_FOUND) throw new BeyondBound('too-many-secrets')
      }
      const marks = marksOf(text)
      scan(text, marks, words, people, take)
      if (marks.hasRun || marks.digits >= 8 || MAY_LIST.test(text) || mayBePacked(text))
        for (const inner of innerTexts(text, work.room)) {
          work.isPlain = false
          if (layersLeft === 0) throw new BeyondBound('unpacks-too-far')
          if (hitsIn(inner.text, words, people, layersLeft - 1, work).length > 0) take(wholeOf(text, inner))
        }
      view = step < STEPS ? decoded(view, marks) : undefined
      if (view !== undefined) work.isPlain = false
    }
    return hits
  }

  const findPlain = (
    bytes: string,
    words: readonly KnownWords[],
    people: boolean,
    layers: number,
    factor: number,
  ) => {
    const left = (bytes.length * WORK_FACTOR + WORK_LEAST) * factor
    const work: Work = { left, found: 0, isPlain: true, room: unpackingRoom() }
    const hits = hitsIn(bytes, words, people, layers, work)
    return { hits: hits.length < 2 ? hits : united(hits), isPlain: work.isPlain }
  }

  /** Lines of headers mostly come again. */
  const steady = new Set<string>()
  const holdsKnown: Secrets['holdsKnown'] = (bytes, words) => {
    let found = false
    const take = () => {
      found = true
    }
    needles.scan(bytes, take)
    for (const index of words) index.find(bytes, take)
    return found
  }

  return {
    learn,
    holdsKnown,
    isSteady: (bytes, words) =>
      bytes.length <= LONGEST_STEADY && steady.has(bytes) && !holdsKnown(bytes, words),
    findPlain: (bytes, words, people) => findPlain(bytes, words, people, MAX_LAYERS, 1),
    remember: (bytes, isPlain) => {
      if (!isPlain || bytes.length > LONGEST_STEADY || steady.has(bytes)) return
      if (steady.size >= MOST_STEADY) steady.clear()
      steady.add(bytes)
    },
    takeNew: () => {
      const taken = fresh
      fresh = []
      return taken
    },
    isWord: (value) =>
      vocabularyWords.has(value.toLowerCase()) ||
      ((value.length < 3 || vocabularyStarts.has(value.slice(0, 3))) && vocabulary.includes(value)),
    find: (bytes, words = [], people = false) => findPlain(bytes, words, people, MAX_LAYERS, 1).hits,
    // A body in base64 and packed as on the wire are two layers, and a text that is a JSON text a decoding more.
    findInFile: (text) => {
      const look = (part: string) => findPlain(part, [], false, MAX_LAYERS + 2, 2).hits
      try {
        return look(text)
      } catch (cause) {
        if (!(cause instanceof BeyondBound) || !text.includes('\n')) throw cause
        // Several texts of an entry together are more than each of them, which have lines of their own.
        let at = 0
        return text.split('\n').flatMap((line) => {
          const from = at
          at += line.length + 1
          return look(line).map((hit) => ({ ...hit, start: hit.start + from, end: hit.end + from }))
        })
      }
    },
  }
}

/** Bytes one by one, without sixteen characters of base64 in a row. */
const MAY_LIST = /[0-9a-fA-F]{2}[:,]/

/** What holds something in an encoding of its own is taken out as a whole. */
function wholeOf(text: string, { start, end }: Inner): SecretHit {
  return { start, end, rule: 'encoded', value: text.slice(start, end) }
}

function isSearchable(value: string, vocabulary: string): boolean {
  // Shorter ones are redacted where their field or header says what they are, and as words of the same exchange.
  if (value.length < SEARCHED_LENGTH || vocabulary.includes(value)) return false
  if (value.startsWith('redacted-') || isPublicClientId(value)) return false
  // What a pattern recognises on its own needs no needle: thousands of tokens would be thousands of kilobytes.
  const [found] = findPatterns(latin1(value))
  return !(found && found.start === 0 && found.end === value.length && found.rule !== 'userinfo')
}

/**
 * As it is, and as it stands where an encoding is no layer of its own: a text is decoded as a whole, and a secret that
 * looks encoded itself is decoded with it.
 */
function spellings(value: string): Set<string> {
  const percent = encodeURIComponent(value.toWellFormed())
  const bytes = latin1(value)
  return new Set([
    ...withoutFrame(value),
    ...(/^[\0-\xff]*$/.test(value) ? [value] : []),
    ...decodings(bytes),
    ...decodings(bytes.replaceAll(' ', '+')),
    percent,
    percent.replaceAll('%20', '+'),
    latin1(JSON.stringify(value).slice(1, -1)),
    latin1(value.toLowerCase()),
    latin1(value.toUpperCase()),
    ...(ASCII.test(value) ? [] : [latin1(value.normalize('NFD')), latin1(value.normalize('NFC'))]),
  ])
}

const ASCII = /^[\0-\x7f]*$/

/**
 * What a server makes of what it was sent: without the white space around it and the scheme before it, a card number in
 * groups or in one.
 */
function withoutFrame(value: string): string[] {
  const bare = value.trim().replace(/^(?:bearer|token|basic)\s+/i, '')
  const framed = bare.length < value.length && bare.length >= SEARCHED_LENGTH ? [latin1(bare)] : []
  const digits = /^[0-9 -]{13,23}$/.test(value) ? value.replaceAll(/[ -]/g, '') : ''
  if (digits.length < 13) return framed
  const groups = digits.match(/.{1,4}/g) ?? []
  return [...framed, digits, groups.join(' '), groups.join('-')]
}

function isBase64(character: string): boolean {
  return /[A-Za-z0-9+/_-]/.test(character)
}

/** Digits inside a longer number are chance: an instant, an amount. */
function isInNumber(text: string, start: number, end: number): boolean {
  const isDigit = (at: number) => /[0-9]/.test(text.charAt(at))
  return (isDigit(start) && isDigit(start - 1)) || (isDigit(end - 1) && isDigit(end))
    ? /^[0-9]+$/.test(text.slice(start, end))
    : false
}

/** Overlapping hits become one; a known value names it rather than a pattern, and a longer hit rather than a shorter. */
function united(hits: readonly SecretHit[]): SecretHit[] {
  const sorted = [...hits].sort((a, b) => a.start - b.start || b.end - a.end)
  const result: SecretHit[] = []
  for (const hit of sorted) {
    const last = result[result.length - 1]
    if (last === undefined || hit.start >= last.end) {
      result.push(hit)
      continue
    }
    const better = rank(hit) > rank(last) ? hit : last
    result[result.length - 1] = { ...better, start: last.start, end: Math.max(last.end, hit.end) }
  }
  return result
}

function rank(hit: SecretHit): number {
  return (
    (hit.rule === 'learned' ? 2e9 : hit.isPerson ? 0 : hit.standIn === undefined ? 1e9 : 5e8) +
    hit.end -
    hit.start
  )
}
