import type { HeaderLine } from '../../http/header-lines.ts'
import { decodePercentOrKeep } from '../../http/percent.ts'
import { splitTarget } from '../../http/target.ts'
import { isPublicClientId } from '../../tokens/client-id.ts'
import type { Redaction } from '../interaction.ts'
import type { EditableField } from '../message/body-fields.ts'
import { BeyondBound } from '../message/bounds.ts'
import { utf8 } from '../message/bytes.ts'
import { jsonText } from '../message/json-leaves.ts'
import { secretsOfFields } from './body.ts'
import type { Edit, Search } from './edits.ts'
import { secretsOfHeaders } from './headers.ts'
import type { Memory } from './known-words.ts'
import type { RedactionPolicy } from './policy.ts'
import { secretMeaning } from './secrets/names.ts'
import type { KnownWords, Secrets } from './secrets/secrets.ts'
import type { StandIns } from './stand-ins/stand-ins.ts'

/** What the parts of one redactor share. */
export type RedactionContext = {
  readonly policy: RedactionPolicy
  readonly secrets: Secrets
  readonly standIns: StandIns
  /** What earlier exchanges have told. */
  readonly memory: Memory
  /** Stand-ins that a request has shown first: the client makes them, also where only a reply repeats them. */
  readonly sent: Set<string>
  /** What a cassette says of the edits that were made. */
  readonly redactionsOf: (edits: readonly Edit[]) => Redaction[]
}

/** What is looked for in an exchange that holds these words of its own. */
export function searchOf({ secrets, standIns, memory }: RedactionContext, own: KnownWords): Search {
  const note: Search['note'] = ({ rule, value }, spelled) => {
    if (!looksMade(value)) return false
    // Which of its encodings is a part of the secret itself, nobody can say.
    const readings = [value, utf8(spelled), jsonText(spelled), decodePercentOrKeep(utf8(spelled))]
    return [...new Set(readings)]
      .map((reading) => memory.noteSecret(rule, reading, own) || secrets.learn(reading))
      .includes(true)
  }
  return { secrets, standIns, words: [own, memory.earlier], note }
}

/** No word of a sentence: a text can say `password: wrong` in many ways. */
function looksMade(value: string): boolean {
  return /[0-9]|[a-z][A-Z]|[^A-Za-z\s.,'-]/.test(value) || (value.length >= 16 && !/\s/.test(value))
}

/** What stands in a path behind what is called a secret: `/password/VALUE/reset`. A word there says what is to be done. */
export function learnSegments({ secrets, memory }: RedactionContext, target: string, own: KnownWords): void {
  const segments = splitTarget(target).path.split('/')
  for (const [i, segment] of segments.entries()) {
    const meaning = secretMeaning(segments[i - 1] ?? '')
    const value = meaning ? decodePercentOrKeep(segment) : ''
    if (meaning === undefined || !/[0-9]/.test(value) || isPublicClientId(value)) continue
    secrets.learn(value)
    memory.noteSecret(meaning.type, value, own)
  }
}

/** The name of a stand-in among those that were sent. */
export function sentName({ type, value }: { readonly type: string; readonly value: string }): string {
  return `${type}\0${value}`
}

/** What a message says by the names of its headers and fields is secret, it is from now on, wherever it stands. @throws BeyondBound */
export function learnSecrets(
  { policy, secrets, memory }: RedactionContext,
  headers: readonly HeaderLine[],
  fields: readonly EditableField[],
  own: KnownWords,
): void {
  for (const value of secretsOfHeaders(headers)) {
    secrets.learn(value)
    memory.noteSecret('credentials', value, own)
  }
  const held = new Set(secretsOfFields(fields, policy.fields))
  // No message has so many; they would be looked for in everything that follows.
  if (held.size > MAX_SECRETS) throw new BeyondBound('too-many-secrets')
  for (const value of held) secrets.learn(value)
}

const MAX_SECRETS = 2000
