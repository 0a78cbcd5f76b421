import { type PolicyOptions, policyOf, type RedactionPolicy } from './redact-allowed.ts'
import { CONTRACT_FIELDS } from './stand-in-fields.ts'
import { createFields } from './stand-in-table.ts'

/** The policy of the contract. */
export function redactionPolicy(options: PolicyOptions = {}): RedactionPolicy {
  return policyOf(createFields(CONTRACT_FIELDS), options)
}
