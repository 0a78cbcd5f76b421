import type { HeaderLine } from '../../http/header-lines.ts'
import type { Redaction } from '../interaction.ts'
import type { EditableField } from '../message/body-fields.ts'
import { secretsOfFields } from './body.ts'
import type { Edit } from './edits.ts'
import { secretsOfHeaders } from './headers.ts'
import type { RedactionPolicy } from './policy.ts'
import type { Secrets } from './secrets/secrets.ts'
import type { StandIns } from './stand-ins/stand-ins.ts'

/** What the parts of one redactor share. */
export type RedactionContext = {
  readonly policy: RedactionPolicy
  readonly secrets: Secrets
  readonly standIns: StandIns
  /** Stand-ins that a request has shown first: the client makes them, also where only a reply repeats them. */
  readonly sent: Set<string>
  /** What a cassette says of the edits that were made. */
  readonly redactionsOf: (edits: readonly Edit[]) => Redaction[]
}

/** The name of a stand-in among those that were sent. */
export function sentName({ type, value }: { readonly type: string; readonly value: string }): string {
  return `${type}\0${value}`
}

/** What a message says by the names of its headers and fields is secret, it is from now on, wherever it stands. */
export function learnSecrets(
  { policy, secrets }: RedactionContext,
  headers: readonly HeaderLine[],
  fields: readonly EditableField[],
): void {
  for (const value of secretsOfHeaders(headers)) secrets.learn(value)
  for (const value of secretsOfFields(fields, policy.fields)) secrets.learn(value)
}
