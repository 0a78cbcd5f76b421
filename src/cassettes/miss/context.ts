import type { MatchProfile } from '../match-profile.ts'
import type { Lane, Lanes } from '../matching/lanes.ts'
import type { LiveFacts, Lookup, LookupContext } from '../matching/lookup.ts'

/** What a miss is explained from. */
export type MissContext = {
  readonly lane: Lane
  readonly lanes: Lanes
  readonly live: LiveFacts
  readonly lookups: readonly Lookup[]
  readonly context: LookupContext
  readonly profile: MatchProfile
  /** What was recorded without a reply: it answers nobody. */
  readonly unanswered: Lanes
}
