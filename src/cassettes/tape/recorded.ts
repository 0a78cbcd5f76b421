import { append } from '../../map-entries.ts'
import type { Cassette, Interaction } from '../interaction.ts'
import {
  edgeCode,
  isJudgedLive,
  isTokenExchange,
  recordedRetries,
  scopesOf,
} from '../matching/edge-answers.ts'
import { type Entry, type EntryContext, prepareEntry } from '../matching/entry.ts'

/** An interaction and its place among all of the tape. */
export type RecordedInteraction = {
  readonly position: number
  readonly cassette: Cassette
  readonly interaction: Interaction
  /** The gateway has the answer by itself: it is neither served nor unused. */
  readonly isOurs: boolean
  /** For a recorded retry: the position of its original. */
  readonly original: number | undefined
}

/** What was recorded, sorted by who answers it at replay. */
export type LoadedTape = {
  readonly all: readonly RecordedInteraction[]
  /** What the tape answers. */
  readonly entries: readonly Entry[]
  /** What was recorded without a reply. */
  readonly unanswered: readonly Entry[]
  /** What the gateway refuses by itself, by operation and code. */
  readonly refusals: ReadonlyMap<string, RecordedInteraction[]>
  /** Of all recorded token exchanges; undefined when there are none. */
  readonly scopes: readonly string[] | undefined
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
  const refusals = new Map<string, RecordedInteraction[]>()
  const scopes = new Set<string>()
  for (const [number, cassette] of cassettes.entries()) {
    for (const recorded of interactionsOf(cassette, all.length, isLive)) {
      all.push(recorded)
      const { interaction, position, original, isOurs } = recorded
      if (original !== undefined || isOurs) continue
      if (!interaction.reply) {
        unanswered.push(prepareEntry(position, cassette, number, interaction, context))
        continue
      }
      if (isJudgedLive(interaction)) {
        append(refusals, refusalName(interaction.operation, edgeCode(interaction)), recorded)
        continue
      }
      if (isTokenExchange(interaction)) for (const scope of scopesOf(interaction)) scopes.add(scope)
      entries.push(prepareEntry(position, cassette, number, interaction, context))
    }
  }
  return { all, entries, unanswered, refusals, scopes: scopes.size === 0 ? undefined : [...scopes] }
}

/** What a refusal is found by. */
export function refusalName(operation: string | undefined, code: string | undefined): string {
  return `${operation ?? ''} ${code}`
}

function interactionsOf(
  cassette: Cassette,
  first: number,
  isLive: (interaction: Interaction) => boolean,
): RecordedInteraction[] {
  const { interactions } = cassette
  const retries = recordedRetries(interactions)
  const positions = new Map(interactions.map((interaction, i) => [interaction, first + i]))
  return interactions.map((interaction, i) => {
    const original = retries.get(interaction)
    return {
      position: first + i,
      cassette,
      interaction,
      isOurs: isLive(interaction),
      original: original && positions.get(original),
    }
  })
}
