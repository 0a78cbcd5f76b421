import { storeBody } from '../file/body-text.ts'
import type { JournalEvent } from '../file/journal/lines.ts'
import type { CapturedExchange, CapturedRequest, PairDigest } from '../interaction.ts'
import { plainReply } from '../message/encoding.ts'
import type { PairBook } from '../redaction/pair-book.ts'
import type { ChosenLines, Redactor } from '../redaction/redactor.ts'
import type { RedactedReply } from '../redaction/reply.ts'
import type { RedactedRequest } from '../redaction/request.ts'
import type { Secrets } from '../redaction/secrets/secrets.ts'
import type { BodySlice, Item, OpenItem } from './messages.ts'

/** What the reply needs to know of its request, whose headers are not redacted here: in memory alone. */
type Opened = Pick<RedactedRequest, 'words'> &
  Pick<CapturedRequest, 'headers'> & {
    /** The request of a token exchange as it came, in memory until its end. */
    readonly exchange: CapturedRequest | undefined
  }

/** What is at hand while exchanges come in. */
export type Desk = {
  readonly redactor: Redactor
  readonly secrets: Secrets
  readonly book: PairBook
  readonly tokenOperation: string
  /** Of a recording that goes on with another one. */
  readonly began: number | undefined
  readonly opened: Map<number, Opened>
}

/** What the journal is told of an item, in which everything is redacted. */
export function eventsOf(item: Item, bytes: Uint8Array, desk: Desk): JournalEvent[] {
  const { redactor, secrets, book, opened } = desk
  if ('learn' in item) {
    secrets.learn(item.learn)
    return []
  }
  if ('open' in item) {
    const { id, operation } = item.open
    const request = requestOf(item.open, bytes)
    const redacted = redactor.redactRequest(request)
    // The bytes of a batch are gone with it.
    const exchange =
      operation === desk.tokenOperation ? { ...request, body: Uint8Array.from(request.body) } : undefined
    opened.set(id, { words: redacted.words, headers: item.open.headers, exchange })
    const lane = redactor.redactText(item.open.lane, redacted.words)
    return [openEvent(id, { ...item.open, lane }, redacted, desk.began)]
  }
  const { id, reply } = item.end
  const { words, headers = [], exchange } = opened.get(id) ?? {}
  opened.delete(id)
  const whole = reply && plainReply({ ...reply, body: sliceOf(bytes, reply.body) })
  const redacted = whole?.kind === 'whole' ? redactor.redactReply(whole.reply, words) : undefined
  const noReply =
    whole?.kind === 'broken' ? whole.why : whole && !redacted ? 'beyond-bound' : item.end.noReply
  const chosen = whole?.kind === 'whole' ? redactor.redactChoosing(headers, whole.reply, words) : undefined
  const refusedPair = exchange && whole?.kind === 'whole' ? book.ended(exchange, whole.reply) : undefined
  return [doneEvent(id, { ...item.end, ...(noReply && { noReply }) }, redacted, chosen, refusedPair)]
}

function requestOf(
  { method, target, httpVersion, headers, body }: OpenItem,
  bytes: Uint8Array,
): CapturedRequest {
  return { method, target, httpVersion, headers, body: sliceOf(bytes, body) }
}

function sliceOf(bytes: Uint8Array, [offset, length]: BodySlice): Uint8Array {
  return bytes.subarray(offset, offset + length)
}

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
