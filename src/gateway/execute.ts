import type { Decider, Deciders, Decision } from '../decisions/decide.ts'
import { problem } from '../errors/problem.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import { languageHeaders } from '../http/language.ts'
import type { Call } from '../operations/operation.ts'
import {
  type CapDemand,
  type KeyClaim,
  type Permit,
  type QuotaDemand,
  type RateWindow,
  type RefusedCap,
  type Settlement,
  type SettleResult,
  type StoredAnswer,
  StoreUnavailable,
  type Verdict,
  type WindowState,
} from '../store/store.ts'
import type { Edge } from './context.ts'
import { countDecision, countKey, type DecisionTimer, timedDecision } from './count.ts'
import { rateLimited } from './reply.ts'
import type { Settings } from './settings.ts'

/** What came of it: an answer to send, or a refusal. `window` is the state after admission. */
export type Executed = { readonly window?: WindowState } & (
  | { readonly answer: StoredAnswer; readonly replayed: boolean; readonly refusal?: never }
  | { readonly refusal: Refusal }
)

export type Execution = {
  readonly edge: Pick<Edge, 'store' | 'clock' | 'logger' | 'publicUrl' | 'history' | 'metrics'>
  readonly deciders: Deciders
  readonly settings: Settings
  /** Absent for work that is not rate limited here: a decision made by a page. */
  readonly window?: RateWindow
  readonly claim?: KeyClaim
  /** Where the time of the decision is noted. */
  readonly timer?: DecisionTimer
}

const STORE_RETRY_SECONDS = 5

/** Admit, decide, settle: the same for a request with a key, one without, and a decision made by a page. */
export async function execute(execution: Execution, call: Call): Promise<Executed> {
  const { edge, deciders, settings, window, claim } = execution
  const decider = deciders.of(call.operation)
  const unavailable = decider.unavailable?.()
  let verdict: Verdict
  try {
    verdict = await edge.store.admit(
      {
        partner: call.partner.id,
        ...(window && { window }),
        ...(claim && { claim }),
        caps: demands(settings, call),
        quotas: quotas(settings, call, decider.effect, claim !== undefined),
        effect: decider.effect,
        storedOnly: unavailable !== undefined,
      },
      call.now,
    )
  } catch (error) {
    return { refusal: notExecuted(error) }
  }
  if (claim) countKey(edge, verdict)
  if (verdict.kind === 'no-room')
    edge.metrics.count('sandgate_quota_refusals_total', { kind: verdict.quota.kind })
  if (verdict.kind === 'capped') edge.metrics.capRefused(call.partner.id, verdict.cap.product)
  const state = verdict.window ? { window: verdict.window } : {}
  if (verdict.kind === 'turned-away') {
    if (!unavailable) throw new TypeError('nobody has asked for stored answers only')
    return { ...state, refusal: unavailable }
  }
  if (verdict.kind === 'stored') return { ...state, answer: verdict.answer, replayed: true }
  if (verdict.kind !== 'admitted') return { ...state, refusal: refusalOf(verdict, window, call) }
  return { ...state, ...(await decideAndSettle(execution, call, verdict.permit)) }
}

/** Only a store that cannot write is an expected failure here; anything else is a fault. */
function notExecuted(error: unknown): Refusal {
  if (!(error instanceof StoreUnavailable)) throw error
  return refuse('STORE_UNAVAILABLE', 'The outcome cannot be stored at the moment; nothing was executed.', {
    retryAfterSeconds: STORE_RETRY_SECONDS,
  })
}

/** Of an effect beyond our reach: it may have happened, and the same key learns more. */
function indeterminate(): Refusal {
  return refuse(
    'UPSTREAM_INDETERMINATE',
    'Whether the request took effect is not known. Repeat it with the same Idempotency-Key to learn more.',
  )
}

type Settled = { readonly answer: StoredAnswer; readonly replayed: false } | { readonly refusal: Refusal }

async function decideAndSettle(execution: Execution, call: Call, permit: Permit): Promise<Settled> {
  const { edge } = execution
  for (;;) {
    const decision = await decided(execution, call, permit)
    const settlement = settlementOf(decision, call, permit, edge.publicUrl())
    let result: SettleResult
    try {
      result = await edge.store.settle(settlement, edge.clock.now())
    } catch (error) {
      const refusal = notExecuted(error)
      // The store keeps the key unknown: what has been done cannot be stored, and must not be done again.
      const isKnown = decision.kind === 'refused' && !decision.stored && !permit.takeover
      return { refusal: permit.effect === 'remote' && !isKnown ? indeterminate() : refusal }
    }
    // Somebody else's record came first (the one decision of a session): decide again, now that it is there.
    if (result.kind === 'conflict') continue
    if (result.kind === 'superseded') {
      if (permit.effect === 'remote' && decision.kind === 'done') {
        edge.metrics.count('sandgate_double_executions_total', {})
        edge.logger.error({ requestId: call.requestId }, 'a later attempt has the key of what was executed')
      }
      return { refusal: inProgress() }
    }
    if (decision.kind === 'done') countDecision(edge, call, decision.judgement)
    if (decision.kind === 'done') return { answer: decision.sent ?? decision.answer, replayed: false }
    if (decision.kind === 'passed') return { answer: decision.answer, replayed: false }
    if (settlement.answer) return { answer: settlement.answer, replayed: false }
    if (decision.kind === 'read') throw new TypeError('what is settled has been read as a whole')
    return { refusal: decision.refusal }
  }
}

/** A decider that throws has a fault. What it did is known only where it cannot do anything without our commit. */
async function decided({ edge, deciders, timer }: Execution, call: Call, permit: Permit): Promise<Decision> {
  // Where the operation has been switched back meanwhile, only the upstream knows; a simulation would be a second effect.
  const decider = permit.takeover ? deciders.ofTakeovers() : deciders.of(call.operation)
  if (!decider) return { kind: 'unknown', refusal: indeterminate() }
  try {
    return await timedDecision(edge, decider, call, permit, timer)
  } catch (error) {
    if (permit.effect === 'remote') {
      edge.logger.error(
        { err: error, requestId: call.requestId },
        'the decision failed; its outcome is unknown',
      )
      return { kind: 'unknown', refusal: indeterminate() }
    }
    await edge.store.settle({ permit, outcome: 'nothing', commitCaps: false, records: [] }, edge.clock.now())
    throw error
  }
}

function settlementOf(decision: Decision, call: Call, permit: Permit, publicUrl: string): Settlement {
  if (decision.kind === 'done') {
    const { answer, counts, records } = decision
    return { permit, outcome: 'finished', answer, commitCaps: counts, records }
  }
  if (decision.kind === 'refused' && decision.stored) {
    const answer = refusedAnswer(decision.refusal, call, publicUrl)
    return { permit, outcome: 'finished', answer, commitCaps: false, records: [] }
  }
  // That nothing happened in this attempt says nothing of an earlier one.
  const outcome = decision.kind === 'unknown' || permit.takeover ? 'unknown' : 'nothing'
  return { permit, outcome, commitCaps: false, records: [] }
}

/** A refusal that the decision itself made is an answer like any other: the same bytes at every replay. */
function refusedAnswer(refusal: Refusal, call: Call, publicUrl: string): StoredAnswer {
  const document = problem(refusal, call.requestId, publicUrl, call.language)
  return {
    status: document.status,
    headers: { 'content-type': 'application/problem+json', ...languageHeaders(call.language) },
    body: JSON.stringify(document),
  }
}

function demands(settings: Settings, call: Call): readonly CapDemand[] {
  const cap = call.operation.cap
  if (!cap) return []
  return settings.capsFor(call.partner, cap.product).map((each) => ({
    ...each,
    amount: each.unit === 'amount' && cap.amountField !== undefined ? Number(call.body[cap.amountField]) : 1,
  }))
}

/** More than an answer holds beyond what it repeats of its request. */
const ANSWER_BYTES = 4096

/** What the work may add to what its partner holds: the record that it makes here, and its answer. */
function quotas(
  { config: { store } }: Settings,
  { operation, tenant, partner, request }: Call,
  effect: Decider['effect'],
  isKept: boolean,
): readonly QuotaDemand[] {
  const demanded: QuotaDemand[] = []
  const kind = operation.creates
  if (kind !== undefined && effect === 'local')
    demanded.push({ kind, who: tenant, limit: store.quotas[kind], amount: 1 })
  const amount = request.body.length + ANSWER_BYTES
  if (isKept) demanded.push({ kind: 'keys', who: partner.id, limit: store.quotas.answerBytes, amount })
  return demanded
}

/** Kept answers expire by themselves; everything else is kept until it is reset, sessions for 30 days. */
function quotaExceeded({ kind, limit, used }: QuotaDemand & { readonly used: number }): Refusal {
  const held = kind === 'keys' ? `${limit} bytes of finished answers` : `${limit} ${kind}`
  const detail = `The sandbox keeps at most ${held} for you, and there is no room for another. DELETE /v1/sandbox/data?kind=${kind} frees all of them.`
  return refuse('STORAGE_QUOTA_EXCEEDED', detail, { members: { kind, limit, used } })
}

function inProgress(): Refusal {
  return refuse('IDEMPOTENCY_IN_PROGRESS', 'The first request with this Idempotency-Key has not finished.', {
    retryAfterSeconds: 1,
  })
}

function refusalOf(
  verdict: Exclude<Verdict, { kind: 'stored' | 'admitted' | 'turned-away' }>,
  window: RateWindow | undefined,
  call: Call,
): Refusal {
  switch (verdict.kind) {
    case 'full':
      if (!window) throw new TypeError('only a window can be full')
      return rateLimited(window, verdict.window, call.now)
    case 'reused':
      return refuse(
        'IDEMPOTENCY_KEY_REUSED',
        'This Idempotency-Key belongs to a request with another method, path, query, media type or body.',
      )
    case 'running':
      return inProgress()
    case 'capped':
      return capExceeded(verdict.cap, call.now)
    case 'no-room':
      return quotaExceeded(verdict.quota)
  }
}

/**
 * Retry-After is when the cap has room again as far as anybody knows: the next period; a moment, when only requests
 * that are running stand in the way (an outcome that nobody knows counts as used); never, for more than the whole cap.
 */
function capExceeded(cap: RefusedCap, now: number): Refusal {
  const { product, period, unit, limit, used, reserved, unknown, amount, resetAt } = cap
  const members = { product, period, unit, limit, used, reserved, resetAt: new Date(resetAt).toISOString() }
  const name = `The ${period} cap of ${product} is ${limit} ${unit === 'amount' ? 'XOF' : 'calls'}`
  if (amount > limit) {
    const detail = `${name}; a request for ${amount} is above the whole of it and can never pass.`
    return refuse('PARTNER_LIMIT_EXCEEDED', detail, { members })
  }
  if (used + unknown + amount <= limit) {
    const detail = `${name}; ${used} are used, and requests that are running hold ${reserved - unknown} of the rest. When one of them ends without a success, this request, which wants ${amount}, may pass.`
    return refuse('PARTNER_LIMIT_EXCEEDED', detail, { retryAfterSeconds: 1, members })
  }
  const detail = `${name}; ${used + reserved} are used and this request wants ${amount}.`
  const retryAfterSeconds = Math.max(1, Math.ceil((resetAt - now) / 1000))
  return refuse('PARTNER_LIMIT_EXCEEDED', detail, { retryAfterSeconds, members })
}
