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
  const told = { context, own, left: MAX_TOLD }
  // What has no fields is one text.
  if (fields.length === 0 && bytes !== '') noteText(utf8(bytes), told)
  for (const { value, number } of fields) if (!number) noteText(value, told)
}

/** So many people of one message are looked for in some dozen spellings each, the others as they were written. */
const MAX_TOLD = 2000

type Told = { readonly context: RedactionContext; readonly own: KnownWords; left: number }

/** Of the path of a target. */
export function noteInPath(target: string, context: RedactionContext, own: KnownWords): void {
  if (context.policy.personal && target.includes('+'))
    notePhones(splitTarget(target).path, { context, own, left: MAX_TOLD })
}

function noteText(text: string, told: Told, layer = 0): void {
  if (text.length < 8) return
  if (MAYBE_JSON.test(text) && layer < MAX_LAYERS) {
    const { fields } = told.context.policy
    for (const { kind, names, value } of jsonLeaves(latin1(text))) {
      const rule = fields.rule(names)
      if (rule?.kind === 'personal') note(rule.type, value, told)
      else if (kind === 'string') noteText(value, told, layer + 1)
    }
    return
  }
  if (text.includes('+')) notePhones(text, told)
  if (!MAYBE_TOLD.test(text)) return
  TOLD.lastIndex = 0
  for (let match = TOLD.exec(text); match !== null; match = TOLD.exec(text)) {
    const rule = told.context.policy.fields.rule([(match[1] ?? '').replaceAll(/[ _-]/g, '')])
    if (rule?.kind === 'personal') note(rule.type, match[2] ?? '', told)
  }
}

function notePhones(text: string, told: Told): void {
  for (const [phone] of text.matchAll(PHONE)) note('phone', phone, told)
}

function note(type: string, value: string, told: Told): void {
  // What is written behind the name of a field in a sentence about it is no person.
  const isName = type === 'firstName' || type === 'lastName'
  if (!(isName ? /^\p{Lu}/u : /[0-9@]/).test(value)) return
  if (value.startsWith('redacted-')) return
  const { standIns, memory } = told.context
  const { text, verbatim } = standIns.personal(type, value)
  if (verbatim) return
  const known = { rule: type, value, standIn: text }
  if (told.left-- > 0) memory.notePerson(known, told.own)
  else told.own.add(value, known)
}
