import type { Cassette } from '../interaction.ts'
import { type AnnotateOptions, annotate, readVolatile, volatileName } from './annotate.ts'
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
  options: Omit<AnnotateOptions, 'volatile'>,
): readonly Cassette[] {
  if (rules.length === 0) return cassettes
  for (const rule of rules) {
    if (!cassettes.some((cassette) => isAbout(rule, cassette)))
      throw new VolatileRuleError(`no recorded request has a value at ${rule}, which is said to be volatile`)
  }
  return cassettes.map((cassette) => {
    const volatile = [...cassette.volatile, ...rules]
    return { ...cassette, volatile, interactions: annotate(cassette.interactions, { ...options, volatile }) }
  })
}

function isAbout(rule: string, { interactions }: Cassette): boolean {
  const volatile = readVolatile([rule])
  return interactions.some(({ request }) =>
    requestStrings(request).some((spot) => volatileName(spot, volatile) !== undefined),
  )
}
