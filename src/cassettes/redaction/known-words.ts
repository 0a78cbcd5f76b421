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
  return {
    earlier,
    noteSecret,
    remember: (edits, own) => {
      for (const { kind, rule, value, whole } of edits) {
        if (whole === undefined) continue
        if (kind === 'secret') {
          noteSecret(rule, value, own)
          continue
        }
        if (secrets.isWord(value)) continue
        const known: KnownWord = { rule, value, standIn: whole.standIn }
        own.add(value, known)
        if (seen.size >= MAX_REMEMBERED || seen.has(value) || !isTelling(value) || fields.shape(rule)?.date)
          continue
        seen.add(value)
        earlier.add(value, known)
      }
    },
  }
}

/** Whether a value is known again without a field around it: a phone number, an address, a name of five letters. */
function isTelling(value: string): boolean {
  const letters = value.match(/\p{L}/gu)?.length ?? 0
  const digits = value.match(/[0-9]/g)?.length ?? 0
  return letters >= 5 || digits >= 6 || (value.includes('@') && value.length >= 6)
}
