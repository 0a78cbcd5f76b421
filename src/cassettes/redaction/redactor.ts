import { createHmac } from 'node:crypto'
import type { OutcomeRule } from '../../config/outcomes.ts'
import { joined } from '../bindings/joined.ts'
import type { Binding, CapturedExchange, CapturedReply, CapturedRequest, Redaction } from '../interaction.ts'
import { plainReply } from '../message/encoding.ts'
import type { RedactionContext } from './context.ts'
import type { Edit, PersonalValue } from './edits.ts'
import type { RedactionPolicy } from './policy.ts'
import { type RedactedReply, redactReply } from './reply.ts'
import { type RedactedRequest, redactRequest } from './request.ts'
import type { Secrets } from './secrets/secrets.ts'
import { createStandIns } from './stand-ins/stand-ins.ts'

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
  const redactionsOf = (edits: readonly Edit[]) =>
    edits.map(({ place, kind, rule, value }): Redaction => {
      if (cassetteKey === undefined) return { place, kind, rule }
      return { place, kind, rule, digest: keyedDigest(cassetteKey, rule, value) }
    })
  const context: RedactionContext = { policy, secrets, standIns, sent: new Set(), redactionsOf }

  return {
    redactRequest: (request) => redactRequest(request, context),
    redactReply: (reply, personal = []) => redactReply(reply, personal, context),
    redact: (exchange) => {
      const request = redactRequest(exchange.request, context)
      const whole = exchange.reply && plainReply(exchange.reply)
      const reply = whole?.kind === 'whole' ? redactReply(whole.reply, request.personal, context) : undefined
      const why = whole?.kind === 'broken' ? { noReply: whole.why } : {}
      return {
        exchange: { ...exchange, request: request.request, reply: reply?.reply, ...why },
        redactions: [...request.redactions, ...(reply?.redactions ?? [])],
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
