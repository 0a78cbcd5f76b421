import { type Refusal, refuse } from '../errors/refusal.ts'
import type { OutcomeNames } from '../simulator/rules.ts'

/** X-Sandbox-Outcome names one of the operation's two outcomes; operations without outcomes ignore it. */
export function judgeOutcome(
  header: string | string[] | undefined,
  names: OutcomeNames | undefined,
): Refusal | undefined {
  if (header === undefined || names === undefined || header === names.good || header === names.bad)
    return undefined
  return refuse('VALIDATION_FAILED', 'X-Sandbox-Outcome does not name an outcome of this operation.', {
    errors: [{ header: 'X-Sandbox-Outcome', detail: `must be ${names.good} or ${names.bad}` }],
  })
}
