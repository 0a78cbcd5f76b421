import { append } from '../../map-entries.ts'
import type { Interaction } from '../interaction.ts'

/**
 * What is left when interactions are taken out: those that are kept, and whatever they depend on. An interaction depends
 * on what came before it in its lane and shares a value with it, if that changed something or made the value; taken out,
 * the answer to a later one would be about something that has never happened.
 */
export function pruned(
  interactions: readonly Interaction[],
  isWanted: (interaction: Interaction) => boolean,
): readonly Interaction[] {
  const kept = new Set(interactions.filter(isWanted))
  const byValue = new Map<string, Interaction[]>()
  for (const interaction of interactions)
    for (const name of namesOf(interaction)) append(byValue, name, interaction)
  const open = [...kept]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const name of namesOf(next)) {
      for (const before of byValue.get(name) ?? []) {
        if (kept.has(before) || before.sequence >= next.sequence || !isCause(before, name)) continue
        kept.add(before)
        open.push(before)
      }
    }
  }
  return interactions.filter((interaction) => kept.has(interaction))
}

/** The values that an interaction shares with others, as names within its lane. */
function namesOf({ lane, bindings }: Interaction): string[] {
  return bindings.map(({ type, value }) => `${lane}\0${type}\0${value}`)
}

function isCause({ request, lane, bindings }: Interaction, name: string): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return true
  return bindings.some(
    ({ type, value, madeBy }) => madeBy === 'server' && `${lane}\0${type}\0${value}` === name,
  )
}
