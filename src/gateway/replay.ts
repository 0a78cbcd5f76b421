import type { Interaction } from '../cassettes/interaction.ts'
import { scopeText } from '../cassettes/matching/callers.ts'
import { missDetail, missMembers } from '../cassettes/miss/problem.ts'
import type { MissReport } from '../cassettes/miss/report.ts'
import type { LiveRequest, TapeHit } from '../cassettes/tape/live-request.ts'
import type { TapeMatch } from '../cassettes/tape/match.ts'
import type { Tape } from '../cassettes/tape/tape.ts'
import { SCOPES } from '../config/contract.ts'
import { refuse } from '../errors/refusal.ts'
import { headerOf } from '../http/header-lines.ts'
import { mediaType } from '../http/media-type.ts'
import type { ProvenKey } from '../tokens/registry.ts'
import type { Answerer, Outcome } from './answerer.ts'
import { after } from './awaitable.ts'
import type { Edge } from './context.ts'
import type { Exchange } from './exchange.ts'
import { createGrantBook } from './grant-book.ts'
import { createLiveRequests } from './live-request.ts'
import { problemReply, type Reply } from './reply.ts'
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
  /** The digests of the pair of client and secret that a request names; undefined when no cassette has any. */
  readonly pairsOf?: (request: LiveRequest['request']) => Promise<ReadonlySet<string>>
  /** Proves a client whose exchange the edge refuses and the recording granted. */
  readonly anyClient: () => ProvenKey
}

/** Answers from a tape: it decides and stores nothing. */
export function createReplay(options: ReplayOptions): Answerer {
  const { edge, tape, laneName, recordedOrigin, openLong, onMiss, onNewExchange, pairsOf, anyClient } =
    options
  const grants = createGrantBook()
  const { callers } = tape
  const live = createLiveRequests({ edge, callers, grants, laneName, recordedOrigin })
  const missed = ({ report }: TapeMatch & { kind: 'miss' }, { requestId }: Exchange): Outcome => {
    onMiss(report, requestId)
    return refuse('CASSETTE_MISS', missDetail(report), { members: missMembers(report) })
  }

  const answer = (exchange: Exchange, now: number): Outcome => {
    const match = tape.match(live(exchange, now))
    if (match.kind === 'hit') return recorded(match)
    if (match.kind === 'miss') return missed(match, exchange)
    return refuse('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key belongs to another request of this run.')
  }

  /** A token exchange: its recorded refusal, a token with the scopes that the recorded one had, or undefined. */
  const exchanged = async (
    exchange: Exchange,
    refusal: string | undefined,
    proven: ProvenKey,
    asked: readonly string[],
    now: number,
  ): Promise<Outcome | undefined> => {
    const request = live(exchange, now)
    const result = tape.exchange(request, refusal, await pairsOf?.(request.request))
    if (result.kind === 'answered') return recorded(result.hit)
    if (result.kind === 'refused') return undefined
    const { scopes } = result
    if (!scopes && onNewExchange) onNewExchange(exchange.requestId)
    const known = scopes ?? (onNewExchange ? undefined : callers.scopes)
    const granted = refusal === undefined ? grantedOf(asked, known) : (known ?? asked)
    const facts = {
      client: proven.keyId,
      scopes: scopeText(scopes ?? granted),
      isRecorded: scopes !== undefined,
    }
    return grantToken(edge, exchange, proven, granted, {
      ...(scopes && { shown: scopes }),
      onIssued: (token) => grants.note(token, facts),
    })
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
      const { endpoint, settings, provenClient } = exchange
      if (endpoint?.kind === 'token') {
        const proven = settings.registry.key(provenClient ?? '') ?? anyClient()
        return exchanged(exchange, refusal.code, proven, proven.scopes, now)
      }
      // A path that no operation has says nothing against it, and nor does a tenant of which nobody knows whose it is.
      const request = live(exchange, now)
      const isUnknownTenant = request.caller?.tenant.startsWith('=') && refusal.code === 'PARTNER_MISMATCH'
      const isUnknownPath = endpoint === undefined && refusal.code === 'NOT_FOUND'
      const isOurs = !isUnknownTenant && !isUnknownPath
      const match = tape.match(request, { code: refusal.code, isOurs })
      if (match.kind === 'hit') return recorded(match)
      if (match.kind === 'miss') return missed(match, exchange)
      // What was recorded as a problem document stays one, also for a browser.
      return match.twin && !isPage(match.twin) ? problemReply(exchange, refusal, edge.publicUrl()) : undefined
    },
    dropped: (code) => tape.refused(code),
    document: (exchange, now) => (tape.hasRecorded(exchange.path ?? '') ? answer(exchange, now) : undefined),
    grant: (exchange, proven, scopes, now) =>
      exchanged(exchange, undefined, proven, scopes, now).then((outcome) => {
        if (!outcome) throw new TypeError('an exchange that the edge accepts has an answer')
        return outcome
      }),
  }
}

function isPage({ reply }: Interaction): boolean {
  return mediaType(headerOf(reply?.headers ?? [], 'content-type') ?? '') === 'text/html'
}

/** Scopes that the interface does not know are beyond the edge, which then asks for none. */
function grantedOf(asked: readonly string[], known: readonly string[] | undefined): readonly string[] {
  if (!known || known.some((scope) => !SCOPES.some((ours) => ours === scope))) return asked
  return asked.filter((scope) => known.includes(scope))
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
