import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import type { UpstreamConfig } from '../config/upstream.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import { refuse } from '../errors/refusal.ts'
import type { Call } from '../operations/operation.ts'
import type { Judgement } from '../simulator/rules.ts'
import { type BreakerState, createBreaker } from '../upstream/breaker.ts'
import { createClient } from '../upstream/client.ts'
import { causeOf } from '../upstream/failure.ts'
import { createShares } from '../upstream/shares.ts'
import { type Happening, type Verdict, verdictOf } from '../upstream/verdict.ts'
import type { Attempt, Decider, Decision, PageRequest } from './decide.ts'
import { countsOf, judgementOf, storedLines } from './forward/answer.ts'
import type { Credentials } from './forward/credentials.ts'
import { type Answer, deliver, type Sending } from './forward/delivery.ts'
import { createRequestLines, derivedKey, pageLines, targetOf } from './forward/request.ts'

/** Refusals of the contract that are not kept under a key, whichever operation makes them. */
const NEVER_KEPT: readonly ErrorCode[] = ['PARTNER_LIMIT_EXCEEDED']

/** How a forwarded request ended, for the log and the metrics. */
export type Forwarded = {
  readonly operation: string
  readonly requestId: string
  readonly verdict: Verdict
  readonly outcome: 'answered' | 'not_sent' | 'failed' | 'timed_out'
  /** Of an error, without an address. */
  readonly cause: string | undefined
}

export type ForwarderOptions = {
  readonly config: UpstreamConfig
  readonly url: string
  readonly credentials: Credentials
  readonly publicUrl: () => string
  readonly onForwarded: (forwarded: Forwarded) => void
  readonly onState: (state: BreakerState) => void
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic?: () => number
  readonly lookup?: LookupFunction
}

export type Forwarder = Decider & {
  readonly state: () => BreakerState
  /** Ends what is under way: nobody knows what became of it. */
  readonly close: () => Promise<void>
  /** Takes no more, and lets what is under way end. */
  readonly retire: () => Promise<void>
}

/** Decides by asking the sandbox behind the gateway. */
export function createForwarder(options: ForwarderOptions): Forwarder {
  const { config, credentials, publicUrl, onForwarded, lookup } = options
  const monotonic = options.monotonic ?? (() => performance.now())
  const url = new URL(options.url)
  const base = url.pathname.replace(/\/+$/, '')
  const origins = { upstream: url.origin, base, publicUrl }
  const client = createClient(url.origin, {
    connections: config.connections,
    connectMs: config.connectTimeoutMs,
    ...(url.protocol === 'https:' && { tls: config.tls }),
    ...(lookup && { lookup }),
  })
  const route = { client, config, origins }
  const breaker = createBreaker(config.breaker, monotonic, options.onState)
  const shares = createShares(config.connectionsPerPartner ?? Math.ceil(config.connections / 2))
  const requestLines = createRequestLines(config, url.host, publicUrl)
  const keyOf = ({ key, partner }: Call): string | undefined =>
    key === undefined || credentials.nameThePartner ? key : derivedKey(partner.id, key)

  async function decide(call: Call, { takeover }: Attempt): Promise<Decision> {
    if (takeover && config.idempotency === 'none') return notSentAgain()
    const { request } = call
    const isSafe = request.method !== 'POST'
    const key = keyOf(call)
    const forward = await forwarded({
      owner: call.scopes === undefined ? `client ${request.client}` : `partner ${call.partner.id}`,
      operation: call.operation.id,
      requestId: call.requestId,
      method: request.method,
      target: base + targetOf(request),
      body: isSafe ? null : request.body,
      lines: () => {
        const proof = credentials.lines(call)
        const lines = requestLines(call, key)
        if (!(proof instanceof Promise)) return [...lines, ...proof]
        return proof.then((proven) => [...lines, ...proven])
      },
      renew: credentials.renew,
      circumstances: {
        isSafe,
        takeover,
        ownCredentials: credentials.areOurs && call.scopes !== undefined,
        momentary: [...NEVER_KEPT, ...(call.operation.momentary ?? [])],
      },
    })
    return 'kind' in forward ? forward : decisionOf(forward, call)
  }

  function page(request: PageRequest): Promise<Decision> {
    // What a page answers is for the person in front of it, whatever it is.
    const circumstances = { isSafe: true, takeover: false, ownCredentials: false, momentary: [] }
    return forwarded({
      owner: `client ${request.client}`,
      operation: 'page',
      requestId: request.requestId,
      method: request.method,
      target: base + targetOf(request),
      body: request.method === 'POST' ? request.body : null,
      lines: () => pageLines(request, url.host, publicUrl()),
      renew: () => false,
      circumstances,
    }).then((forward) => ('kind' in forward ? forward : passedOn(forward.answer)))
  }

  /** The answer that stands, or what has to be said in its place. */
  async function forwarded(sending: Sending): Promise<Decision | { answer: Answer; verdict: Verdict }> {
    const deadline = performance.now() + config.connectTimeoutMs + config.timeoutMs
    const place = await shares.enter(sending.owner, config.connectTimeoutMs)
    // The upstream has no part in this: the breaker does not hear of it, or one partner could open it for all.
    if (!place) return { kind: 'refused', refusal: shareTaken(), stored: false }
    let isPassing = false
    try {
      const ended = await judged(sending, deadline)
      if ('answer' in ended && ended.answer.body instanceof Readable) {
        isPassing = true
        ended.answer.body.once('close', place.leave)
      }
      return ended
    } finally {
      if (!isPassing) place.leave()
    }
  }

  async function judged(
    sending: Sending,
    deadline: number,
  ): Promise<Exclude<Decision, { answer: unknown }> | { answer: Answer; verdict: Verdict }> {
    const entered = breaker.enter()
    if ('retryAfterSeconds' in entered) return { kind: 'refused', refusal: leftAlone(entered), stored: false }
    const { happening, answer } = await deliver(route, sending, deadline)
    const verdict = verdictOf(happening, sending.circumstances)
    entered.pass(verdict.isFailure)
    onForwarded({
      operation: sending.operation,
      requestId: sending.requestId,
      verdict,
      outcome: howItEnded(happening, verdict),
      cause: happening.kind === 'failed' ? causeOf(happening.error) : undefined,
    })
    if (answer && (verdict.kind === 'decided' || verdict.kind === 'passed')) return { answer, verdict }
    if (answer?.body instanceof Readable) answer.body.destroy()
    if (verdict.kind === 'unknown') return { kind: 'unknown', refusal: verdict.refusal }
    if (verdict.kind === 'refused') return { kind: 'refused', refusal: verdict.refusal, stored: false }
    throw new TypeError('what is decided has an answer')
  }

  return {
    effect: 'remote',
    decide,
    page,
    unavailable: () => {
      const retryAfterSeconds = breaker.closedFor()
      return retryAfterSeconds === undefined ? undefined : leftAlone({ retryAfterSeconds })
    },
    state: breaker.state,
    close: client.close,
    retire: client.retire,
  }
}

function decisionOf({ answer, verdict }: { answer: Answer; verdict: Verdict }, call: Call): Decision {
  if (call.request.method !== 'POST')
    return passedOn(answer, judgementOf(call.operation, answer.status, answer.said))
  const { status, lines, body, said } = answer
  if (body instanceof Readable) throw new TypeError('an answer to a POST is held')
  if (verdict.kind === 'passed') return { kind: 'passed', answer: { status, headers: {}, lines, body } }
  const stored = { status, headers: {}, lines: storedLines(lines), body }
  const counts = countsOf(call.operation, status, said)
  const judgement = judgementOf(call.operation, status, said)
  return {
    ...{ kind: 'done', answer: stored, sent: { ...stored, lines }, records: [], counts },
    ...(judgement && { judgement }),
  }
}

function passedOn({ status, lines, body, contentLength }: Answer, judgement?: Judgement): Decision {
  const length = contentLength !== undefined && { contentLength }
  return { kind: 'read', answer: { status, lines, body, ...length }, ...(judgement && { judgement }) }
}

function howItEnded(happening: Happening, verdict: Verdict): Forwarded['outcome'] {
  if (happening.kind === 'answered') return 'answered'
  if (verdict.kind === 'refused') return 'not_sent'
  return verdict.kind === 'unknown' && verdict.refusal.code === 'UPSTREAM_TIMEOUT' ? 'timed_out' : 'failed'
}

function notSentAgain(): Decision {
  const detail =
    'Whether the first request took effect is not known, and the sandbox cannot be asked again under the same key.'
  return { kind: 'unknown', refusal: refuse('UPSTREAM_INDETERMINATE', detail) }
}

function shareTaken() {
  return refuse(
    'UPSTREAM_UNAVAILABLE',
    'Other requests of the same partner take its share of the connections to it.',
    {
      retryAfterSeconds: 1,
    },
  )
}

function leftAlone({ retryAfterSeconds }: { readonly retryAfterSeconds: number }) {
  return refuse('UPSTREAM_UNAVAILABLE', 'It has failed too often, and is left alone for a moment.', {
    retryAfterSeconds,
  })
}
