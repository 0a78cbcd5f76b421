import { shownAddress } from '../checks/client-ip.ts'
import type { Attempt, Decider, Decision } from '../decisions/decide.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import { isErrorCode } from '../errors/catalogue.ts'
import { readTraceparent } from '../http/traceparent.ts'
import type { Call } from '../operations/operation.ts'
import type { Judgement } from '../simulator/rules.ts'
import type { Awaitable, StoredAnswer, Verdict } from '../store/store.ts'
import { ANONYMOUS } from './anonymous.ts'
import { after } from './awaitable.ts'
import type { Edge, Gateway } from './context.ts'
import type { Exchange } from './exchange.ts'
import type { Reply } from './reply.ts'

/**
 * Counts an answered request, for metrics and history alike, and logs it. What somebody looks at in the portal is no
 * request of their partner: the log alone knows whose session it was.
 */
export function countAnswer(gateway: Gateway, exchange: Exchange, { status, code }: Reply): void {
  const { requestId, arrivedAt, endpoint, window, waitedMs, decisionMs } = exchange
  const { metrics, history, logger } = gateway
  const operation = endpoint?.row.id ?? 'none'
  const partner = exchange.principal?.partner.id ?? exchange.provenPartner
  const durationMs = performance.now() - exchange.startedAt
  const gatewaySeconds = (durationMs - waitedMs - decisionMs) / 1000
  metrics.answered({ operation, partner, status, code, group: window.group, gatewaySeconds })
  if (endpoint?.kind === 'token') metrics.count('sandgate_token_exchanges_total', { code: code ?? 'none' })
  if (partner !== undefined) history.answered({ partner, operation, status, code, requestId, at: arrivedAt })
  const method = exchange.req.method ?? ''
  const client = refusedClient(exchange, status)
  const { traceparent } = exchange.req.headers
  const traceId = traceparent === undefined ? undefined : readTraceparent(traceparent)?.traceId
  const known = partner ?? exchange.signedIn?.principal.partner.id
  logger.logRequest({
    requestId,
    partner: known,
    operation,
    method,
    status,
    code,
    durationMs,
    client,
    traceId,
  })
}

/** Who was refused at the door, as far as the log may say it. */
function refusedClient({ client, endpoint, settings }: Exchange, status: number): string | undefined {
  const isFailedExchange = endpoint?.kind === 'token' && status >= 400
  if (status !== 401 && status !== 403 && status !== 429 && !isFailedExchange) return undefined
  return shownAddress(client, settings.config.log.clientAddress)
}

/** Counts a decision that stands. */
export function countDecision(
  { metrics, history }: Pick<Edge, 'metrics' | 'history'>,
  { partner, operation, now }: Call,
  judgement: Judgement | undefined,
): void {
  if (!judgement) return
  const known = partner === ANONYMOUS ? undefined : partner.id
  metrics.decided(known, operation.id, judgement)
  if (known !== undefined) history.decided(known, operation.id, judgement.outcome, now)
}

/** Counts what an Idempotency-Key turned out to be. Where window or cap refused, nobody looked. */
export function countKey({ metrics }: Pick<Edge, 'metrics'>, verdict: Verdict): void {
  const outcome = keyOutcome(verdict)
  if (outcome !== undefined) metrics.count('sandgate_idempotency_total', { outcome })
}

function keyOutcome(verdict: Verdict): string | undefined {
  switch (verdict.kind) {
    case 'admitted':
      return verdict.permit.takeover ? 'unknown' : 'new'
    case 'stored':
      return 'replayed'
    case 'running':
      return 'in_progress'
    case 'reused':
      return 'mismatch'
    default:
      return undefined
  }
}

/** Where the time that a decision takes is noted. */
export type DecisionTimer = { decisionMs: number }

/** Asks the decider, and takes the time. */
export function timedDecision(
  { metrics }: Pick<Edge, 'metrics'>,
  decider: Decider,
  call: Call,
  attempt: Attempt,
  timer: DecisionTimer | undefined,
): Awaitable<Decision> {
  const startedAt = performance.now()
  const decided = decider.decide(call, attempt)
  return after(decided, (decision) => {
    const took = performance.now() - startedAt
    if (timer) timer.decisionMs += took
    metrics.decisionTook(call.operation.id, took / 1000)
    return decision
  })
}

/** The code of a refusal that is stored as an answer. One that is not in the catalogue is nobody's label. */
export function codeIn({ body }: StoredAnswer): { code?: ErrorCode } {
  try {
    const { code } = JSON.parse(body.toString())
    return isErrorCode(code) ? { code } : {}
  } catch {
    return {}
  }
}
