import { append } from '../../map-entries.ts'
import type { Cassette, Interaction } from '../interaction.ts'
import { isTokenExchange } from '../matching/edge-answers.ts'
import { type Entry, type EntryContext, prepareEntry } from '../matching/entry.ts'
import { keyHistory } from '../matching/key-history.ts'

/** An interaction and its place among all of the tape. */
export type RecordedInteraction = {
  readonly position: number
  readonly cassette: Cassette
  readonly interaction: Interaction
  /** The gateway has the answer by itself: it is neither served nor unused. */
  readonly isOurs: boolean
  /** For a recorded retry: the position of its original. */
  readonly original: number | undefined
  /** Its Idempotency-Key belonged to another request by then. */
  readonly repeatsKey: boolean
}

/** What was recorded, sorted by who answers it at replay. */
export type LoadedTape = {
  readonly all: readonly RecordedInteraction[]
  /** What the tape answers. */
  readonly entries: readonly Entry[]
  /** What was recorded without a reply. */
  readonly unanswered: readonly Entry[]
  /** Refused token exchanges, by the digest of their pair of client and secret. */
  readonly refusedPairs: ReadonlyMap<string, readonly Entry[]>
}

/** `isLive`: whether the gateway has an answer by itself whatever was recorded, as it has its own documents. */
export function loadTape(
  cassettes: readonly Cassette[],
  isLive: (interaction: Interaction) => boolean,
  context: EntryContext,
): LoadedTape {
  const all: RecordedInteraction[] = []
  const entries: Entry[] = []
  const unanswered: Entry[] = []
  const refusedPairs = new Map<string, Entry[]>()
  for (const [number, cassette] of cassettes.entries()) {
    for (const recorded of interactionsOf(cassette, all.length, isLive)) {
      all.push(recorded)
      const { interaction, position, original, isOurs, repeatsKey } = recorded
      if (original !== undefined || isOurs) continue
      const entry = prepareEntry(position, cassette, number, interaction, repeatsKey, context)
      const { refusedPair, reply } = interaction
      if (!reply) unanswered.push(entry)
      else if (refusedPair && context.knowsPair(refusedPair)) append(refusedPairs, refusedPair.digest, entry)
      else entries.push(entry)
    }
  }
  return { all, entries, unanswered, refusedPairs }
}

/** Whether a pair of client and secret was refused that no digest tells from the right one. */
export function hasUnknownPairs(
  cassettes: readonly Cassette[],
  knowsPair: EntryContext['knowsPair'],
): boolean {
  return cassettes.some(({ interactions }) =>
    interactions.some((interaction) => {
      const { reply, refusedPair } = interaction
      if (!isTokenExchange(interaction) || reply?.status !== 401) return false
      return refusedPair === undefined || !knowsPair(refusedPair)
    }),
  )
}

function interactionsOf(
  cassette: Cassette,
  first: number,
  isLive: (interaction: Interaction) => boolean,
): RecordedInteraction[] {
  const { interactions } = cassette
  const { retries, repeated } = keyHistory(interactions)
  const positions = new Map(interactions.map((interaction, i) => [interaction, first + i]))
  return interactions.map((interaction, i) => {
    const original = retries.get(interaction)
    return {
      position: first + i,
      cassette,
      interaction,
      isOurs: isLive(interaction),
      original: original && positions.get(original),
      repeatsKey: repeated.has(interaction),
    }
  })
}
