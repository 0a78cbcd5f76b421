import { createHmac } from 'node:crypto'
import type { OutcomeRule } from '../../config/outcomes.ts'
import type { HeaderLine } from '../../http/header-lines.ts'
import { isPublicClientId } from '../../tokens/client-id.ts'
import { joined } from '../bindings/joined.ts'
import type { Binding, CapturedExchange, CapturedReply, CapturedRequest, Redaction } from '../interaction.ts'
import { withinBounds } from '../message/bounds.ts'
import { latin1, utf8 } from '../message/bytes.ts'
import { varyNames } from '../message/choosing.ts'
import { plainReply } from '../message/encoding.ts'
import { spliced } from '../message/splice.ts'
import { type RedactionContext, searchOf } from './context.ts'
import { type Edit, withFindings } from './edits.ts'
import { readHeaders, redactHeaders } from './headers.ts'
import { createMemory, newWords } from './known-words.ts'
import type { RedactionPolicy } from './policy.ts'
import { type RedactedReply, redactReply } from './reply.ts'
import { type RedactedRequest, redactRequest } from './request.ts'
import type { KnownWords, Secrets } from './secrets/secrets.ts'
import { createStandIns } from './stand-ins/stand-ins.ts'
import { readableLines, withoutUnreadable } from './unreadable-head.ts'

export type RedactedExchange = {
  readonly exchange: CapturedExchange
  readonly redactions: readonly Redaction[]
  readonly bindings: readonly Binding[]
}

export type Redactor = {
  readonly redact: (exchange: CapturedExchange) => RedactedExchange
  /** The request alone: what the recorder writes first, and what a live request is matched by. */
  readonly redactRequest: (request: CapturedRequest) => RedactedRequest
  /** `words`: what its request held. Undefined when nobody can say what is in its body. */
  readonly redactReply: (reply: CapturedReply, words?: KnownWords) => RedactedReply | undefined
  /** A text beside the messages, such as the name of a lane. */
  readonly redactText: (text: string, words?: KnownWords) => string
  /** The request's headers that the reply's `Vary` names and that are not kept anyway: they have chosen the reply. */
  readonly redactChoosing: (
    headers: readonly HeaderLine[],
    reply: CapturedReply,
    words?: KnownWords,
  ) => ChosenLines
  /** The personal value behind a stand-in that this redactor has given out. */
  readonly original: (type: string, standIn: string) => string | undefined
}

export type ChosenLines = {
  readonly headers: readonly HeaderLine[]
  readonly redactions: readonly Redaction[]
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
  const redactionsOf = (edits: readonly Edit[]) =>
    edits.map(({ place, kind, rule, value }): Redaction => {
      if (cassetteKey === undefined) return { place, kind, rule }
      return { place, kind, rule, digest: keyedDigest(cassetteKey, rule, value) }
    })
  const memory = createMemory(secrets, policy.fields)
  const context: RedactionContext = { policy, secrets, standIns, memory, sent: new Set(), redactionsOf }
  const redactText: Redactor['redactText'] = (text, words = newWords()) => {
    if (text === '' || isPublicClientId(text)) return text
    const bytes = latin1(text)
    const edits = withinBounds<readonly Edit[] | undefined>(
      () => withFindings(bytes, [], searchOf(context, words), () => ({ part: 'path', pointer: '' })),
      () => undefined,
    )
    if (edits === undefined) return standIns.secret('beyond', text)
    return edits.length === 0 ? text : utf8(spliced(bytes, edits))
  }

  const redactChoosing: Redactor['redactChoosing'] = (lines, reply, words = newWords()) => {
    const names = varyNames(reply).filter((name) => !policy.requestHeaders.has(name))
    if (names.length === 0) return { headers: [], redactions: [] }
    const chosen = { ...policy, requestHeaders: new Set(names) }
    return withoutUnreadable<readonly HeaderLine[], ChosenLines>(
      lines,
      (readable) => {
        const read = readHeaders(readable, 'request-header', chosen, standIns)
        const kept = redactHeaders(read, 'request-header', searchOf(context, words))
        return { headers: kept.headers, redactions: redactionsOf(kept.edits) }
      },
      (whole) => readableLines(whole, 'request-header', context),
    )
  }

  return {
    redactText,
    redactChoosing,
    redactRequest: (request) => redactRequest(request, context),
    redactReply: (reply, words = newWords()) => redactReply(reply, words, context),
    redact: (exchange) => {
      const request = redactRequest(exchange.request, context)
      const whole = exchange.reply && plainReply(exchange.reply)
      const reply = whole?.kind === 'whole' ? redactReply(whole.reply, request.words, context) : undefined
      const noReply =
        whole?.kind === 'broken' ? whole.why : whole && !reply ? 'beyond-bound' : exchange.noReply
      const chosen =
        whole?.kind === 'whole'
          ? redactChoosing(exchange.request.headers, whole.reply, request.words)
          : undefined
      const asked = chosen?.headers.length
        ? { ...request.request, headers: [...request.request.headers, ...chosen.headers] }
        : request.request
      return {
        exchange: {
          ...exchange,
          lane: redactText(exchange.lane, request.words),
          request: asked,
          reply: reply?.reply,
          ...(noReply && { noReply }),
        },
        redactions: [...request.redactions, ...(chosen?.redactions ?? []), ...(reply?.redactions ?? [])],
        bindings: joined([...request.bindings, ...(reply?.bindings ?? [])]),
      }
    },
    original: standIns.original,
  }
}

/** What a value is compared by when the cassette has been made with a key. */
export function keyedDigest(cassetteKey: string, rule: string, value: string): string {
  return createHmac('sha256', cassetteKey).update(`${rule}\0${value}`).digest('base64url')
}
