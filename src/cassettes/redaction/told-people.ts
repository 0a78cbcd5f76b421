import { splitTarget } from '../../http/target.ts'
import type { EditableField } from '../message/body-fields.ts'
import { MAX_LAYERS } from '../message/bounds.ts'
import { latin1, utf8 } from '../message/bytes.ts'
import { jsonLeaves } from '../message/json-leaves.ts'
import type { RedactionContext } from './context.ts'
import type { KnownWords } from './secrets/secrets.ts'

/** `phone: …` and `firstName=…` in a text. */
const TOLD =
  /(?:^|[^A-Za-z])(phone|msisdn|mobile|e-?mail|first[ _-]?name|last[ _-]?name|date[ _-]?of[ _-]?birth)["']?[ \t]{0,4}[=:][ \t]{0,4}["']?([^\s"'&,;<>{}]{2,100})/gi
/** A number in its international form is nothing else. */
const PHONE = /\+[1-9][0-9]{9,14}(?![0-9])/g
const MAYBE_TOLD = /[=:]/
const MAYBE_JSON = /^\s{0,8}[[{]/

/**
 * People in texts without a field of their own: in a JSON text that is a text of a body, behind the name of a field in a
 * text, and phone numbers wherever a client writes one. They are looked for in their exchange from then on.
 *
 * @throws BeyondBound
 */
export function noteTold(
  fields: readonly EditableField[],
  bytes: string,
  context: RedactionContext,
  own: KnownWords,
): void {
  if (!context.policy.personal) return
  // What has no fields is one text.
  if (fields.length === 0 && bytes !== '') noteText(utf8(bytes), context, own)
  for (const { value, number } of fields) if (!number) noteText(value, context, own)
}

/** Of the path of a target. */
export function noteInPath(target: string, context: RedactionContext, own: KnownWords): void {
  if (context.policy.personal && target.includes('+')) notePhones(splitTarget(target).path, context, own)
}

function noteText(text: string, context: RedactionContext, own: KnownWords, layer = 0): void {
  if (text.length < 8) return
  if (MAYBE_JSON.test(text) && layer < MAX_LAYERS) {
    const { fields } = context.policy
    for (const { kind, names, value } of jsonLeaves(latin1(text))) {
      const rule = fields.rule(names)
      if (rule?.kind === 'personal') note(rule.type, value, context, own)
      else if (kind === 'string') noteText(value, context, own, layer + 1)
    }
    return
  }
  if (text.includes('+')) notePhones(text, context, own)
  if (!MAYBE_TOLD.test(text)) return
  TOLD.lastIndex = 0
  for (let match = TOLD.exec(text); match !== null; match = TOLD.exec(text)) {
    const rule = context.policy.fields.rule([(match[1] ?? '').replaceAll(/[ _-]/g, '')])
    if (rule?.kind === 'personal') note(rule.type, match[2] ?? '', context, own)
  }
}

function notePhones(text: string, context: RedactionContext, own: KnownWords): void {
  for (const [phone] of text.matchAll(PHONE)) note('phone', phone, context, own)
}

function note(type: string, value: string, { standIns, memory }: RedactionContext, own: KnownWords): void {
  // What is written behind the name of a field in a sentence about it is no person.
  const isName = type === 'firstName' || type === 'lastName'
  if (!(isName ? /^\p{Lu}/u : /[0-9@]/).test(value)) return
  if (value.startsWith('redacted-')) return
  const { text, verbatim } = standIns.personal(type, value)
  if (!verbatim) memory.notePerson({ rule: type, value, standIn: text }, own)
}
