import type { Call } from '../operations/operation.ts'
import type { Judgement } from '../simulator/rules.ts'
import { ANONYMOUS } from './anonymous.ts'
import type { Edge, Gateway } from './context.ts'
import type { Exchange } from './exchange.ts'
import type { Reply } from './reply.ts'

/** Counts an answered request, for metrics and history alike, and logs it. */
export function countAnswer(gateway: Gateway, exchange: Exchange, { status, code }: Reply): void {
  const { requestId, arrivedAt } = exchange
  const operation = exchange.endpoint?.row.id ?? 'none'
  const partner = exchange.principal?.partner.id ?? exchange.provenPartner
  const durationMs = performance.now() - exchange.startedAt
  gateway.metrics.request(operation, partner ?? 'none', status, code ?? 'none', durationMs / 1000)
  if (partner !== undefined) {
    gateway.history.answered({ partner, operation, status, code, requestId, at: arrivedAt })
  }
  const method = exchange.req.method ?? ''
  gateway.logger.logRequest({ requestId, partner, operation, method, status, code, durationMs })
}

/** Counts a decision that stands. */
export function countDecision(
  { history }: Pick<Edge, 'history'>,
  { partner, operation, now }: Call,
  judgement: Judgement | undefined,
): void {
  if (judgement && partner !== ANONYMOUS) history.decided(partner.id, operation.id, judgement.outcome, now)
}
