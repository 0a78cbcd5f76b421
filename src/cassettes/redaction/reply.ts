import { mediaTypeOf } from '../../http/media-type.ts'
import { joined } from '../bindings/joined.ts'
import type { Binding, CapturedReply, Redaction } from '../interaction.ts'
import { bodyFields } from '../message/body-fields.ts'
import { readableBody } from '../message/readable-body.ts'
import { spliced } from '../message/splice.ts'
import { fieldEdits } from './body.ts'
import { learnSecrets, type RedactionContext, searchOf, sentName } from './context.ts'
import { sweptSearch, withFindings } from './edits.ts'
import { headerTexts, readHeaders, redactHeaders } from './headers.ts'
import { bindingsOf, placeInBody } from './holes.ts'
import { orOpaque } from './or-opaque.ts'
import type { KnownWords } from './secrets/secrets.ts'
import { withShownPlaces } from './shown-places.ts'
import { noteTold } from './told-people.ts'
import { readableLines, withoutUnreadable } from './unreadable-head.ts'

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
  return withoutUnreadable(
    reply,
    (readable) => redactReadable(readable, words, context),
    (whole) => {
      const { message: headers, redactions } = readableLines(whole.headers, 'reply-header', context)
      return { message: { ...whole, headers }, redactions }
    },
  )
}

/** @throws BeyondBound when its head cannot be looked through. */
function redactReadable(
  reply: CapturedReply,
  words: KnownWords,
  context: RedactionContext,
): RedactedReply | undefined {
  const { policy, standIns, memory } = context
  const read = readableBody(reply)
  const { body: named, made: bodyEdits } = orOpaque(read, () => {
    learnSecrets(context, reply.headers, read.fields, words)
    noteTold(read.fields, read.bytes, context, words)
    return fieldEdits(read.fields, 'reply-body', standIns, policy.personal)
  }, [])
  memory.remember(bodyEdits, words)
  const lines = readHeaders(reply.headers, 'reply-header', policy, standIns)
  const search = sweptSearch(searchOf(context, words), [
    ...headerTexts(lines),
    spliced(named.bytes, bodyEdits),
  ])
  const { body, made: found } = orOpaque(
    named,
    () => withFindings(named.bytes, bodyEdits, search, placeInBody('reply-body', named.fields), named.fields),
    [],
  )
  if (body.encoding === 'opaque') return undefined
  const { fields, edits } = withShownPlaces('reply-body', body.fields, found, () =>
    bodyFields(spliced(body.bytes, found), mediaTypeOf(reply.headers)),
  )
  const kept = redactHeaders(lines, 'reply-header', search)
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
