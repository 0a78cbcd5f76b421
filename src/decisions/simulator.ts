import type { Decided, Simulation } from '../operations/operation.ts'
import type { Decider, Decision } from './decide.ts'

/** Decides by the operation's own simulation; effect, record and answer are one commit. */
export function createSimulator(simulation: () => Simulation): Decider {
  return {
    effect: 'local',
    decide: (call) => {
      const decided = call.operation.simulate(call, simulation())
      return decided instanceof Promise ? decided.then(serialise) : serialise(decided)
    },
  }
}

function serialise(decided: Decided): Decision {
  if (decided.kind === 'refused') return decided
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (decided.location !== undefined) headers.location = decided.location
  if (decided.rule !== undefined) headers['x-sandbox-rule'] = decided.rule
  return {
    kind: 'done',
    answer: { status: decided.status, headers, body: JSON.stringify(decided.body) },
    records: decided.records,
    counts: decided.counts,
  }
}
