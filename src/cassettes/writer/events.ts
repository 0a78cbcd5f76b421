import { storeBody } from '../file/body-text.ts'
import type { JournalEvent } from '../file/journal/lines.ts'
import type { CapturedExchange, PairDigest } from '../interaction.ts'
import type { ChosenLines } from '../redaction/redactor.ts'
import type { RedactedReply } from '../redaction/reply.ts'
import type { RedactedRequest } from '../redaction/request.ts'

type Started = Pick<CapturedExchange, 'startedAt' | 'lane' | 'operation'>
type Ended = Pick<CapturedExchange, 'durationMs' | 'origin' | 'noReply'>

export function openEvent(
  id: number,
  { startedAt, lane, operation }: Started,
  redacted: RedactedRequest,
  began?: number,
): JournalEvent {
  const { method, target, httpVersion, headers } = redacted.request
  const body = storeBody(redacted.request.body)
  const { bindings, redactions } = redacted
  return {
    open: {
      id,
      startedAt,
      lane,
      ...(operation !== undefined && { operation }),
      request: { method, target, http: httpVersion, headers, ...(body && { body }) },
      bindings,
      redactions,
      ...(began !== undefined && { began }),
    },
  }
}

/** `aborted` when there was no reply to the request. */
export function doneEvent(
  id: number,
  ended: Ended,
  redacted: RedactedReply | undefined,
  chosen: ChosenLines = { headers: [], redactions: [] },
  refusedPair?: PairDigest,
): JournalEvent {
  const { durationMs, origin, noReply } = ended
  if (redacted === undefined) return { aborted: { id, durationMs, origin, ...(noReply && { noReply }) } }
  const { status, headers } = redacted.reply
  const body = storeBody(redacted.reply.body)
  const { bindings } = redacted
  const reply = { status, headers, ...(body && { body }) }
  const asked = chosen.headers.length > 0 ? { asked: chosen.headers } : {}
  const redactions = [...chosen.redactions, ...redacted.redactions]
  const pair = refusedPair && { refusedPair }
  return { done: { id, durationMs, origin, reply, ...asked, bindings, redactions, ...pair } }
}
