import { DECIDING_OPERATIONS, type DecidingOperation } from '../config/contract.ts'
import type { OutcomeRule } from '../config/outcomes.ts'
import { isMapping } from '../config/paths.ts'
import type { Outcome } from './rules.ts'

/** One thing that decides, as data: when `field` of `operation` passes `test`, the outcome is `outcome`. */
export type PublishedOutcome = {
  readonly operation: string
  /** A property or query parameter, or the header `X-Sandbox-Outcome`. */
  readonly field: string
  readonly test: OutcomeRule['test']
  readonly outcome: Outcome
  /** What X-Sandbox-Rule says. */
  readonly rule: string
}

/** A reference that has a row from the start, with its score. */
export type PublishedReference = {
  readonly operation: 'score.read'
  readonly field: 'customerRef'
  readonly test: { readonly equals: string }
  readonly value: number
  readonly outcome: 'found'
  readonly rule: 'seeded'
}

/** What GET /v1/sandbox/outcomes answers. */
export type PublishedOutcomes = {
  /** In the order in which they are tried. */
  readonly magicInputs: readonly PublishedOutcome[]
  /** They go before the magic inputs. */
  readonly namedOutcomes: readonly PublishedOutcome[]
  readonly seededReferences: readonly PublishedReference[]
}

/** Everything that decides in this sandbox. */
export function publishOutcomes(
  rules: readonly OutcomeRule[],
  scores: Readonly<Record<string, number>>,
): PublishedOutcomes {
  return {
    magicInputs: rules.flatMap(({ operations, field, test, outcome, id }) =>
      operations.map((operation) => ({ operation, field, test, outcome, rule: id })),
    ),
    namedOutcomes: Object.entries(DECIDING_OPERATIONS).flatMap(([operation, { outcomes }]) =>
      [outcomes.good, outcomes.bad].map((outcome) => ({
        operation,
        field: 'X-Sandbox-Outcome',
        test: { equals: outcome },
        outcome,
        rule: 'requested',
      })),
    ),
    seededReferences: Object.entries(scores).map(([reference, value]) => ({
      operation: 'score.read',
      field: 'customerRef',
      test: { equals: reference },
      value,
      outcome: 'found',
      rule: 'seeded',
    })),
  }
}

/**
 * The rules and scores that a sandbox has published; undefined when it is no such document. What they say is still to
 * be judged (config/judged-outcomes.ts).
 */
export function readPublishedOutcomes(
  document: unknown,
): { readonly rules: readonly unknown[]; readonly scores: Readonly<Record<string, unknown>> } | undefined {
  if (!isMapping(document)) return undefined
  const { magicInputs, seededReferences } = document
  if (!isRows(magicInputs) || !isRows(seededReferences)) return undefined
  const rules: { id: unknown; operations: DecidingOperation[] }[] = []
  for (const { operation, field, test, outcome, rule } of magicInputs) {
    const last = rules.at(-1)
    // One rule of several operations is published as a row for each of them.
    if (last && last.id === rule) last.operations.push(operation as DecidingOperation)
    else rules.push({ id: rule, operations: [operation as DecidingOperation], ...{ field, test, outcome } })
  }
  const scores = seededReferences.map(({ test, value }): [string, unknown] => [
    isMapping(test) ? String(test.equals) : '',
    value,
  ])
  return { rules, scores: Object.fromEntries(scores) }
}

type Row = Readonly<Record<string, unknown>>

function isRows(value: unknown): value is readonly Row[] {
  return Array.isArray(value) && value.every(isMapping)
}
