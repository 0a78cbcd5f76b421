import { isPublicClientId } from '../../tokens/client-id.ts'
import { bodyFields, type EditableField } from '../message/body-fields.ts'
import { MAX_LAYERS } from '../message/bounds.ts'
import { latin1 } from '../message/bytes.ts'
import { isTable } from '../message/csv-values.ts'
import { ruleOf } from './body.ts'
import type { RedactionContext } from './context.ts'
import type { KnownWords } from './secrets/secrets.ts'

/** So many people of one message are looked for in some dozen spellings each, the others as they were written. */
const MAX_TOLD = 2000

type Told = { readonly context: RedactionContext; readonly own: KnownWords; left: number }

/**
 * A text of a field can be a body itself: JSON in JSON, a table in a part, a page in an error, an event of a stream. What
 * its fields say is secret or a person is looked for in the whole exchange from then on.
 *
 * @throws BeyondBound
 */
export function noteTold(
  fields: readonly EditableField[],
  bytes: string,
  context: RedactionContext,
  own: KnownWords,
): void {
  const told = { context, own, left: MAX_TOLD }
  // What has no fields is one text.
  if (fields.length === 0 && bytes !== '') noteText(bytes, told, 0)
  for (const { value, number } of fields)
    if (!number && value.length >= 8 && MAY_HOLD.test(value)) noteText(latin1(value), told, 0)
}

/** Most texts of most fields are no body. */
const MAY_HOLD = /[[{<"\n]|^--/
const JSON_AT = /[[{]\s{0,8}["[{]/
const PARTS_AT = /^--[^\r\n]{1,200}\r?\ncontent-/i
const TAG_AT = /<[A-Za-z!?]/

function noteText(bytes: string, told: Told, layer: number): void {
  if (layer >= MAX_LAYERS) return
  const start = startOf(bytes)
  if (start === -1) return
  const { fields: table } = told.context.policy
  for (const field of bodyFields(bytes.slice(start), '')) {
    const rule = ruleOf(field, table)
    if (rule === undefined) {
      if (!field.number && field.value.length >= 8) noteText(latin1(field.value), told, layer + 1)
    } else if (rule.kind === 'personal') notePerson(rule.type, field.value, told)
    else if (rule.kind === 'secret' || !isPublicClientId(field.value))
      noteSecret(rule.type, field.value, told)
  }
}

/** Where a text begins that has fields; -1 when it has none. */
function startOf(bytes: string): number {
  if (PARTS_AT.test(bytes) || /^\s*"/.test(bytes)) return 0
  const json = bytes.search(JSON_AT)
  const tag = bytes.includes('<') ? bytes.search(TAG_AT) : -1
  if (tag !== -1 && (json === -1 || tag < json))
    return bytes.includes('</') || bytes.includes('/>') ? tag : json
  if (json !== -1) return json
  return bytes.includes('\n') && isTable(bytes) ? 0 : -1
}

function noteSecret(type: string, value: string, { context, own }: Told): void {
  if (/^\s*$/.test(value) || value.length < 4) return
  context.secrets.learn(value)
  context.memory.noteSecret(type, value, own)
}

function notePerson(type: string, value: string, told: Told): void {
  const { policy, standIns, memory } = told.context
  if (!policy.personal || value.startsWith('redacted-')) return
  const { text, verbatim } = standIns.personal(type, value)
  if (verbatim) return
  const known = { rule: type, value, standIn: text }
  if (told.left-- > 0) memory.notePerson(known, told.own)
  else told.own.add(value, known)
}
