import { judgeOutcomes } from '../../config/judged-outcomes.ts'
import { DEFAULT_OUTCOMES, DEFAULT_SCORES } from '../../config/outcomes.ts'
import { CassetteError } from '../cassette-error.ts'
import type { Cassette, Deciding } from '../interaction.ts'

/** What decides where nobody says otherwise: the rules of the shipped configuration. */
export const BUILT_IN: Deciding = { rules: DEFAULT_OUTCOMES, scores: DEFAULT_SCORES }

const judged = new WeakMap<object, Deciding>()

/**
 * What decides in a cassette: the rules that it was recorded with. They may have been written by anybody, so they are
 * judged as a configuration's are.
 *
 * @throws CassetteError
 */
export function decidingOf({ outcomes, file = 'cassette' }: Pick<Cassette, 'outcomes' | 'file'>): Deciding {
  if (!outcomes) return BUILT_IN
  const known = judged.get(outcomes)
  if (known) return known
  const result = judgeOutcomes(outcomes.rules, outcomes.scores)
  if (!result.ok)
    throw new CassetteError('undecodable', file, `its outcome rules are wrong: ${result.problem}.`)
  const deciding = { rules: result.outcomes, scores: result.scores }
  judged.set(outcomes, deciding)
  return deciding
}
