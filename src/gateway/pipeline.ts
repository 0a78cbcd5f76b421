import { judgeIdempotencyKey } from '../checks/idempotency-key.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import type { Awaitable } from '../store/store.ts'
import type { Authentication } from '../tokens/verify.ts'
import type { Outcome } from './answerer.ts'
import { after } from './awaitable.ts'
import { type Gateway, isTaped } from './context.ts'
import { groupOf, isDocument } from './endpoint.ts'
import type { Exchange } from './exchange.ts'
import { type Arrival, judgeArrival } from './judge-arrival.ts'
import { judgeCaller } from './judge-caller.ts'
import type { Judged } from './judge-request.ts'
import { asksSession, authenticateSession } from './portal-session.ts'
import { enter, receiveBody } from './receive.ts'
import { renderPage } from './render-page.ts'
import { rateLimited, toReply } from './reply.ts'
import { send } from './send.ts'
import { exchangeToken } from './token-exchange.ts'
import { announcesBody } from './wire/body.ts'

const NO_BODY = Buffer.alloc(0)
const NOBODY: Authentication = { kind: 'none' }
const NO_FIELDS = {}

/**
 * Answers one request: whatever happens, exactly one reply leaves through `send`. `unanswered` counts the requests
 * of its connection that have no answer yet.
 */
export function serve(gateway: Gateway, exchange: Exchange, unanswered: number): void {
  let outcome: Awaitable<Outcome>
  try {
    outcome = begin(gateway, exchange, unanswered) ?? answer(gateway, exchange)
  } catch (error) {
    outcome = fault(gateway, exchange, error)
  }
  // Nothing that is there at once is awaited: a read is answered in the turn it came in.
  if (outcome instanceof Promise || exchange.windowState === undefined) {
    void concludeLater(gateway, exchange, outcome)
  } else conclude(gateway, exchange, outcome)
}

/** The head is there. Without a body, so is the last byte. */
function begin(gateway: Gateway, exchange: Exchange, unanswered: number): Refusal | undefined {
  const busy = gateway.lifecycle.arrive(unanswered)
  if (busy) return busy
  exchange.standing = 'arriving'
  return announcesBody(exchange.req) ? undefined : enter(gateway, exchange)
}

async function concludeLater(
  gateway: Gateway,
  exchange: Exchange,
  coming: Awaitable<Outcome>,
): Promise<void> {
  let outcome: Outcome
  try {
    outcome = await coming
    exchange.windowState ??= await gateway.store.peek(exchange.window, exchange.arrivedAt)
  } catch (error) {
    outcome = fault(gateway, exchange, error)
  }
  conclude(gateway, exchange, outcome)
}

/** 8. Reply: the one place where a refusal becomes one. */
function conclude(gateway: Gateway, exchange: Exchange, outcome: Outcome): void {
  let sending: Promise<void> | undefined
  try {
    sending = send(gateway, exchange, toReply(exchange, outcome, gateway.publicUrl()))
  } catch (error) {
    failed(error)
  }
  if (sending) void sending.catch(failed).then(end)
  else end()

  function failed(error: unknown): void {
    gateway.logger.error({ err: error, requestId: exchange.requestId }, 'reply failed')
    exchange.res.destroy()
  }

  function end(): void {
    // The connection remembers the exchange until its next request.
    exchange.body = NO_BODY
    exchange.isOver = true
    gateway.lifecycle.leave(exchange.standing)
    exchange.standing = 'outside'
  }
}

function fault(gateway: Gateway, exchange: Exchange, error: unknown): Refusal {
  gateway.logger.error({ err: error, requestId: exchange.requestId }, 'request failed')
  return refuse('INTERNAL', 'The gateway failed; its log has the reason under this requestId.')
}

/**
 * The path of a request, top to bottom: arrive, authenticate, judge the head, receive the body, judge the request,
 * admit, answer (decide and settle, or find it on a tape), reply. The order of the checks is the order of refusals:
 * the first one is remembered, and stands only when the request's rate window has room, because a full window beats
 * them all.
 */
function answer(gateway: Gateway, exchange: Exchange): Awaitable<Outcome> {
  // 1. Arrive: what is not one well-formed request for one endpoint goes no further.
  const misdirected = judgeArrival(exchange)
  // The client of a token exchange is in its body, so it has a path of its own from here.
  if (exchange.endpoint?.kind === 'token' && !misdirected) return exchangeToken(gateway, exchange)

  // 2. Authenticate, from the headers alone.
  return after(authenticate(gateway, exchange, misdirected), (authentication) => {
    count(exchange, authentication)

    // 3. Judge the head.
    const head = judgeHead(exchange, misdirected, authentication)

    // 4. Receive the body.
    return after(receive(gateway, exchange, head.refusal), (received) => {
      if (received?.beatsAll) return received.refusal
      const busy = enter(gateway, exchange)
      if (busy) return busy
      const now = exchange.body.length > 0 ? gateway.clock.now() : exchange.arrivedAt

      // 5. Judge the request: media type, JSON, fields, outcome.
      const early = head.refusal ?? received?.refusal
      const judged = early ? undefined : judgeRequest(exchange, now)
      const refusal = early ?? judged?.refusal
      const { body = NO_FIELDS, query = NO_FIELDS } = judged?.refusal ? {} : (judged ?? {})
      const accepted = { body, query, key: head.key, now }

      // 6. Admit. Work under a key is admitted in one call of the store, window, key and caps together, by whoever
      // answers it; anything else only spends from its window. Whoever was waited for has spent it already.
      const spent = exchange.windowState
      if (!refusal && head.key !== undefined && !spent?.full)
        return gateway.answerer.answer(exchange, accepted)
      return after(spent ?? gateway.store.take(exchange.window, now), (state) => {
        exchange.windowState = state
        // A request that broke on the wire is told so whatever its window holds.
        if (state.full && !exchange.broken) return rateLimited(exchange.window, state, now)

        // 7. Answer. Who answers is asked about refusals too: a tape may hold another one.
        if (refusal)
          return after(gateway.answerer.refused(exchange, refusal, now), (known) => known ?? refusal)
        const { endpoint } = exchange
        if (endpoint?.kind === 'page' && isDocument(endpoint)) {
          const recorded = gateway.answerer.document?.(exchange, now)
          return recorded ?? renderPage(gateway, exchange, endpoint.row, now)
        }
        return gateway.answerer.answer(exchange, accepted)
      })
    })
  })
}

function authenticate(
  gateway: Gateway,
  exchange: Exchange,
  misdirected: Arrival | undefined,
): Awaitable<Authentication> {
  const { req, settings, connection } = exchange
  // Doubled credentials prove nothing.
  if (misdirected?.doubled) return NOBODY
  if (asksSession(gateway, exchange)) return authenticateSession(gateway, exchange)
  return gateway.verifier.authenticate(req.headers.authorization, settings.registry, connection.token)
}

/**
 * A partner that is known is counted in its own window; anybody else in that of the address. So is whoever has signed
 * in at the portal: what is left can be seen there also while the partner's own window is full.
 */
function count(exchange: Exchange, authentication: Authentication): void {
  const { endpoint, settings, signedIn } = exchange
  if (authentication.kind !== 'known' || signedIn) return
  const { principal } = authentication
  exchange.principal = principal
  if (principal.assertedBy) {
    adoptRequestId(exchange)
    if (principal.assertedBy.isUnlimited) {
      exchange.window = settings.frontWindow(principal.assertedBy.issuer, groupOf(endpoint))
      return
    }
  }
  if (endpoint?.kind === 'operation' && endpoint.row.countsPer === 'ip') return
  exchange.window = settings.partnerWindow(principal.partner, groupOf(endpoint))
}

const REQUEST_ID = /^req_[A-Za-z0-9_-]{10,64}$/

/** One request has one id in the logs of both gateways, and in what the partner is told. */
function adoptRequestId(exchange: Exchange): void {
  const id = exchange.req.headers['x-request-id']
  if (typeof id === 'string' && REQUEST_ID.test(id)) exchange.requestId = id
}

type Head = { readonly refusal: Refusal | undefined; readonly key: string | undefined }

/** Who asks, whether they may, and under which key. */
function judgeHead(
  exchange: Exchange,
  misdirected: Arrival | undefined,
  authentication: Authentication,
): Head {
  const { endpoint, req } = exchange
  const refusal = misdirected?.refusal ?? judgeCaller(exchange, authentication)
  if (refusal || req.method !== 'POST' || endpoint?.kind !== 'operation') return { refusal, key: undefined }
  const judged = judgeIdempotencyKey(req.headers['idempotency-key'])
  return { refusal: judged.refusal, key: judged.key }
}

/** `beatsAll`: the window is full, which no other refusal outranks. */
type Received = { readonly refusal: Refusal; readonly beatsAll: boolean }

/**
 * Reads the body of a POST, and of whatever is compared with a tape, also where the edge has no use for it. A window
 * that is known to be full is refused before the body is read, unless a tape wants it.
 */
function receive(
  gateway: Gateway,
  exchange: Exchange,
  early: Refusal | undefined,
): Awaitable<Received | undefined> {
  const { endpoint, req } = exchange
  const taped = isTaped(gateway)
  const isRead = req.method === 'POST' && endpoint !== undefined
  const wanted = early ? taped && !exchange.broken : isRead || taped
  return wanted && announcesBody(req) ? receiveOrRefuse(gateway, exchange, taped) : undefined
}

async function receiveOrRefuse(
  gateway: Gateway,
  exchange: Exchange,
  taped: boolean,
): Promise<Received | undefined> {
  const { window, arrivedAt, req } = exchange
  const peeked = await gateway.store.peek(window, arrivedAt)
  if (peeked.full && !taped) {
    exchange.windowState = peeked
    return { refusal: rateLimited(window, peeked, arrivedAt), beatsAll: true }
  }
  const read = await receiveBody(gateway, exchange, true)
  if (read.bytes) exchange.body = read.bytes
  if (!read.refusal) return undefined
  // What is not there cannot be compared.
  const beatsAll = read.refusal.code === 'OVERLOADED'
  // What a GET carries as a body is recorded and means nothing.
  return beatsAll || req.method === 'POST' ? { refusal: read.refusal, beatsAll } : undefined
}

function judgeRequest(exchange: Exchange, now: number): Judged | undefined {
  const { endpoint, settings, body, query, req } = exchange
  if (endpoint?.kind !== 'operation') return undefined
  const { headers } = req
  return endpoint.check(
    {
      query,
      body,
      contentType: headers['content-type'],
      contentEncoding: headers['content-encoding'],
      requestedOutcome: headers['x-sandbox-outcome'],
    },
    settings.config,
    now,
  )
}
