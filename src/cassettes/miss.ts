import type { MatchProfile } from './interaction.ts'
import type { LiveFacts, Lookup, LookupContext } from './matcher.ts'
import type { Lane, Lanes } from './tape-lanes.ts'
export type MissReport = { readonly stub: true }
export function reportMiss(_: {
  lane: Lane
  lanes: Lanes
  live: LiveFacts
  lookups: readonly Lookup[]
  context: LookupContext
  profile: MatchProfile
}): MissReport {
  return { stub: true }
}
