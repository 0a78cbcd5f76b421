import { mediaTypeOf } from '../../http/media-type.ts'
import { joined } from '../bindings/joined.ts'
import type { Binding, CapturedReply, Redaction } from '../interaction.ts'
import { bodyFields } from '../message/body-fields.ts'
import { readableBody } from '../message/readable-body.ts'
import { spliced } from '../message/splice.ts'
import { fieldEdits } from './body.ts'
import { learnSecrets, type RedactionContext, searchOf, sentName } from './context.ts'
import { withFindings } from './edits.ts'
import { redactHeaders } from './headers.ts'
import { bindingsOf, placeInBody } from './holes.ts'
import { orOpaque } from './or-opaque.ts'
import type { KnownWords } from './secrets/secrets.ts'
import { withShownPlaces } from './shown-places.ts'

export type RedactedReply = {
  readonly reply: CapturedReply
  readonly redactions: readonly Redaction[]
  readonly bindings: readonly Binding[]
}

/**
 * Of a reply without content coding. `words`: what its request held. Undefined when nobody can say what is in its body:
 * that is no answer to serve.
 */
export function redactReply(
  reply: CapturedReply,
  words: KnownWords,
  context: RedactionContext,
): RedactedReply | undefined {
  const { policy, standIns, memory } = context
  const read = readableBody(reply)
  const { body, made: found } = orOpaque(read, () => {
    learnSecrets(context, reply.headers, read.fields, words)
    const edits = fieldEdits(read.fields, 'reply-body', standIns, policy.personal)
    memory.remember(edits, words)
    const placeOf = placeInBody('reply-body', read.fields)
    return withFindings(read.bytes, edits, searchOf(context, words), placeOf, read.fields)
  }, [])
  if (body.encoding === 'opaque') return undefined
  const { fields, edits } = withShownPlaces('reply-body', body.fields, found, () =>
    bodyFields(spliced(body.bytes, found), mediaTypeOf(reply.headers)),
  )
  const kept = redactHeaders(reply.headers, 'reply-header', policy, searchOf(context, words))
  const bindings = bindingsOf('reply-body', edits, fields, body.bytes, 'server').map(
    (binding): Binding => (context.sent.has(sentName(binding)) ? { ...binding, madeBy: 'client' } : binding),
  )
  return {
    reply: {
      ...reply,
      headers: kept.headers,
      body: edits.length === 0 ? reply.body : Buffer.from(spliced(body.bytes, edits), 'latin1'),
    },
    redactions: context.redactionsOf([...kept.edits, ...edits]),
    bindings: joined(bindings),
  }
}
