import { DECIDING_OPERATIONS } from './contract.ts'
import { MAX_RULES, type OutcomeRule } from './outcomes.ts'
import type { Path } from './paths.ts'
import { MAX_PATTERN_COST, patternCost } from './pattern-cost.ts'
import type { Config } from './schema.ts'

type Report = (path: Path, message: string) => void

/** What X-Sandbox-Rule says when no rule decided. */
const TAKEN_IDS = ['default', 'requested']

export function checkOutcomes({ outcomes }: Pick<Config, 'outcomes'>, report: Report): void {
  if (outcomes.length > MAX_RULES) {
    report(['outcomes'], `has ${outcomes.length} rules, and at most ${MAX_RULES} are taken`)
    return
  }
  const ids = new Set<string>()
  for (const [i, rule] of outcomes.entries()) {
    const path = ['outcomes', i]
    if (TAKEN_IDS.includes(rule.id)) {
      report(
        [...path, 'id'],
        `"${rule.id}" is what X-Sandbox-Rule says when no rule decided; choose another id`,
      )
    } else if (ids.has(rule.id)) report([...path, 'id'], `"${rule.id}" is the id of another rule above`)
    ids.add(rule.id)
    checkOutcome(rule, path, report)
    checkTest(rule, path, report)
  }
}

function checkOutcome(rule: OutcomeRule, path: Path, report: Report): void {
  for (const operation of rule.operations) {
    const { good, bad } = DECIDING_OPERATIONS[operation].outcomes
    if (rule.outcome === good || rule.outcome === bad) continue
    report([...path, 'outcome'], `must be ${good} or ${bad} for ${operation}, not ${rule.outcome}`)
    return
  }
}

function checkTest({ test, operations }: OutcomeRule, path: Path, report: Report): void {
  const bare = operations.find((operation) => !DECIDING_OPERATIONS[operation].hasAmount)
  if (test.atMost !== undefined && bare !== undefined) {
    report([...path, 'test', 'atMost'], `never holds for ${bare}, which has no amount`)
  }
  if (test.matches === undefined) return
  const problem = patternProblem(test.matches)
  if (problem !== undefined) report([...path, 'test', 'matches'], problem)
}

function patternProblem(pattern: string): string | undefined {
  try {
    // On its own first: `a)|(b` would become valid, and match less than the whole value, inside our anchors.
    new RegExp(pattern, 'u')
    new RegExp(`^(?:${pattern})$`, 'u')
  } catch (error) {
    return `is not a regular expression: ${error instanceof Error ? error.message : String(error)}`
  }
  const result = patternCost(pattern)
  if ('unsupported' in result) return `must not use ${result.unsupported}, which can take long to match`
  if (result.cost <= MAX_PATTERN_COST) return undefined
  return 'could take long to match, because its repetitions are nested or too many; use bounds such as {1,20}'
}
