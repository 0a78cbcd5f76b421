import { checked } from './check.ts'
import { checkOutcomes } from './outcome-rules.ts'
import type { Path } from './paths.ts'
import { type Config, ConfigSchema } from './schema.ts'

export type JudgedOutcomes =
  | { readonly ok: true; readonly outcomes: Config['outcomes']; readonly scores: Config['scores'] }
  /** `problem`: the first mistake, with its place. */
  | { readonly ok: false; readonly problem: string }

/**
 * Outcome rules and seeded references that a stranger has written, a sandbox or a cassette, judged like those of a
 * configuration: by schema, by what their patterns cost, and by their number.
 */
export function judgeOutcomes(rules: unknown, scores: unknown): JudgedOutcomes {
  const problems: string[] = []
  const report = (path: Path, message: string) => problems.push(`${path.join('.')} ${message}`)
  const { outcomes: rulesSchema, scores: scoresSchema } = ConfigSchema.properties
  const outcomes = checked(rulesSchema, rules, ['rules'], report) as Config['outcomes']
  const seeded = checked(scoresSchema, scores, ['scores'], report) as Config['scores']
  if (problems.length === 0) checkOutcomes({ outcomes }, report)
  const [problem] = problems
  return problem === undefined ? { ok: true, outcomes, scores: seeded } : { ok: false, problem }
}
