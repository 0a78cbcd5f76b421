import { joined } from '../bindings/joined.ts'
import type { Binding, CapturedReply, Redaction } from '../interaction.ts'
import { readableBody } from '../message/readable-body.ts'
import { spliced } from '../message/splice.ts'
import { fieldEdits } from './body.ts'
import { learnSecrets, type RedactionContext, sentName } from './context.ts'
import { type PersonalValue, personalValues, withFindings } from './edits.ts'
import { redactHeaders } from './headers.ts'
import { bindingsOf, placeInBody } from './holes.ts'

export type RedactedReply = {
  readonly reply: CapturedReply
  readonly redactions: readonly Redaction[]
  readonly bindings: readonly Binding[]
}

/** Of a reply without content coding. `sentPersonal`: the personal values of its request. */
export function redactReply(
  reply: CapturedReply,
  sentPersonal: readonly PersonalValue[],
  context: RedactionContext,
): RedactedReply {
  const { policy, standIns, secrets } = context
  const body = readableBody(reply)
  learnSecrets(context, reply.headers, body.fields)
  const bodyEdits = fieldEdits(body.fields, 'reply-body', standIns, policy.personal)
  const personal = personalValues(bodyEdits, sentPersonal)
  const placeOf = placeInBody('reply-body', body.fields)
  const allEdits = withFindings(body.bytes, bodyEdits, secrets, standIns, personal, placeOf)
  const kept = redactHeaders(reply.headers, 'reply-header', context, personal)
  const bindings = bindingsOf('reply-body', allEdits, body.fields, body.bytes, 'server').map(
    (binding): Binding => (context.sent.has(sentName(binding)) ? { ...binding, madeBy: 'client' } : binding),
  )
  return {
    reply: {
      ...reply,
      headers: kept.headers,
      body: allEdits.length === 0 ? reply.body : Buffer.from(spliced(body.bytes, allEdits), 'latin1'),
    },
    redactions: context.redactionsOf([...kept.edits, ...allEdits]),
    bindings: joined(bindings),
  }
}
