import { Readable } from 'node:stream'
import { fingerprint } from '../checks/fingerprint.ts'
import { type Deciders, type Decision, FIRST_ATTEMPT } from '../decisions/decide.ts'
import { preferredLanguage } from '../http/language.ts'
import { mediaType } from '../http/media-type.ts'
import type { Call, Operation } from '../operations/operation.ts'
import type { Page } from '../portal/page.ts'
import type { Awaitable, KeyClaim, StoredAnswer } from '../store/store.ts'
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
export function createDeciding(edge: Edge, deciders: Deciders): Answerer {
  return {
    comparesRequests: false,
    answer: (exchange, accepted) => decide(edge, deciders, exchange, accepted),
    refused: () => undefined,
    grant: (exchange, proven, scopes) => grantToken(edge, exchange, proven, scopes),
  }
}

function decide(edge: Edge, deciders: Deciders, exchange: Exchange, accepted: Accepted): Awaitable<Outcome> {
  const { endpoint } = exchange
  if (endpoint?.kind === 'page') return answerPage(edge, deciders, exchange, endpoint.row, accepted.now)
  if (endpoint?.kind !== 'operation') throw new TypeError('nothing to decide')
  const call = callOf(exchange, endpoint.row, accepted)
  if (accepted.key !== undefined) return executeOnce(edge, deciders, exchange, call, accepted.key)
  const decider = deciders.of(call.operation)
  return after(timedDecision(edge, decider, call, FIRST_ATTEMPT, exchange), (decision) => {
    if (decision.kind === 'done' || decision.kind === 'read') countDecision(edge, call, decision.judgement)
    return outcomeOf(decision)
  })
}

/** A page that belongs to what an operation makes is with whoever makes it. */
function answerPage(
  edge: Edge,
  deciders: Deciders,
  exchange: Exchange,
  page: Page,
  now: number,
): Awaitable<Outcome> {
  const forward = page.belongsTo && deciders.of(page.belongsTo).page
  if (!forward) return renderPage(edge, exchange, page, now)
  const { req, path = '', query, body, client, requestId } = exchange
  const method = req.method === 'HEAD' ? 'HEAD' : page.method
  const { headers } = req
  return forward({ method, path, query, headers, body, client: client.subject, requestId }).then(outcomeOf)
}

/** Of a read, where nothing is settled. */
function outcomeOf(decision: Decision): Outcome {
  if (decision.kind === 'done' || decision.kind === 'passed') return withCode(decision.answer)
  if (decision.kind === 'refused' || decision.kind === 'unknown') return decision.refusal
  const { answer } = decision
  const { body } = answer
  if (body instanceof Readable) return { ...answer, headers: {} }
  return withCode({ ...answer, headers: {}, body })
}

/** Of a refusal that somebody else has made, or that is stored: its code is counted as that of our own. */
function withCode<A extends StoredAnswer>(answer: A): Outcome {
  return answer.status < 400 ? answer : { ...answer, ...codeIn(answer) }
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
    scopes: caller?.scopes,
    request: {
      method: req.method === 'HEAD' ? 'HEAD' : operation.method,
      path,
      query: exchange.query,
      headers,
      body: exchange.body,
      client: exchange.client.subject,
    },
    key,
    language: preferredLanguage(headers['accept-language'], 'en'),
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
  deciders: Deciders,
  exchange: Exchange,
  call: Call,
  key: string,
): Promise<Outcome> {
  const { settings, window, windowState } = exchange
  const executed = await execute(
    {
      edge,
      deciders,
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
  if (!replayed) return withCode(answer)
  const headers = { ...answer.headers, 'idempotency-replayed': 'true' }
  const lines = answer.lines && [...answer.lines, ['Idempotency-Replayed', 'true'] as const]
  return withCode({ ...answer, headers, ...(lines && { lines }) })
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
