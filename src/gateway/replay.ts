import { missDetail, missMembers } from '../cassettes/miss/problem.ts'
import type { MissReport } from '../cassettes/miss/report.ts'
import type { LiveRequest, TapeHit } from '../cassettes/tape/live-request.ts'
import type { Tape } from '../cassettes/tape/tape.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import { headerOf } from '../http/header-lines.ts'
import { capturedRequest, laneOf } from './capture.ts'
import type { Exchange } from './exchange.ts'
import type { Reply } from './reply.ts'

/** What a gateway that replays does in place of admitting, deciding and settling. */
export type Replay = {
  /** The recorded answer, or why there is none. */
  readonly answer: (exchange: Exchange, now: number) => Reply | Refusal
  /** A refusal that was judged live: a recorded one with its code counts as used. */
  readonly refused: (exchange: Exchange, code: string, now: number) => void
  /** A path that no operation has: recorded all the same by a recorder that passes everything, or nothing. */
  readonly unrouted: (exchange: Exchange, refusal: Refusal, now: number) => Reply | Refusal
  /** A token exchange: the recorded refusal, or the scopes to grant (undefined: whatever the key holds). */
  readonly exchange: (
    exchange: Exchange,
    now: number,
  ) => Reply | { readonly scopes: readonly string[] | undefined }
}

export type ReplayOptions = {
  readonly tape: Tape
  readonly publicUrl: () => string
  /** Called once for each miss, to show it where a person looks. */
  readonly onMiss: (report: MissReport, requestId: string) => void
  /** A token exchange that is not on the tape: its client gets what it asks for. Without it, what the tape has. */
  readonly onNewExchange?: (requestId: string) => void
}

export function createReplay({ tape, publicUrl, onMiss, onNewExchange }: ReplayOptions): Replay {
  const live = (exchange: Exchange, now: number): LiveRequest => ({
    lane: laneOf(exchange),
    operation: exchange.endpoint?.row.id,
    request: capturedRequest(exchange),
    now,
    requestId: exchange.requestId,
    origin: publicUrl(),
  })

  const answer = (exchange: Exchange, now: number): Reply | Refusal => {
    const request = live(exchange, now)
    const match = tape.match(request)
    if (match.kind === 'hit') return recorded(match)
    if (match.kind === 'reused') {
      tape.refusal(request, 'IDEMPOTENCY_KEY_REUSED')
      return refuse('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key belongs to another request of this run.')
    }
    onMiss(match.report, exchange.requestId)
    return refuse('CASSETTE_MISS', missDetail(match.report), { members: missMembers(match.report) })
  }

  return {
    answer,
    refused: (exchange, code, now) => void tape.refusal(live(exchange, now), code),
    unrouted: (exchange, refusal, now) => {
      if (refusal.code !== 'NOT_FOUND') return refusal
      return tape.refusal(live(exchange, now), refusal.code) ? refusal : answer(exchange, now)
    },
    exchange: (exchange, now) => {
      const result = tape.grant(live(exchange, now))
      if (result.kind === 'refused') return recorded(result.hit)
      if (result.isRecorded || !onNewExchange) return { scopes: result.scopes }
      onNewExchange(exchange.requestId)
      return { scopes: undefined }
    },
  }
}

/** The recorded headers as they were, the rate limits of the moment included. */
function recorded({ reply, interaction }: TapeHit): Reply {
  const length = interaction.request.method === 'HEAD' ? headerOf(reply.headers, 'content-length') : undefined
  const { buffer, byteOffset, byteLength } = reply.body
  return {
    status: reply.status,
    headers: {},
    lines: reply.headers,
    body: Buffer.from(buffer, byteOffset, byteLength),
    ...(length !== undefined && { contentLength: length }),
  }
}

export function isRefusal(answer: Reply | Refusal | { scopes: unknown }): answer is Refusal {
  return 'detail' in answer
}
