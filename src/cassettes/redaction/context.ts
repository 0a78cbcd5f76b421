import type { HeaderLine } from '../../http/header-lines.ts'
import { decodePercentOrKeep } from '../../http/percent.ts'
import { splitTarget } from '../../http/target.ts'
import { isPublicClientId } from '../../tokens/client-id.ts'
import type { Redaction } from '../interaction.ts'
import type { EditableField } from '../message/body-fields.ts'
import { BeyondBound } from '../message/bounds.ts'
import { latin1, utf8 } from '../message/bytes.ts'
import { jsonText } from '../message/json-leaves.ts'
import { secretsOfFields } from './body.ts'
import type { Edit, Search } from './edits.ts'
import { secretsOfHeaders } from './headers.ts'
import type { Memory } from './known-words.ts'
import { personalMeaning } from './people/names.ts'
import { isPersonText } from './people/told.ts'
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
export function searchOf({ policy, secrets, standIns, memory }: RedactionContext, own: KnownWords): Search {
  const note: Search['note'] = ({ rule, value, standIn }, spelled) => {
    if (standIn !== undefined) return memory.notePerson({ rule, value, standIn }, own)
    if (!looksMade(value)) return false
    // Which of its encodings is a part of the secret itself, nobody can say.
    const readings = [value, utf8(spelled), jsonText(spelled), decodePercentOrKeep(utf8(spelled))]
    return [...new Set(readings)]
      .map((reading) => memory.noteSecret(rule, reading, own) || secrets.learn(reading))
      .includes(true)
  }
  return { secrets, standIns, words: [own, memory.earlier], people: policy.personal, note, isSwept: false }
}

/** No word of a sentence: a text can say `password: wrong` in many ways. */
function looksMade(value: string): boolean {
  return /[0-9]|[a-z][A-Z]|[^A-Za-z\s.,'-]/.test(value) || (value.length >= 16 && !/\s/.test(value))
}

/**
 * What stands in a path behind what is called a secret or a person: `/password/VALUE/reset`, `/by-phone/VALUE`. A word
 * there says what is to be done.
 */
export function learnSegments(
  { policy, secrets, memory, standIns }: RedactionContext,
  target: string,
  own: KnownWords,
): void {
  const segments = splitTarget(target).path.split('/')
  for (const [i, segment] of segments.entries()) {
    if (i === 0 || !/[0-9A-Z@%]/.test(segment)) continue
    const name = (segments[i - 1] ?? '').replace(/^(?:by|of)[-_]/, '')
    if (name.length < 2) continue
    const meaning = secretMeaning(name)
    const type = meaning === undefined && policy.personal ? personalMeaning(name) : undefined
    if (meaning === undefined && type === undefined) continue
    const value = decodePercentOrKeep(segment)
    if (isPublicClientId(value) || value.startsWith('redacted-')) continue
    if (meaning !== undefined && /[0-9]/.test(value)) {
      secrets.learn(value)
      memory.noteSecret(meaning.type, value, own)
    }
    if (type === undefined || !isPersonText(type, latin1(value))) continue
    const { text, verbatim } = standIns.personal(type, value)
    if (!verbatim) memory.notePerson({ rule: type, value, standIn: text }, own)
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
  const held = new Set([...secretsOfFields(fields, policy.fields), ...secretNames(fields)])
  // No message has so many; they would be looked for in everything that follows.
  if (held.size > MAX_SECRETS) throw new BeyondBound('too-many-secrets')
  for (const value of held) secrets.learn(value)
}

/** `{"tokens": {"VALUE": …}}`: the names in what is called after secrets can be these themselves. */
function secretNames(fields: readonly EditableField[]): string[] {
  const nested = fields.filter(({ names }) => names.length > 1)
  return nested.flatMap(({ names }) =>
    names.filter(
      (name, i) =>
        i > 0 &&
        name.length >= 8 &&
        /[0-9]/.test(name) &&
        /[A-Za-z]/.test(name) &&
        !/^[a-z]{2,10}_|\s/.test(name) &&
        secretMeaning(name) === undefined &&
        secretMeaning(names[i - 1] ?? '') !== undefined,
    ),
  )
}

const MAX_SECRETS = 2000
