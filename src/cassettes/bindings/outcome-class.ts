import type { OutcomeRule } from '../../config/outcomes.ts'
import { canonicalNumber } from '../../http/decimal.ts'
import { compileRules } from '../../simulator/rules.ts'

/**
 * What a value decides, by itself: the rule that it passes, itself when it is a configured test value, or nothing.
 * A value may stand for another one only when both decide the same.
 */
export type ClassOf = (field: string, value: string) => string

export type ClassOptions = {
  readonly rules: readonly OutcomeRule[]
  /** Values that somebody has published for tests, such as the references of the seeded scores. */
  readonly testValues?: Iterable<string>
}

export function createClassOf({ rules, testValues = [] }: ClassOptions): ClassOf {
  const kept = new Set(testValues)
  // By field alone: a phone that is magic in one operation is the same phone in all the others.
  const byField = new Map<string, { id: string; passes: (value: string) => boolean }[]>()
  for (const rule of rules) {
    const compiled = compileRules([rule])
    const [operation] = rule.operations
    if (operation === undefined) continue
    const passes = (value: string) =>
      compiled(operation, { [rule.field]: value }) !== undefined ||
      // A number has come here as its text.
      (canonicalNumber(value) !== undefined &&
        compiled(operation, { [rule.field]: Number(value) }) !== undefined)
    const list = byField.get(rule.field) ?? []
    list.push({ id: rule.id, passes })
    byField.set(rule.field, list)
  }
  return (field, value) => {
    if (kept.has(value)) return `=${value}`
    for (const { id, passes } of byField.get(field) ?? []) if (passes(value)) return id
    return ''
  }
}
