import { PAID, REVIEWED } from '../config/contract.ts'
import type { OutcomeRule } from '../config/outcomes.ts'
import type { DecisionCode } from '../errors/catalogue.ts'

export const OUTCOMES = ['success', 'failed', 'approved', 'rejected'] as const

export type Outcome = (typeof OUTCOMES)[number]

/** What was decided, and what decided it: a rule's id, `requested` (X-Sandbox-Outcome) or `default`. */
export type Judgement = { readonly outcome: Outcome; readonly rule: string }

/** How an operation names its outcomes and the code of a refusal. */
export type OutcomeNames = {
  readonly good: 'success' | 'approved'
  readonly bad: 'failed' | 'rejected'
  readonly code: DecisionCode
}

export const PAYMENT_OUTCOMES: OutcomeNames = { ...PAID, code: 'PAYMENT_FAILED' }
export const KYC_OUTCOMES: OutcomeNames = { ...REVIEWED, code: 'KYC_REJECTED' }
export const KYB_OUTCOMES: OutcomeNames = { ...REVIEWED, code: 'KYB_REJECTED' }
export const CREDIT_OUTCOMES: OutcomeNames = { ...REVIEWED, code: 'CREDIT_REJECTED' }

export type Fields = Readonly<Record<string, unknown>>
export type Rules = (operation: string, fields: Fields) => Judgement | undefined

/** Compiles the rules once per configuration; the first that matches decides. */
export function compileRules(rules: readonly OutcomeRule[]): Rules {
  const byOperation = new Map<
    string,
    { field: string; passes: (value: unknown) => boolean; judgement: Judgement }[]
  >()
  for (const rule of rules) {
    const compiled = {
      field: rule.field,
      passes: compileTest(rule.test),
      judgement: { outcome: rule.outcome, rule: rule.id },
    }
    for (const operation of rule.operations) {
      const list = byOperation.get(operation)
      if (list) list.push(compiled)
      else byOperation.set(operation, [compiled])
    }
  }
  return (operation, fields) => {
    for (const rule of byOperation.get(operation) ?? []) {
      if (rule.passes(fields[rule.field])) return rule.judgement
    }
    return undefined
  }
}

/** The outcome of a call: what the caller asked for, else the first rule that matches, else a success. */
export function judge(
  rules: Rules,
  names: OutcomeNames,
  operation: string,
  fields: Fields,
  requested: string | undefined,
): Judgement {
  if (requested === names.good || requested === names.bad) return { outcome: requested, rule: 'requested' }
  return rules(operation, fields) ?? { outcome: names.good, rule: 'default' }
}

function compileTest(test: OutcomeRule['test']): (value: unknown) => boolean {
  const pattern = test.matches === undefined ? undefined : new RegExp(`^(?:${test.matches})$`, 'u')
  return (value) => {
    if (typeof value !== 'string' && typeof value !== 'number') return false
    const text = String(value)
    if (test.equals !== undefined && text !== test.equals) return false
    if (test.endsWith !== undefined && !text.endsWith(test.endsWith)) return false
    if (pattern !== undefined && !pattern.test(text)) return false
    return test.atMost === undefined || (typeof value === 'number' && value <= test.atMost)
  }
}
