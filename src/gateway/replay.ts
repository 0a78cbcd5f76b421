import type { CapturedRequest, Interaction } from '../cassettes/interaction.ts'
import { moveRequest } from '../cassettes/message/urls.ts'
import { missDetail, missMembers } from '../cassettes/miss/problem.ts'
import type { MissReport } from '../cassettes/miss/report.ts'
import type { LiveRequest, TapeHit } from '../cassettes/tape/live-request.ts'
import type { Tape } from '../cassettes/tape/tape.ts'
import { refuse } from '../errors/refusal.ts'
import { headerOf } from '../http/header-lines.ts'
import { mediaType } from '../http/media-type.ts'
import type { Answerer, Outcome } from './answerer.ts'
import { after } from './awaitable.ts'
import { capturedRequest, laneOf } from './capture.ts'
import type { Edge } from './context.ts'
import type { Exchange } from './exchange.ts'
import { problemReply, type Reply, refusalPage } from './reply.ts'
import { grantToken } from './token-grant.ts'
import type { LongBody } from './wire/body.ts'

export type ReplayOptions = {
  readonly edge: Edge
  readonly tape: Tape
  /** The name of a lane as the recording has it and reports show it. */
  readonly laneName: (lane: string) => string
  /** The origin of the cassettes' URLs: one of ours in a request stands for it. Undefined without a cassette. */
  readonly recordedOrigin: string | undefined
  /** For bodies that are longer than the edge takes. */
  readonly openLong: () => LongBody
  /** Called once for each miss, to show it where a person looks. */
  readonly onMiss: (report: MissReport, requestId: string) => void
  /** A token exchange that is not on the tape: its client gets what it asks for. Without it, what the tape has. */
  readonly onNewExchange?: (requestId: string) => void
}

/** Answers from a tape: it decides and stores nothing. */
export function createReplay(options: ReplayOptions): Answerer {
  const { edge, tape, laneName, recordedOrigin, openLong, onMiss, onNewExchange } = options
  const live = (exchange: Exchange, now: number): LiveRequest => ({
    lane: laneName(laneOf(exchange)),
    operation: exchange.endpoint?.row.id,
    request: recordedRequest(exchange, edge.publicUrl(), recordedOrigin),
    now,
    requestId: exchange.requestId,
    origin: edge.publicUrl(),
  })

  const answer = (exchange: Exchange, now: number): Outcome => {
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

  /** A token exchange: its recorded refusal, or the scopes that the recorded token had (undefined: all it may). */
  const exchanged = (exchange: Exchange, now: number): Reply | { readonly scopes?: readonly string[] } => {
    const result = tape.grant(live(exchange, now))
    if (result.kind === 'refused') return recorded(result.hit)
    if (!result.isRecorded && onNewExchange) {
      onNewExchange(exchange.requestId)
      return {}
    }
    return result.scopes ? { scopes: result.scopes } : {}
  }

  return {
    comparesRequests: true,
    openLong,
    answer: (exchange, { now }) =>
      after(exchange.windowState ?? edge.store.peek(exchange.window, now), (state) => {
        exchange.windowState = state
        return answer(exchange, now)
      }),
    refused: (exchange, refusal, now) => {
      const { endpoint } = exchange
      if (endpoint?.kind === 'token') {
        const taped = exchanged(exchange, now)
        return 'status' in taped ? taped : undefined
      }
      // A path that no operation has is recorded all the same by a recorder that passes everything on.
      const isUnknownPath = endpoint === undefined && refusal.code === 'NOT_FOUND'
      if (endpoint === undefined && !isUnknownPath) return undefined
      const request = live(exchange, now)
      const used = tape.refusal(request, refusal.code)
      // What was recorded as a problem document stays one, also for a browser.
      if (used) return isPage(used) ? undefined : problemReply(exchange, refusal, edge.publicUrl())
      if (isUnknownPath) return answer(exchange, now)
      // Whatever was recorded goes before a page of ours; and a sandbox may take longer bodies than this edge.
      const isAsked = refusal.code === 'BODY_TOO_LARGE' || refusalPage(exchange, refusal)
      const found = isAsked ? tape.find(request) : undefined
      return found?.kind === 'hit' ? recorded(found) : undefined
    },
    grant: (exchange, proven, scopes, now) => {
      const taped = exchanged(exchange, now)
      if ('status' in taped) return taped
      const granted = taped.scopes ? scopes.filter((scope) => taped.scopes?.includes(scope)) : scopes
      return grantToken(edge, exchange, proven, granted)
    },
  }
}

function isPage({ reply }: Interaction): boolean {
  return mediaType(headerOf(reply?.headers ?? [], 'content-type') ?? '') === 'text/html'
}

/** A request as the recording would have it: URLs that lead here led to the recorded sandbox. */
function recordedRequest(exchange: Exchange, own: string, recorded: string | undefined): CapturedRequest {
  const request = capturedRequest(exchange)
  return recorded === undefined ? request : moveRequest(request, { from: own, to: recorded })
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
