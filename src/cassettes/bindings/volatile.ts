import type { Cassette, Deciding } from '../interaction.ts'
import { annotate, readVolatile, volatileName } from './annotate.ts'
import { requestStrings } from './spots.ts'

/** A rule that is about nothing that was recorded is a mistake in the rule. */
export class VolatileRuleError extends Error {
  override readonly name = 'VolatileRuleError'
}

/**
 * Cassettes in which further values are made up by the client: bound, not compared. A cassette keeps the requests as
 * they were, so this can be said after it was recorded.
 *
 * @throws VolatileRuleError
 */
export function withVolatile(
  cassettes: readonly Cassette[],
  rules: readonly string[],
  decidingOf: (cassette: Cassette) => Deciding,
): readonly Cassette[] {
  if (rules.length === 0) return cassettes
  for (const rule of rules) {
    if (!cassettes.some((cassette) => isAbout(rule, cassette)))
      throw new VolatileRuleError(`no recorded request has a value at ${rule}, which is said to be volatile`)
  }
  return cassettes.map((cassette) => {
    const volatile = [...cassette.volatile, ...rules]
    const { rules: outcomes, scores } = decidingOf(cassette)
    const options = { rules: outcomes, testValues: Object.keys(scores), volatile }
    return { ...cassette, volatile, interactions: annotate(cassette.interactions, options) }
  })
}

function isAbout(rule: string, { interactions }: Cassette): boolean {
  const volatile = readVolatile([rule])
  return interactions.some(({ request }) =>
    requestStrings(request).some((spot) => volatileName(spot, volatile) !== undefined),
  )
}
