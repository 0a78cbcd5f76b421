import type { OutcomeRule } from '../../../config/outcomes.ts'

/** What the outcome rules say about the values of one field. */
export type FieldRules = {
  /** A value that an equality or a pattern names. */
  readonly isMagic: (value: string) => boolean
  /** The longest ending of the value that a rule looks at; empty when there is none. */
  readonly suffixOf: (value: string) => string
  /** Whether two values end alike, as far as any rule can see. */
  readonly endAlike: (a: string, b: string) => boolean
}

/**
 * Rules look at a field by its name; the same phone number has one stand-in throughout, so a rule of one operation
 * counts in all of them.
 */
export function rulesOf(field: string, rules: readonly OutcomeRule[]): FieldRules {
  const tests = rules.filter((rule) => rule.field === field).map(({ test }) => test)
  const named = tests
    .filter((test) => test.equals !== undefined || test.matches !== undefined)
    .map((test) => ({
      ...test,
      pattern: test.matches === undefined ? undefined : new RegExp(`^(?:${test.matches})$`, 'u'),
    }))
  const endings = tests.map((test) => test.endsWith).filter((ending) => ending !== undefined)
  return {
    isMagic: (value) =>
      endings.includes(value) ||
      named.some(
        ({ equals, endsWith, pattern }) =>
          (equals === undefined || equals === value) &&
          (endsWith === undefined || value.endsWith(endsWith)) &&
          (pattern === undefined || pattern.test(value)),
      ),
    suffixOf: (value) =>
      endings.reduce(
        (best, ending) => (ending.length > best.length && value.endsWith(ending) ? ending : best),
        '',
      ),
    endAlike: (a, b) => endings.every((ending) => a.endsWith(ending) === b.endsWith(ending)),
  }
}
