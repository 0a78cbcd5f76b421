import type { Decision } from '../decisions/decide.ts'
import { problem } from '../errors/problem.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import type { Call } from '../operations/operation.ts'
import {
  type CapDemand,
  type KeyClaim,
  type Permit,
  type RateWindow,
  type StoredAnswer,
  StoreUnavailable,
  type Verdict,
  type WindowState,
} from '../store/store.ts'
import type { Gateway } from './context.ts'
import { rateLimited } from './reply.ts'
import type { Settings } from './settings.ts'

/** What came of it: an answer to send, or a refusal. `window` is the state after admission. */
export type Executed = {
  readonly window?: WindowState
  readonly answer?: StoredAnswer
  readonly refusal?: Refusal
  readonly replayed: boolean
}

const STORE_RETRY_SECONDS = 5

/** Admit, decide, settle: the same for a request with a key, one without, and a decision made by a page. */
export async function execute(
  gateway: Gateway,
  settings: Settings,
  call: Call,
  window: RateWindow | undefined,
  claim: KeyClaim | undefined,
): Promise<Executed> {
  let verdict: Verdict
  try {
    verdict = await gateway.store.admit(
      {
        partner: call.partner.id,
        ...(window && { window }),
        ...(claim && { claim }),
        refused: false,
        caps: demands(settings, call),
        effect: gateway.decider.effect,
      },
      call.now,
    )
  } catch (error) {
    return { refusal: storeRefusal(error), replayed: false }
  }
  const state = verdict.window ? { window: verdict.window } : {}
  if (verdict.kind === 'stored') return { ...state, answer: verdict.answer, replayed: true }
  if (verdict.kind !== 'admitted')
    return { ...state, refusal: refusalOf(verdict, window, call), replayed: false }
  try {
    return { ...state, ...(await decideAndSettle(gateway, settings, call, verdict.permit)), replayed: false }
  } catch (error) {
    return { ...state, refusal: storeRefusal(error), replayed: false }
  }
}

/** Only a store that cannot write is an expected failure here; anything else is a fault. */
function storeRefusal(error: unknown): Refusal {
  if (!(error instanceof StoreUnavailable)) throw error
  return refuse('STORE_UNAVAILABLE', 'The outcome cannot be stored at the moment; nothing was executed.', {
    retryAfterSeconds: STORE_RETRY_SECONDS,
  })
}

async function decideAndSettle(
  gateway: Gateway,
  settings: Settings,
  call: Call,
  permit: Permit,
): Promise<{ answer: StoredAnswer } | { refusal: Refusal }> {
  const { store } = gateway
  for (;;) {
    let decided: Decision
    try {
      decided = await gateway.decider.decide(call, settings.simulation)
    } catch (error) {
      await store.settle({ permit, outcome: 'nothing', commitCaps: false, records: [] }, gateway.clock.now())
      throw error
    }
    const stored = decided.kind === 'done' || decided.stored
    const answer =
      decided.kind === 'done' ? decided.answer : refusedAnswer(decided.refusal, call, gateway.publicUrl())
    const result = await store.settle(
      {
        permit,
        outcome: stored ? 'finished' : 'nothing',
        ...(stored && permit.claim && { answer }),
        commitCaps: decided.kind === 'done' && decided.counts,
        records: decided.kind === 'done' ? decided.records : [],
      },
      gateway.clock.now(),
    )
    // Somebody else's record came first (the one decision of a session): decide again, now that it is there.
    if (result.kind === 'conflict') continue
    if (result.kind === 'superseded') return { refusal: inProgress() }
    return decided.kind === 'done' || decided.stored ? { answer } : { refusal: decided.refusal }
  }
}

/** A refusal that the decision itself made is an answer like any other: the same bytes at every replay. */
function refusedAnswer(refusal: Refusal, call: Call, publicUrl: string): StoredAnswer {
  const document = problem(refusal, call.requestId, publicUrl)
  return {
    status: document.status,
    headers: { 'content-type': 'application/problem+json' },
    body: JSON.stringify(document),
  }
}

function demands(settings: Settings, call: Call): readonly CapDemand[] {
  const cap = call.operation.cap
  if (!cap) return []
  return settings.capsFor(call.partner, cap.product).map((each) => ({
    ...each,
    amount: each.unit === 'amount' && cap.amountOf ? cap.amountOf(call.body) : 1,
  }))
}

function inProgress(): Refusal {
  return refuse('IDEMPOTENCY_IN_PROGRESS', 'The first request with this Idempotency-Key has not finished.', {
    retryAfterSeconds: 1,
  })
}

function refusalOf(
  verdict: Exclude<Verdict, { kind: 'stored' | 'admitted' }>,
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
    case 'capped': {
      const { product, period, unit, limit, used, reserved, amount, resetAt } = verdict.cap
      return refuse(
        'PARTNER_LIMIT_EXCEEDED',
        `The ${period} cap of ${product} is ${limit} ${unit === 'amount' ? 'XOF' : 'calls'}; ${used + reserved} are used and this request wants ${amount}.`,
        {
          retryAfterSeconds: Math.max(1, Math.ceil((resetAt - call.now) / 1000)),
          members: { product, period, unit, limit, used, reserved, resetAt: new Date(resetAt).toISOString() },
        },
      )
    }
    case 'counted':
      throw new TypeError('a request that is only counted is not executed')
  }
}
