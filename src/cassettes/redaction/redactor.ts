import { createHmac } from 'node:crypto'
import type { OutcomeRule } from '../../config/outcomes.ts'
import { type HeaderLine, withoutHeader } from '../../http/header-lines.ts'
import { joined } from '../bindings/joined.ts'
import type {
  Binding,
  CapturedExchange,
  CapturedReply,
  CapturedRequest,
  Place,
  Redaction,
} from '../interaction.ts'
import { type EditableField, queryFields } from '../message/body-fields.ts'
import { latin1, utf8 } from '../message/bytes.ts'
import { type ReadableBody, readableBody } from '../message/readable-body.ts'
import { spliced } from '../message/splice.ts'
import { fieldEdits, secretsOfFields } from './body.ts'
import { type Edit, type PersonalValue, withFindings } from './edits.ts'
import { redactHeaders, secretsOfHeaders } from './headers.ts'
import { bindingsOf, pathBindings, placeInBody, placeInTarget } from './holes.ts'
import type { RedactionPolicy } from './policy.ts'
import type { Secrets } from './secrets/secrets.ts'
import { createStandIns } from './stand-ins/stand-ins.ts'

export type RedactedRequest = {
  readonly request: CapturedRequest
  readonly redactions: readonly Redaction[]
  readonly bindings: readonly Binding[]
  /** The personal values that were there, for the reply of the same exchange. In memory only. */
  readonly personal: readonly PersonalValue[]
}

export type RedactedReply = {
  readonly reply: CapturedReply
  readonly redactions: readonly Redaction[]
  readonly bindings: readonly Binding[]
}

export type RedactedExchange = {
  readonly exchange: CapturedExchange
  readonly redactions: readonly Redaction[]
  readonly bindings: readonly Binding[]
}

export type Redactor = {
  readonly redact: (exchange: CapturedExchange) => RedactedExchange
  /** The request alone: what the recorder writes first, and what a live request is matched by. */
  readonly redactRequest: (request: CapturedRequest) => RedactedRequest
  readonly redactReply: (reply: CapturedReply, personal?: readonly PersonalValue[]) => RedactedReply
  /** The personal value behind a stand-in that this redactor has given out. */
  readonly original: (type: string, standIn: string) => string | undefined
}

export type RedactorOptions = {
  readonly policy: RedactionPolicy
  readonly secrets: Secrets
  readonly rules: readonly OutcomeRule[]
  /** Published test values: kept verbatim and compared exactly. */
  readonly configuredTestValues?: Iterable<string>
  /** Adds keyed digests, so that a redacted value can still be compared. */
  readonly cassetteKey?: string
  /** Stand-ins of the cassette that is continued. */
  readonly taken?: Iterable<string>
}

/**
 * Replaces secrets and personal data by stand-ins, at the bytes where they stand; every other byte is left alone.
 * It runs before anything is written, and the same function prepares a live request for matching.
 */
export function createRedactor(options: RedactorOptions): Redactor {
  const { policy, secrets, rules, configuredTestValues = [], cassetteKey, taken = [] } = options
  const standIns = createStandIns({ fields: policy.fields, rules, testValues: configuredTestValues, taken })
  /** Stand-ins that a request has shown first: the client makes them, also where only a reply repeats them. */
  const sent = new Set<string>()

  const learn = (headers: readonly HeaderLine[], fields: readonly EditableField[]) => {
    for (const value of secretsOfHeaders(headers)) secrets.learn(value)
    for (const value of secretsOfFields(fields, policy.fields)) secrets.learn(value)
  }

  const redactRequest = (request: CapturedRequest): RedactedRequest => {
    const body = readableBody(request)
    const target = wire(request.target)
    const query = queryFields(target)
    learn(request.headers, [...body.fields, ...query])
    const queryEdits = fieldEdits(query, 'query', standIns, policy.personal)
    const bodyEdits = fieldEdits(body.fields, 'request-body', standIns, policy.personal)
    const personal = distinct(personalValues([...queryEdits, ...bodyEdits]))
    const targetEdits = withFindings(
      target,
      queryEdits,
      secrets,
      standIns,
      personal,
      placeInTarget(target, query),
    )
    const allEdits = withFindings(
      body.bytes,
      bodyEdits,
      secrets,
      standIns,
      personal,
      placeInBody('request-body', body.fields),
    )
    const allowed = policy.requestHeaders
    const kept = redactHeaders(request.headers, 'request-header', allowed, secrets, standIns, personal)
    const rewritten = rewriteBody(request.body, body, allEdits, kept.headers, 'request-header')
    const bindings = [
      ...bindingsOf('query', targetEdits, query, target, 'client'),
      ...bindingsOf('request-body', allEdits, body.fields, body.bytes, 'client'),
      ...pathBindings(target, targetEdits),
    ]
    for (const { type, value } of bindings) sent.add(`${type}\0${value}`)
    return {
      request: {
        ...request,
        target: unwire(request.target, spliced(target, targetEdits)),
        headers: rewritten.headers,
        body: rewritten.body,
      },
      redactions: redactionsOf([...targetEdits, ...kept.edits, ...allEdits], rewritten.redactions),
      bindings: joined(bindings),
      personal,
    }
  }

  const redactReply = (reply: CapturedReply, sentPersonal: readonly PersonalValue[] = []): RedactedReply => {
    const body = readableBody(reply)
    learn(reply.headers, body.fields)
    const bodyEdits = fieldEdits(body.fields, 'reply-body', standIns, policy.personal)
    const personal = distinct([...sentPersonal, ...personalValues(bodyEdits)])
    const placeOf = placeInBody('reply-body', body.fields)
    const allEdits = withFindings(body.bytes, bodyEdits, secrets, standIns, personal, placeOf)
    const kept = redactHeaders(
      reply.headers,
      'reply-header',
      policy.replyHeaders,
      secrets,
      standIns,
      personal,
    )
    const rewritten = rewriteBody(reply.body, body, allEdits, kept.headers, 'reply-header')
    const bindings = bindingsOf('reply-body', allEdits, body.fields, body.bytes, 'server').map(
      (binding): Binding =>
        sent.has(`${binding.type}\0${binding.value}`) ? { ...binding, madeBy: 'client' } : binding,
    )
    return {
      reply: { ...reply, headers: rewritten.headers, body: rewritten.body },
      redactions: redactionsOf([...kept.edits, ...allEdits], rewritten.redactions),
      bindings: joined(bindings),
    }
  }

  const redact = (exchange: CapturedExchange): RedactedExchange => {
    const request = redactRequest(exchange.request)
    const reply = exchange.reply && redactReply(exchange.reply, request.personal)
    return {
      exchange: { ...exchange, request: request.request, reply: reply?.reply },
      redactions: [...request.redactions, ...(reply?.redactions ?? [])],
      bindings: joined([...request.bindings, ...(reply?.bindings ?? [])]),
    }
  }

  const redactionsOf = (edits: readonly Edit[], more: readonly Redaction[]): Redaction[] => [
    ...edits.map(({ place, kind, rule, value }): Redaction => {
      if (cassetteKey === undefined) return { place, kind, rule }
      return { place, kind, rule, digest: keyedDigest(cassetteKey, rule, value) }
    }),
    ...more,
  ]

  return { redact, redactRequest, redactReply, original: standIns.original }
}

/**
 * The body as it is stored. A compressed body that holds nothing passes as it is; one that does is stored decoded,
 * without its content coding; one that nobody can look into is not stored.
 */
function rewriteBody(
  original: Uint8Array,
  body: ReadableBody,
  edits: readonly Edit[],
  headers: readonly HeaderLine[],
  part: 'request-header' | 'reply-header',
): { body: Uint8Array; headers: readonly HeaderLine[]; redactions: readonly Redaction[] } {
  const opaque = body.encoding === 'opaque'
  if (edits.length === 0 && !opaque) return { body: original, headers, redactions: [] }
  const bytes = Buffer.from(spliced(body.bytes, edits), 'latin1')
  if (body.encoding === 'plain') return { body: bytes, headers, redactions: [] }
  const place: Place = { part, pointer: '/content-encoding' }
  const kind = edits.some((edit) => edit.kind === 'secret') || opaque ? 'secret' : 'personal'
  return {
    body: bytes,
    headers: withoutHeader(headers, 'content-encoding'),
    redactions: [{ place, kind, rule: opaque ? 'unreadable-encoding' : 'stored-decoded' }],
  }
}

/** A reply repeats the values of its request. */
function distinct(values: readonly PersonalValue[]): PersonalValue[] {
  return values.filter((one, i) => values.findIndex(({ value }) => value === one.value) === i)
}

function personalValues(edits: readonly Edit[]): PersonalValue[] {
  return edits.flatMap(({ kind, value, whole }) =>
    kind === 'personal' && whole ? [{ type: whole.type, value, standIn: whole.standIn }] : [],
  )
}

/** A target is ASCII on a real wire; what is not, is kept all the same. */
function wire(target: string): string {
  return /[^\0-\xff]/.test(target) ? latin1(target) : target
}

function unwire(original: string, bytes: string): string {
  return /[^\0-\xff]/.test(original) ? utf8(bytes) : bytes
}

/** What a value is compared by when the cassette has been made with a key. */
export function keyedDigest(cassetteKey: string, rule: string, value: string): string {
  return createHmac('sha256', cassetteKey).update(`${rule}\0${value}`).digest('base64url')
}
