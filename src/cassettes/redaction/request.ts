import { mediaTypeOf } from '../../http/media-type.ts'
import { joined } from '../bindings/joined.ts'
import type { Binding, CapturedRequest, Redaction } from '../interaction.ts'
import { bodyFields, queryFields } from '../message/body-fields.ts'
import { latin1, utf8 } from '../message/bytes.ts'
import { readableBody } from '../message/readable-body.ts'
import { spliced } from '../message/splice.ts'
import { fieldEdits } from './body.ts'
import { learnSecrets, learnSegments, type RedactionContext, searchOf, sentName } from './context.ts'
import { sweptSearch, withFindings } from './edits.ts'
import { headerTexts, readHeaders, redactHeaders } from './headers.ts'
import { bindingsOf, pathBindings, placeInBody, placeInTarget } from './holes.ts'
import { newWords } from './known-words.ts'
import { orOpaque } from './or-opaque.ts'
import type { KnownWords } from './secrets/secrets.ts'
import { withShownPlaces } from './shown-places.ts'
import { storedBody } from './stored-body.ts'
import { noteTold } from './told-people.ts'
import { readableRequest, withoutUnreadable } from './unreadable-head.ts'

export type RedactedRequest = {
  readonly request: CapturedRequest
  readonly redactions: readonly Redaction[]
  readonly bindings: readonly Binding[]
  /** What was there and is looked for in the reply of the same exchange as well. In memory only. */
  readonly words: KnownWords
}

export function redactRequest(request: CapturedRequest, context: RedactionContext): RedactedRequest {
  return withoutUnreadable(
    request,
    (readable) => redactReadable(readable, context),
    (whole) => readableRequest(whole, context),
  )
}

/** @throws BeyondBound when its head cannot be looked through. */
function redactReadable(request: CapturedRequest, context: RedactionContext): RedactedRequest {
  const { policy, standIns, memory } = context
  const words = newWords()
  const target = bytesOf(request.target)
  const query = queryFields(target)
  const read = readableBody(request)
  learnSecrets(context, request.headers, query, words)
  learnSegments(context, target, words)
  const queryEdits = fieldEdits(query, 'query', standIns, policy.personal)
  memory.remember(queryEdits, words)
  const { body: named, made: bodyEdits } = orOpaque(read, () => {
    learnSecrets(context, [], read.fields, words)
    noteTold(read.fields, read.bytes, context, words)
    return fieldEdits(read.fields, 'request-body', standIns, policy.personal)
  }, [])
  memory.remember(bodyEdits, words)
  noteTold(query, '', context, words)
  const lines = readHeaders(request.headers, 'request-header', policy, standIns)
  const search = sweptSearch(searchOf(context, words), [
    spliced(target, queryEdits),
    ...query.filter(({ value }) => value.includes(' ')).map(({ value }) => latin1(value)),
    ...headerTexts(lines),
    spliced(named.bytes, bodyEdits),
  ])
  const { body, made: found } = orOpaque(
    named,
    () =>
      withFindings(named.bytes, bodyEdits, search, placeInBody('request-body', named.fields), named.fields),
    [],
  )
  const targetEdits = withFindings(target, queryEdits, search, placeInTarget(target, query), query)
  const inTarget = withShownPlaces('query', query, targetEdits, () =>
    queryFields(spliced(target, targetEdits)),
  )
  const inBody = withShownPlaces('request-body', body.fields, found, () =>
    bodyFields(spliced(body.bytes, found), mediaTypeOf(request.headers)),
  )
  const kept = redactHeaders(lines, 'request-header', search)
  const stored = storedBody(request.body, body, inBody.edits, kept.headers)
  const bindings = [
    ...bindingsOf('query', inTarget.edits, inTarget.fields, target, 'client'),
    ...bindingsOf('request-body', inBody.edits, inBody.fields, body.bytes, 'client'),
    ...pathBindings(target, inTarget.edits),
  ]
  for (const binding of bindings) context.sent.add(sentName(binding))
  return {
    request: {
      ...request,
      target: textOf(spliced(target, inTarget.edits), request.target),
      headers: stored.headers,
      body: stored.body,
    },
    redactions: [
      ...context.redactionsOf([...inTarget.edits, ...kept.edits, ...inBody.edits]),
      ...stored.redactions,
    ],
    bindings: joined(bindings),
    words,
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
