import { fingerprint } from '../checks/fingerprint.ts'
import { type Decider, FIRST_ATTEMPT } from '../decisions/decide.ts'
import { mediaType } from '../http/media-type.ts'
import type { Call, Operation } from '../operations/operation.ts'
import type { Awaitable, KeyClaim } from '../store/store.ts'
import { ANONYMOUS } from './anonymous.ts'
import type { Accepted, Answerer, Outcome } from './answerer.ts'
import { after } from './awaitable.ts'
import type { Edge } from './context.ts'
import { codeIn, countDecision, timedDecision } from './count.ts'
import { callerOf, type Exchange } from './exchange.ts'
import { execute } from './execute.ts'
import { renderPage } from './render-page.ts'
import { grantToken } from './token-grant.ts'
import { usageWindows } from './usage-windows.ts'

/** Answers by deciding and, for what has an effect, settling. A refusal of the edge stands. */
export function createDeciding(edge: Edge, decider: Decider): Answerer {
  return {
    comparesRequests: false,
    answer: (exchange, accepted) => decide(edge, decider, exchange, accepted),
    refused: () => undefined,
    grant: (exchange, proven, scopes) => grantToken(edge, exchange, proven, scopes),
  }
}

function decide(edge: Edge, decider: Decider, exchange: Exchange, accepted: Accepted): Awaitable<Outcome> {
  const { endpoint } = exchange
  if (endpoint?.kind === 'page') return renderPage(edge, exchange, endpoint.row, accepted.now)
  if (endpoint?.kind !== 'operation') throw new TypeError('nothing to decide')
  const call = callOf(exchange, endpoint.row, accepted)
  if (accepted.key !== undefined) return executeOnce(edge, decider, exchange, call, accepted.key)
  return after(timedDecision(edge, decider, call, FIRST_ATTEMPT, exchange), (decision) => {
    if (decision.kind !== 'done') return decision.refusal
    countDecision(edge, call, decision.judgement)
    return decision.answer
  })
}

function callOf(exchange: Exchange, operation: Operation, { body, query, key, now }: Accepted): Call {
  const { requestId, params, path = '', req } = exchange
  const caller = callerOf(exchange)
  const { headers } = req
  return {
    operation,
    requestId,
    partner: caller?.partner ?? ANONYMOUS,
    tenant: caller?.tenant ?? ANONYMOUS.tenant,
    body,
    query,
    params,
    request: { method: operation.method, path, query: exchange.query, headers, body: exchange.body },
    key,
    now,
    windows: () => usageWindows(exchange),
    requestedOutcome: requestedOutcome(operation, headers['x-sandbox-outcome']),
  }
}

function requestedOutcome(operation: Operation, header: string | string[] | undefined): string | undefined {
  return operation.outcomes && typeof header === 'string' ? header : undefined
}

async function executeOnce(
  edge: Edge,
  decider: Decider,
  exchange: Exchange,
  call: Call,
  key: string,
): Promise<Outcome> {
  const { settings, window, windowState } = exchange
  const executed = await execute(
    {
      edge,
      decider,
      settings,
      ...(!windowState && { window }),
      claim: claimOf(edge, exchange, key),
      timer: exchange,
    },
    call,
  )
  exchange.windowState ??= executed.window
  if (executed.refusal) return executed.refusal
  const { answer, replayed } = executed
  const reply = answer.status < 400 ? answer : { ...answer, ...codeIn(answer) }
  return replayed ? { ...reply, headers: { ...reply.headers, 'idempotency-replayed': 'true' } } : reply
}

function claimOf(edge: Edge, exchange: Exchange, key: string): KeyClaim {
  const { req, settings, path = '', query, body } = exchange
  const { idempotency } = settings.config
  const outcome = req.headers['x-sandbox-outcome']
  return {
    key,
    fingerprint: fingerprint(edge.store.secret(), {
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
