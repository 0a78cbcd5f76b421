import { createHash } from 'node:crypto'
import type { OutcomeRule } from '../../../config/outcomes.ts'
import { getOrMake } from '../../../map-entries.ts'
import { type FieldLookup, satisfies } from './field-rules.ts'
import { candidate, disguise } from './forms.ts'
import { type FieldRules, rulesOf } from './outcome-rules.ts'

/**
 * What is written in place of a value. The same value gives the same stand-in throughout a cassette and two values
 * give two; they are numbered in the order of their first sight, so that a recording that is made again is the same
 * file. A number says nothing about the value; a digest of a phone number would be a phone number to whoever tries
 * them all.
 */
export type StandIns = {
  /** Which fields hold what. */
  readonly fields: FieldLookup
  /** `verbatim` for a magic or configured test value, which is compared exactly and therefore kept. */
  readonly personal: (type: string, value: string) => { readonly text: string; readonly verbatim: boolean }
  readonly secret: (rule: string, value: string) => string
  /** The personal value behind a stand-in, so that it can be put back where the client had sent it. */
  readonly original: (type: string, standIn: string) => string | undefined
}

export type StandInOptions = {
  readonly fields: FieldLookup
  readonly rules: readonly OutcomeRule[]
  /** Values that the operator has published for tests: kept, and compared exactly. */
  readonly testValues: Iterable<string>
  /** Stand-ins of a cassette that is continued: not given out again. */
  readonly taken?: Iterable<string>
}

export function createStandIns(options: StandInOptions): StandIns {
  const reserved = new Set<string>(options.taken)
  return { fields: options.fields, ...personalStandIns(options, reserved), secret: secretStandIns(reserved) }
}

/** How many numbers are tried before a rule set is taken to name nearly every value. */
const TRIES = 5000

function personalStandIns(
  { fields, rules, testValues }: StandInOptions,
  reserved: ReadonlySet<string>,
): Pick<StandIns, 'personal' | 'original'> {
  const kept = new Set(testValues)
  const byType = new Map<string, { rules: FieldRules; next: number; known: Map<string, string> }>()
  /** Type and stand-in -> the value. */
  const originals = new Map<string, string>()

  const ofType = (type: string) =>
    getOrMake(byType, type, () => ({ rules: rulesOf(type, rules), next: 1, known: new Map() }))

  const make = (
    type: string,
    value: string,
    field: FieldRules,
    from: number,
  ): { text: string; next: number } => {
    const shape = fields.shape(type)
    const suffix = field.suffixOf(value)
    const valid = shape !== undefined && satisfies(shape, value)
    for (let n = from; n < from + TRIES; n++) {
      // A value that its field refuses gets a stand-in that its field refuses for the same reason.
      const text = valid ? candidate(type, n, suffix, shape) : disguise(value, n)
      if (text === value || originals.has(`${type}\0${text}`) || reserved.has(text) || kept.has(text))
        continue
      if (field.isMagic(text)) continue
      if (valid && !(satisfies(shape, text) && field.endAlike(text, value))) continue
      return { text, next: n + 1 }
    }
    // It decides otherwise than the value did, which is still no leak.
    return { text: `redacted-${type}-${from}`, next: from + 1 }
  }

  return {
    personal: (type, value) => {
      const entry = ofType(type)
      const known = entry.known.get(value)
      if (known !== undefined) return { text: known, verbatim: false }
      if (!/[\p{L}\p{N}]/u.test(value) || kept.has(value) || entry.rules.isMagic(value))
        return { text: value, verbatim: true }
      const { text, next } = make(type, value, entry.rules, entry.next)
      entry.next = next
      entry.known.set(value, text)
      originals.set(`${type}\0${text}`, value)
      return { text, verbatim: false }
    },
    original: (type, standIn) => originals.get(`${type}\0${standIn}`),
  }
}

function secretStandIns(reserved: ReadonlySet<string>): StandIns['secret'] {
  const known = new Map<string, string>()
  const counters = new Map<string, number>()
  /** A client sends one token with every request: the last one is known without hashing it. */
  let last: { readonly value: string; readonly text: string } | undefined

  const make = (rule: string): string => {
    const label = rule.toLowerCase().replace(/[^a-z0-9]+/g, '-')
    let n = counters.get(label) ?? 1
    while (reserved.has(`redacted-${label}-${n}`)) n++
    counters.set(label, n + 1)
    return `redacted-${label}-${n}`
  }

  return (rule, value) => {
    if (value === last?.value) return last.text
    // Tokens are long and many: a hash of theirs in memory is enough to know them again.
    const key = value.length > 64 ? createHash('sha256').update(value).digest('base64') : value
    const found = known.get(key)
    const text = found ?? make(rule)
    if (found === undefined) known.set(key, text)
    else last = { value, text }
    return text
  }
}
