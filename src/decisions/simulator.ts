import type { Decider } from './decide.ts'

/** Decides by the operation's own simulation; effect, record and answer are one commit. */
export const simulator: Decider = {
  effect: 'local',
  decide: async (call, simulation) => {
    const decided = await call.operation.simulate(call, simulation)
    if (decided.kind === 'refused') return decided
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (decided.location !== undefined) headers.location = decided.location
    if (decided.rule !== undefined) headers['x-sandbox-rule'] = decided.rule
    return {
      kind: 'done',
      answer: { status: decided.status, headers, body: Buffer.from(JSON.stringify(decided.body)) },
      records: decided.records,
      counts: decided.counts,
    }
  },
}
