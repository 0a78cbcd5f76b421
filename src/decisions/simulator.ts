import { languageHeaders } from '../http/language.ts'
import type { Call, Decided, Fields, Simulation } from '../operations/operation.ts'
import type { Judgement } from '../simulator/rules.ts'
import type { Decider, Decision } from './decide.ts'

/** Decides by the operation's own simulation; effect, record and answer are one commit. */
export function createSimulator(simulation: () => Simulation): Decider {
  return {
    effect: 'local',
    decide: (call) => {
      const decided = call.operation.simulate(call, simulation())
      return decided instanceof Promise
        ? decided.then((later) => serialise(call, later))
        : serialise(call, decided)
    },
  }
}

function serialise(call: Call, decided: Decided): Decision {
  if (decided.kind === 'refused') return decided
  if (decided.status === 204) return { ...NO_CONTENT, records: decided.records, counts: decided.counts }
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (decided.location !== undefined) headers.location = decided.location
  if (decided.rule !== undefined) headers['x-sandbox-rule'] = decided.rule
  if (speaks(decided.body)) Object.assign(headers, languageHeaders(call.language))
  return {
    kind: 'done',
    answer: { status: decided.status, headers, body: JSON.stringify(decided.body) },
    records: decided.records,
    counts: decided.counts,
    ...judged(call, decided),
  }
}

/** Only what to do about a refusal is in words. */
function speaks({ resolution, decision }: Fields): boolean {
  if (resolution !== undefined) return true
  return typeof decision === 'object' && decision !== null && 'resolution' in decision
}

/** A decision that is shown again counts for nothing. */
function judged(
  { operation: { outcomes } }: Call,
  { body: { outcome }, rule, counts }: Extract<Decided, { kind: 'done' }>,
): { judgement?: Judgement } {
  if (!outcomes || rule === undefined || counts === false) return NOTHING_NEW
  const found = outcome === outcomes.good ? outcomes.good : outcomes.bad
  return { judgement: { outcome: found, rule } }
}

const NOTHING_NEW = {}

const NO_CONTENT = { kind: 'done', answer: { status: 204, headers: {}, body: '' } } as const
