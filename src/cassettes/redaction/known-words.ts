import type { Edit } from './edits.ts'
import { type KnownWord, type KnownWords, SEARCHED_LENGTH, type Secrets } from './secrets/secrets.ts'
import { createWordIndex } from './secrets/word-index.ts'
import type { FieldLookup } from './stand-ins/field-rules.ts'

/** A secret of fewer characters is redacted in its own field alone. */
const SHORTEST_SECRET = 4
/** How many values of earlier exchanges are remembered; a recording has rarely more people. */
const MAX_REMEMBERED = 100_000

/** What is looked for in the rest of an exchange, and in all that come after it. */
export type Memory = {
  /** The personal values of earlier exchanges. */
  readonly earlier: KnownWords
  /** Remembers what these edits have replaced: `own` for the exchange they are of, `earlier` for later ones. */
  readonly remember: (edits: readonly Edit[], own: KnownWords) => void
  /** Remembers a person whom no field of the exchange has told of; false when it was remembered before. */
  readonly notePerson: (known: KnownWord, own: KnownWords) => boolean
  /** Remembers a short secret for its exchange; false when it is none, or was remembered before. */
  readonly noteSecret: (rule: string, value: string, own: KnownWords) => boolean
}

export function newWords(): KnownWords {
  return createWordIndex<KnownWord>()
}

export function createMemory(secrets: Secrets, fields: FieldLookup): Memory {
  const earlier = newWords()
  const seen = new Set<string>()
  const noteSecret: Memory['noteSecret'] = (rule, value, own) => {
    if (value.length < SHORTEST_SECRET || value.length >= SEARCHED_LENGTH || secrets.isWord(value))
      return false
    return own.add(value, { rule, value })
  }
  const notePerson: Memory['notePerson'] = (known, own) => {
    const { rule, value } = known
    if (secrets.isWord(value)) return false
    // A reply mostly tells what its request has told.
    if (!own.add(value, known)) return false
    // It has some thirty spellings, of which hardly any exchange holds one.
    if (rule === 'phone' && PHONE.test(value))
      own.addLater(value.slice(1 + CODE_DIGITS), () => otherSpellings(value), known)
    else for (const spelled of spellingsOf(rule, value)) own.add(spelled, known)
    if (
      seen.size >= MAX_REMEMBERED ||
      seen.has(value) ||
      PLACES.has(rule) ||
      !isTelling(value) ||
      fields.shape(rule)?.date
    )
      return true
    seen.add(value)
    earlier.add(value, known)
    const plain = withoutAccents(value)
    if (plain !== value) earlier.add(plain, known)
    if (PHONE.test(value)) earlier.add(value.slice(1), known)
    return true
  }
  return {
    earlier,
    noteSecret,
    notePerson,
    remember: (edits, own) => {
      for (const { kind, rule, value, whole } of edits) {
        if (whole === undefined) continue
        if (kind === 'secret') {
          noteSecret(rule, value, own)
          continue
        }
        notePerson({ rule, value, standIn: whole.standIn }, own)
      }
    },
  }
}

/** Where many people are: not looked for in later exchanges. */
const PLACES = new Set(['address', 'birthPlace', 'ip', 'location'])
const PHONE = /^\+[1-9][0-9]{9,14}$/
const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/
/** Of a country code; all that this currency is used with have as many. */
const CODE_DIGITS = 3

/** What a date becomes that went through an instant. */
const MIDNIGHTS = ['T00:00:00', 'T00:00:00Z', 'T00:00:00.000Z']
/** How numbers of nine and ten digits are written, beside in pairs. */
const GROUPINGS = [
  [2, 3, 2, 2],
  [3, 3, 4],
  [4, 3, 3],
  [3, 3, 3],
] as const

/** Empty when the groups do not make up the whole. */
function inGroups(digits: string, lengths: readonly number[]): readonly string[] {
  if (lengths.reduce((sum, length) => sum + length, 0) !== digits.length) return []
  const ends = lengths.map((_, i) => lengths.slice(0, i + 1).reduce((sum, length) => sum + length, 0))
  return ends.map((end, i) => digits.slice(end - (lengths[i] ?? 0), end))
}

/** As it is, and what is made of a number that was sent with spaces, of a name of several parts, and of an IBAN. */
function spellingsOf(rule: string, value: string): readonly string[] {
  const spelled = [...otherSpellings(value)]
  if (rule === 'phone' && !PHONE.test(value)) {
    const plain = value.replaceAll(/[^0-9+]/g, '').replace(/^00/, '+')
    const digits = plain.replace('+', '')
    if (digits.length >= 8 && plain !== value) spelled.push(plain, ...otherSpellings(plain))
    if (/^0[0-9]{8,9}$/.test(digits)) spelled.push(...[' ', '-', '.'].map((one) => inPairs(digits).join(one)))
  }
  if (rule === 'iban')
    spelled.push((value.replaceAll(' ', '').match(/.{1,4}/g) ?? []).join(' '), value.replaceAll(' ', ''))
  if (rule === 'firstName' || rule === 'lastName') {
    const parts = value.split(/\s+/)
    for (const part of parts.length > 1 ? parts : [])
      if (/^\p{L}[\p{L}\p{M}'’-]{3,}/u.test(part)) spelled.push(part)
    const plain = parts.length > 1 ? withoutAccents(value) : value
    if (plain !== value) spelled.push(...plain.split(/\s+/).filter((part) => part.length >= 4))
    if (value.includes("'")) spelled.push(value.replaceAll("'", '’'))
    if (value.includes('’')) spelled.push(value.replaceAll('’', "'"))
  }
  if (!ASCII.test(value)) spelled.push(value.normalize('NFD'), value.normalize('NFC'))
  return spelled.filter((one) => one !== '' && one !== value)
}

function inPairs(digits: string): string[] {
  return digits.match(/.{1,2}/g) ?? []
}

const MONTHS = [
  'January February March April May June July August September October November December',
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
].map((names) => names.split(' '))

/** As a person or a server writes the same value. A name of fewer than five letters is a word of many texts. */
function otherSpellings(value: string): readonly string[] {
  if (PHONE.test(value)) {
    const digits = value.slice(1)
    const local = digits.slice(CODE_DIGITS)
    const pairs = local.match(/.{1,2}/g) ?? []
    // A number that is mostly zeros stands in identifiers as well.
    const alone = /^0000/.test(local) ? [] : [local]
    const grouped = [pairs, ...GROUPINGS.map((lengths) => inGroups(local, lengths))].filter(
      (one) => one.length > 1,
    )
    return [
      digits,
      `00${digits}`,
      ...alone,
      ...grouped.flatMap((one) => [' ', '-', '.'].map((between) => one.join(between))),
    ]
  }
  const [, year = '', month = '', day = ''] = DATE.exec(value) ?? []
  if (day !== '') {
    const dayFirst = ['/', '-', '.'].map((between) => [day, month, year].join(between))
    const short = String(Number(day))
    const named = MONTHS.flatMap((names) => {
      const name = names[Number(month) - 1] ?? ''
      return [
        `${short} ${name} ${year}`,
        `${day} ${name} ${year}`,
        `${name} ${short}, ${year}`,
        `${short} ${name.slice(0, 3)} ${year}`,
      ]
    })
    return [
      ...named,
      `${day}/${month}/${year.slice(2)}`,
      `${short}/${Number(month)}/${year}`,
      ...dayFirst,
      `${month}/${day}/${year}`,
      year + month + day,
      ...MIDNIGHTS.map((time) => value + time),
    ]
  }
  if (!/\p{L}{5}|[0-9]{4}/u.test(value)) return []
  const plain = withoutAccents(value)
  const lower = value.toLowerCase()
  if (plain === value) return lower === value ? [] : [lower]
  return [plain, lower, withoutAccents(lower)]
}

const ASCII = /^[\0-\x7f]*$/

function withoutAccents(text: string): string {
  return ASCII.test(text) ? text : text.normalize('NFD').replaceAll(/\p{M}/gu, '')
}

/** Whether a value is known again without a field around it: a phone number, an address, a name of five letters. */
function isTelling(value: string): boolean {
  const letters = value.match(/\p{L}/gu)?.length ?? 0
  const digits = value.match(/[0-9]/g)?.length ?? 0
  return letters >= 5 || digits >= 6 || (value.includes('@') && value.length >= 6)
}
