import { fingerprint } from '../checks/fingerprint.ts'
import { judgeHeaders } from '../checks/headers.ts'
import { judgeIdempotencyKey } from '../checks/idempotency-key.ts'
import { isCanonicalPath } from '../checks/path.ts'
import { judgeTenant } from '../checks/tenant.ts'
import type { Partner } from '../config/schema.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import { mediaType } from '../http/media-type.ts'
import type { Call, Operation } from '../operations/operation.ts'
import type { Page } from '../portal/page.ts'
import type { Awaitable, KeyClaim, WindowState } from '../store/store.ts'
import { insufficientScope, tokenMissing } from '../tokens/challenges.ts'
import type { Authentication } from '../tokens/verify.ts'
import { after } from './awaitable.ts'
import type { Gateway } from './context.ts'
import { groupOf, isDocument } from './endpoint.ts'
import type { Exchange } from './exchange.ts'
import { type Executed, execute } from './execute.ts'
import type { Judged } from './judge-request.ts'
import { isRefusal, type Replay } from './replay.ts'
import { type Reply, rateLimited, refusalReply, visitorOf } from './reply.ts'
import { send } from './send.ts'
import { exchangeToken } from './token-exchange.ts'
import { usageWindows } from './usage-windows.ts'
import { announcesBody, readBody } from './wire/body.ts'

const NO_BODY = Buffer.alloc(0)
const NOBODY: Authentication = { kind: 'none' }

/** The caller of an operation that the configuration has opened to everybody. */
const ANONYMOUS: Partner = { id: 'none', name: 'Anonymous', tenant: 'tn_sandbox_none', scopes: [], keys: [] }

/**
 * Answers one request: whatever happens, exactly one reply leaves through `send`. `unanswered` counts the requests
 * of its connection that have no answer yet.
 */
export function serve(gateway: Gateway, exchange: Exchange, unanswered: number): void {
  const busy = gateway.lifecycle.enter(unanswered)
  let reply: Awaitable<Reply>
  try {
    reply = busy ? refusalReply(exchange, busy, gateway.publicUrl()) : answer(gateway, exchange)
  } catch (error) {
    reply = fault(gateway, exchange, error)
  }
  if (reply instanceof Promise || exchange.windowState === undefined) {
    void concludeLater(gateway, exchange, reply, busy === undefined)
  } else conclude(gateway, exchange, reply, busy === undefined)
}

async function concludeLater(
  gateway: Gateway,
  exchange: Exchange,
  replying: Awaitable<Reply>,
  entered: boolean,
): Promise<void> {
  let reply: Reply
  try {
    reply = await replying
    exchange.windowState ??= await gateway.store.peek(exchange.window, exchange.arrivedAt)
  } catch (error) {
    reply = fault(gateway, exchange, error)
  }
  conclude(gateway, exchange, reply, entered)
}

function conclude(gateway: Gateway, exchange: Exchange, reply: Reply, entered: boolean): void {
  try {
    send(gateway, exchange, reply)
    // The connection remembers the exchange until its next request.
    exchange.body = NO_BODY
  } catch (error) {
    gateway.logger.error({ err: error, requestId: exchange.requestId }, 'reply failed')
    exchange.res.destroy()
  } finally {
    if (entered) gateway.lifecycle.leave()
  }
}

function fault(gateway: Gateway, exchange: Exchange, error: unknown): Reply {
  gateway.logger.error({ err: error, requestId: exchange.requestId }, 'request failed')
  const refusal = refuse('INTERNAL', 'The gateway failed; its log has the reason under this requestId.')
  return refusalReply(exchange, refusal, gateway.publicUrl())
}

/*
 * The path of a request: four stages, top to bottom. The order of the checks is the order of refusals: the first one
 * is remembered, and sent only when the request's rate window has room, because a full window beats them all.
 */

function answer(gateway: Gateway, exchange: Exchange): Awaitable<Reply> {
  const { endpoint, settings, connection, req } = exchange

  // 1. Arrive: what is not one well-formed request for one endpoint goes no further.
  const misdirected = judgeArrival(exchange)
  if (endpoint?.kind === 'token' && !misdirected) return exchangeToken(gateway, exchange)

  // 2. Authenticate, from the headers alone. Doubled credentials prove nothing.
  const authenticating = misdirected?.doubled
    ? NOBODY
    : gateway.verifier.authenticate(req.headers.authorization, settings.registry, connection.token)
  return after(authenticating, (authentication) =>
    judgeHead(gateway, exchange, misdirected?.refusal, authentication),
  )
}

/** 3. Judge what needs the request alone; first what needs its head alone. */
function judgeHead(
  gateway: Gateway,
  exchange: Exchange,
  misdirection: Refusal | undefined,
  authentication: Authentication,
): Awaitable<Reply> {
  const { endpoint, settings, req } = exchange
  if (authentication.kind === 'known') {
    exchange.principal = authentication.principal
    if (!(endpoint?.kind === 'operation' && endpoint.row.countsPer === 'ip')) {
      exchange.window = settings.partnerWindow(authentication.principal.partner, groupOf(endpoint))
    }
  }
  let refusal = misdirection ?? judgeCaller(exchange, authentication)
  let key: string | undefined
  const post = req.method === 'POST' && endpoint !== undefined
  if (!refusal && post && endpoint.kind === 'operation') {
    const judged = judgeIdempotencyKey(req.headers['idempotency-key'])
    refusal = judged.refusal
    key = judged.key
  }
  // An exchange on a tape is matched by its body, also where the edge has no use for one.
  const isTaped = gateway.recorder?.isActive() === true || gateway.replay !== undefined
  const wantsBody = refusal ? isTaped && !exchange.broken : post || isTaped
  return wantsBody && announcesBody(req)
    ? receive(gateway, exchange, refusal, key, isTaped)
    : admit(gateway, exchange, refusal, key)
}

/** A window that is known to be full is refused before the body is read, unless a tape wants it. */
async function receive(
  gateway: Gateway,
  exchange: Exchange,
  early: Refusal | undefined,
  key: string | undefined,
  isTaped: boolean,
): Promise<Reply> {
  const { settings, window, arrivedAt, req } = exchange
  const peeked = await gateway.store.peek(window, arrivedAt)
  if (peeked.full && !isTaped)
    return refused(gateway, exchange, rateLimited(window, peeked, arrivedAt), peeked)
  const read = await readBody(exchange, settings.config.server.bodyBytes)
  if (read.bytes) exchange.body = read.bytes
  // What a GET carries as a body is recorded and means nothing.
  const late = req.method === 'POST' ? read.refusal : undefined
  return admit(gateway, exchange, early ?? late, key)
}

/** 4. Judge the rest, and admit. A refused request, and one without an effect, only spends from its window. */
function admit(
  gateway: Gateway,
  exchange: Exchange,
  early: Refusal | undefined,
  key: string | undefined,
): Awaitable<Reply> {
  const { endpoint, settings, body, query, req } = exchange
  const { headers } = req
  const now = body.length > 0 ? gateway.clock.now() : exchange.arrivedAt
  let judged: Judged | undefined
  if (!early && endpoint?.kind === 'operation') {
    judged = endpoint.check(
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
  const refusal = early ?? judged?.refusal
  if (!refusal && key !== undefined) return decide(gateway, exchange, judged, key, now)
  return after(gateway.store.take(exchange.window, now), (state) => {
    exchange.windowState = state
    // A request that broke on the wire is told so whatever its window holds.
    if (state.full && !exchange.broken)
      return refused(gateway, exchange, rateLimited(exchange.window, state, now), state)
    if (!refusal) return decide(gateway, exchange, judged, key, now)
    if (gateway.replay) return replayRefusal(gateway, gateway.replay, exchange, refusal, now)
    return refused(gateway, exchange, refusal, state)
  })
}

/** 5. Decide and, for what has an effect, 6. settle. */
function decide(
  gateway: Gateway,
  exchange: Exchange,
  judged: Judged | undefined,
  key: string | undefined,
  now: number,
): Awaitable<Reply> {
  const { endpoint, settings, body, principal, req } = exchange
  // A gateway that replays decides and stores nothing: what it does not judge live comes from the tape.
  if (gateway.replay && endpoint && !isDocument(endpoint))
    return replayed(gateway, gateway.replay, exchange, now)
  if (endpoint?.kind === 'page') return renderPage(gateway, exchange, endpoint.row, now)
  if (endpoint?.kind !== 'operation' || !judged || judged.refusal) throw new TypeError('nothing to decide')
  const call: Call = {
    operation: endpoint.row,
    requestId: exchange.requestId,
    partner: principal?.partner ?? ANONYMOUS,
    tenant: principal?.tenant ?? ANONYMOUS.tenant,
    body: judged.body,
    query: judged.query,
    params: exchange.params,
    now,
    windows: () => usageWindows(exchange),
    requestedOutcome: requestedOutcome(endpoint.row, req.headers['x-sandbox-outcome']),
  }
  if (key !== undefined) return executeOnce(gateway, exchange, call, claimOf(gateway, exchange, key, body))
  return after(gateway.decider.decide(call, settings.simulation), (decision) =>
    decision.kind === 'refused'
      ? refusalReply(exchange, decision.refusal, gateway.publicUrl())
      : decision.answer,
  )
}

async function executeOnce(
  gateway: Gateway,
  exchange: Exchange,
  call: Call,
  claim: KeyClaim,
): Promise<Reply> {
  const executed = await execute(gateway, exchange.settings, call, exchange.window, claim)
  exchange.windowState = executed.window
  return executedReply(gateway, exchange, executed)
}

async function renderPage(gateway: Gateway, exchange: Exchange, row: Page, now: number): Promise<Reply> {
  const page = await row.render({ ...visitorOf(exchange), body: exchange.body, now })
  return page.kind === 'page' ? page : refusalReply(exchange, page.refusal, gateway.publicUrl())
}

function replayed(gateway: Gateway, replay: Replay, exchange: Exchange, now: number): Awaitable<Reply> {
  return after(exchange.windowState ?? gateway.store.peek(exchange.window, now), (state) => {
    exchange.windowState = state
    return taped(gateway, exchange, replay.answer(exchange, now))
  })
}

function replayRefusal(
  gateway: Gateway,
  replay: Replay,
  exchange: Exchange,
  refusal: Refusal,
  now: number,
): Reply {
  if (exchange.endpoint === undefined)
    return taped(gateway, exchange, replay.unrouted(exchange, refusal, now))
  replay.refused(exchange, refusal.code, now)
  return refusalReply(exchange, refusal, gateway.publicUrl())
}

function taped(gateway: Gateway, exchange: Exchange, answer: Reply | Refusal): Reply {
  return isRefusal(answer) ? refusalReply(exchange, answer, gateway.publicUrl()) : answer
}

/** Whether a request is one well-formed request for one endpoint: 400, then 404, then 405. */
function judgeArrival(exchange: Exchange): { refusal: Refusal; doubled: boolean } | undefined {
  const { req, path, endpoint, allowed } = exchange
  if (exchange.broken) return { refusal: exchange.broken, doubled: false }
  const refusal = judgeHeaders(req.rawHeaders, req.httpVersionMinor)
  if (refusal) return { refusal, doubled: isDoubled(req.rawHeaders, 'authorization') }
  // A path that is spelled as its template is canonical; most are.
  if (path === undefined || (path !== endpoint?.row.path && !isCanonicalPath(path))) {
    const detail = 'The path is not canonical: one slash between segments, nothing encoded needlessly.'
    return { refusal: refuse('BAD_REQUEST', detail), doubled: false }
  }
  if (endpoint) return undefined
  const unrouted =
    allowed === undefined
      ? refuse('NOT_FOUND', 'No operation has this path.')
      : refuse('METHOD_NOT_ALLOWED', `This path takes ${allowed}.`, { headers: { allow: allowed } })
  return { refusal: unrouted, doubled: false }
}

function isDoubled(rawHeaders: readonly string[], name: string): boolean {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length > 1
}

/** Who is asking, and whether they may: 401, then the tenant, then the scope. */
function judgeCaller(exchange: Exchange, authentication: Authentication): Refusal | undefined {
  const { endpoint, settings, req } = exchange
  // A token that is sent is judged even where none is needed.
  if (authentication.kind === 'refused') return authentication.refusal
  const operation = endpoint?.kind === 'operation' ? endpoint.row : undefined
  if (authentication.kind === 'none')
    return operation && needsToken(operation, settings.config) ? tokenMissing() : undefined
  const { tenant, scopes } = authentication.principal
  const mismatch = judgeTenant(req.headers['x-tenant-id'], tenant)
  if (mismatch) return mismatch
  if (!operation || operation.auth === 'any' || operation.auth === 'client') return undefined
  return scopes.has(operation.auth) ? undefined : insufficientScope(operation.auth)
}

function needsToken(operation: Operation, config: Exchange['settings']['config']): boolean {
  return !(operation.id === 'credit.simulate' && config.credit.simulateAuth === 'none')
}

function requestedOutcome(operation: Operation, header: string | string[] | undefined): string | undefined {
  return operation.outcomes && typeof header === 'string' ? header : undefined
}

function claimOf(gateway: Gateway, exchange: Exchange, key: string, body: Buffer): KeyClaim {
  const { req, settings, path = '', query } = exchange
  const { idempotency } = settings.config
  const outcome = req.headers['x-sandbox-outcome']
  return {
    key,
    fingerprint: fingerprint(gateway.store.secret(), {
      method: 'POST',
      path,
      query,
      mediaType: mediaType(req.headers['content-type'] ?? '') ?? '',
      requestedOutcome: outcome === undefined ? undefined : String(outcome),
      body,
    }),
    leaseMs: idempotency.leaseSeconds * 1000,
    retentionMs: idempotency.retentionHours * 3_600_000,
  }
}

function executedReply(gateway: Gateway, exchange: Exchange, executed: Executed): Reply {
  if (executed.refusal) return refusalReply(exchange, executed.refusal, gateway.publicUrl())
  if (!executed.answer) throw new TypeError('an executed request has an answer or a refusal')
  const { answer } = executed
  if (!executed.replayed) return answer
  return { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } }
}

function refused(gateway: Gateway, exchange: Exchange, refusal: Refusal, state: WindowState): Reply {
  exchange.windowState = state
  return refusalReply(exchange, refusal, gateway.publicUrl())
}
