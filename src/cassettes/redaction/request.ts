import { joined } from '../bindings/joined.ts'
import type { Binding, CapturedRequest, Redaction } from '../interaction.ts'
import { queryFields } from '../message/body-fields.ts'
import { latin1, utf8 } from '../message/bytes.ts'
import { readableBody } from '../message/readable-body.ts'
import { spliced } from '../message/splice.ts'
import { fieldEdits } from './body.ts'
import { learnSecrets, type RedactionContext, sentName } from './context.ts'
import { type PersonalValue, personalValues, withFindings } from './edits.ts'
import { redactHeaders } from './headers.ts'
import { bindingsOf, pathBindings, placeInBody, placeInTarget } from './holes.ts'
import { storedBody } from './stored-body.ts'

export type RedactedRequest = {
  readonly request: CapturedRequest
  readonly redactions: readonly Redaction[]
  readonly bindings: readonly Binding[]
  /** The personal values that were there, for the reply of the same exchange. In memory only. */
  readonly personal: readonly PersonalValue[]
}

export function redactRequest(request: CapturedRequest, context: RedactionContext): RedactedRequest {
  const { policy, standIns, secrets } = context
  const body = readableBody(request)
  const target = bytesOf(request.target)
  const query = queryFields(target)
  learnSecrets(context, request.headers, [...body.fields, ...query])
  const queryEdits = fieldEdits(query, 'query', standIns, policy.personal)
  const bodyEdits = fieldEdits(body.fields, 'request-body', standIns, policy.personal)
  const personal = personalValues([...queryEdits, ...bodyEdits])
  const find = (text: string, edits: typeof bodyEdits, placeOf: ReturnType<typeof placeInBody>) =>
    withFindings(text, edits, secrets, standIns, personal, placeOf)
  const targetEdits = find(target, queryEdits, placeInTarget(target, query))
  const allEdits = find(body.bytes, bodyEdits, placeInBody('request-body', body.fields))
  const kept = redactHeaders(request.headers, 'request-header', context, personal)
  const stored = storedBody(request.body, body, allEdits, kept.headers)
  const bindings = [
    ...bindingsOf('query', targetEdits, query, target, 'client'),
    ...bindingsOf('request-body', allEdits, body.fields, body.bytes, 'client'),
    ...pathBindings(target, targetEdits),
  ]
  for (const binding of bindings) context.sent.add(sentName(binding))
  return {
    request: {
      ...request,
      target: textOf(spliced(target, targetEdits), request.target),
      headers: stored.headers,
      body: stored.body,
    },
    redactions: [...context.redactionsOf([...targetEdits, ...kept.edits, ...allEdits]), ...stored.redactions],
    bindings: joined(bindings),
    personal,
  }
}

const BEYOND_LATIN1 = /[^\0-\xff]/

/** A target is ASCII on a real wire; what is not, is kept all the same. */
function bytesOf(target: string): string {
  return BEYOND_LATIN1.test(target) ? latin1(target) : target
}

function textOf(bytes: string, original: string): string {
  return BEYOND_LATIN1.test(original) ? utf8(bytes) : bytes
}
