import { fingerprint } from '../checks/fingerprint.ts'
import { judgeHeaders } from '../checks/headers.ts'
import { judgeIdempotencyKey } from '../checks/idempotency-key.ts'
import { mediaType } from '../checks/media-type.ts'
import { isCanonicalPath } from '../checks/path.ts'
import { judgeTenant } from '../checks/tenant.ts'
import type { Partner } from '../config/schema.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import type { Call, Operation } from '../operations/operation.ts'
import type { KeyClaim, StoredAnswer, WindowState } from '../store/store.ts'
import { insufficientScope, tokenMissing } from '../tokens/challenges.ts'
import type { Authentication } from '../tokens/verify.ts'
import { readBody } from './body.ts'
import type { Gateway } from './context.ts'
import type { Endpoint } from './endpoint.ts'
import { type Exchange, groupOf } from './exchange.ts'
import { type Executed, execute } from './execute.ts'
import type { Judged } from './judge-request.ts'
import { isRefusal, type Replay } from './replay.ts'
import { type Reply, rateLimited, refusalReply, send, visitorOf } from './reply.ts'
import { exchangeToken } from './token-exchange.ts'
import { usageWindows } from './usage-windows.ts'

const NO_BODY = Buffer.alloc(0)

/** The caller of an operation that the configuration has opened to everybody. */
const ANONYMOUS: Partner = { id: 'none', name: 'Anonymous', tenant: 'tn_sandbox_none', scopes: [], keys: [] }

/**
 * Answers one request: whatever happens, exactly one reply leaves through `send`. `unanswered` counts the requests
 * of its connection that have no answer yet.
 */
export async function serve(gateway: Gateway, exchange: Exchange, unanswered: number): Promise<void> {
  const busy = gateway.lifecycle.enter(unanswered)
  try {
    let reply: Reply
    try {
      reply = busy ? refusalReply(exchange, busy, gateway.publicUrl()) : await answer(gateway, exchange)
    } catch (error) {
      gateway.logger.error({ err: error, requestId: exchange.requestId }, 'request failed')
      const fault = refuse('INTERNAL', 'The gateway failed; its log has the reason under this requestId.')
      reply = refusalReply(exchange, fault, gateway.publicUrl())
    }
    exchange.windowState ??= await gateway.store.peek(exchange.window, exchange.arrivedAt)
    send(gateway, exchange, reply)
  } finally {
    if (!busy) gateway.lifecycle.leave()
  }
}

/**
 * The path of a request, top to bottom. The order of the checks is the order of refusals: the first one is
 * remembered, and sent only when the request's rate window has room, because a full window beats them all.
 */
async function answer(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const { endpoint, settings, req } = exchange
  const { headers } = req

  // 1. Arrive: what is not one well-formed request for one endpoint goes no further.
  const misdirected = judgeArrival(exchange)
  if (endpoint?.kind === 'token' && !misdirected) return await exchangeToken(gateway, exchange)

  // 2. Authenticate, from the headers alone. Doubled credentials prove nothing.
  const authentication: Authentication = misdirected?.doubled
    ? { kind: 'none' }
    : await gateway.verifier.authenticate(headers.authorization, settings.registry)
  if (authentication.kind === 'known') {
    exchange.principal = authentication.principal
    if (!(endpoint?.kind === 'operation' && endpoint.row.countsPer === 'ip')) {
      exchange.window = settings.partnerWindow(authentication.principal.partner, groupOf(endpoint))
    }
  }

  // 3. Judge what needs the request alone.
  let refusal = misdirected?.refusal ?? judgeCaller(exchange, authentication)
  const post = req.method === 'POST' && endpoint !== undefined
  const isRecording = gateway.recorder?.isActive() === true
  let key: string | undefined
  if (!refusal && post && endpoint.kind === 'operation') {
    const judged = judgeIdempotencyKey(headers['idempotency-key'])
    refusal = judged.refusal
    key = judged.key
  }
  let body: Buffer = NO_BODY
  if (!refusal && post) {
    // A window that is known to be full is refused before the body is read, unless a recorder wants to see it.
    const peeked = await gateway.store.peek(exchange.window, exchange.arrivedAt)
    if (peeked.full && !isRecording)
      return refused(gateway, exchange, rateLimited(exchange.window, peeked, exchange.arrivedAt), peeked)
    const read = await readBody(exchange, settings.config.server.bodyBytes)
    refusal = read.refusal
    if (read.bytes) body = read.bytes
    exchange.body = body
  } else if (isRecording && !exchange.broken) {
    // A request that is refused early is matched by its body when it is replayed.
    const read = await readBody(exchange, settings.config.server.bodyBytes)
    if (read.bytes) exchange.body = read.bytes
  }
  const now = body === NO_BODY ? exchange.arrivedAt : gateway.clock.now()
  let judged: Judged | undefined
  if (!refusal && endpoint?.kind === 'operation') {
    judged = endpoint.check(
      {
        query: exchange.query,
        body,
        contentType: headers['content-type'],
        contentEncoding: headers['content-encoding'],
        requestedOutcome: headers['x-sandbox-outcome'],
      },
      settings.config,
      now,
    )
    refusal = judged.refusal
  }

  // 4. Admit. A refused request, and one without an effect, only spends from its window.
  if (refusal || endpoint?.kind !== 'operation' || key === undefined) {
    const state = await gateway.store.take(exchange.window, now)
    exchange.windowState = state
    // A request that broke on the wire is told so whatever its window holds.
    if (state.full && !exchange.broken) {
      return refused(gateway, exchange, rateLimited(exchange.window, state, now), state)
    }
    if (refusal) {
      if (gateway.replay) return replayRefusal(gateway, gateway.replay, exchange, refusal, now)
      return refused(gateway, exchange, refusal, state)
    }
  }
  // A gateway that replays decides and stores nothing: what it does not judge live comes from the tape.
  if (gateway.replay && isOnTape(endpoint)) {
    exchange.windowState ??= await gateway.store.peek(exchange.window, now)
    return taped(gateway, exchange, gateway.replay.answer(exchange, now))
  }
  if (endpoint?.kind === 'page') {
    const page = await endpoint.row.render({ ...visitorOf(exchange), body, now })
    return page.kind === 'page' ? page : refusalReply(exchange, page.refusal, gateway.publicUrl())
  }
  if (endpoint?.kind !== 'operation' || !judged || judged.refusal) throw new TypeError('nothing to decide')

  const call: Call = {
    operation: endpoint.row,
    requestId: exchange.requestId,
    partner: exchange.principal?.partner ?? ANONYMOUS,
    tenant: exchange.principal?.tenant ?? ANONYMOUS.tenant,
    body: judged.body,
    query: judged.query,
    params: exchange.params,
    now,
    windows: () => usageWindows(exchange),
    ...requested(endpoint.row, headers['x-sandbox-outcome']),
  }

  // 5. Decide and, for what has an effect, 6. settle.
  if (key === undefined) {
    const decision = await gateway.decider.decide(call, settings.simulation)
    if (decision.kind === 'refused') return refusalReply(exchange, decision.refusal, gateway.publicUrl())
    return answerReply(decision.answer)
  }
  const executed = await execute(
    gateway,
    settings,
    call,
    exchange.window,
    claimOf(gateway, exchange, key, body),
  )

  // 7. Reply.
  exchange.windowState = executed.window
  return executedReply(gateway, exchange, executed)
}

/** The documents of the gateway itself are not recordings; everything else that it serves is. */
function isOnTape(endpoint: Endpoint | undefined): boolean {
  return endpoint?.kind === 'operation' || endpoint?.row.id.startsWith('widget.') === true
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

function requested(operation: Operation, header: string | string[] | undefined) {
  return operation.outcomes && typeof header === 'string' ? { requestedOutcome: header } : {}
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
  const reply = answerReply(executed.answer)
  if (!executed.replayed) return reply
  return { ...reply, headers: { ...reply.headers, 'idempotency-replayed': 'true' } }
}

function answerReply(answer: StoredAnswer): Reply {
  return { status: answer.status, headers: answer.headers, body: answer.body }
}

function refused(gateway: Gateway, exchange: Exchange, refusal: Refusal, state: WindowState): Reply {
  exchange.windowState = state
  return refusalReply(exchange, refusal, gateway.publicUrl())
}
