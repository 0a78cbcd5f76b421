import type { Cassette, Interaction } from '../interaction.ts'

/** A cassette with more interactions after its own, numbered on. */
export function appended(cassette: Cassette, more: readonly Interaction[]): Cassette {
  const starts = cassette.interactions.reduce((highest, { sequence }) => Math.max(highest, sequence), 0)
  const ends = cassette.interactions.reduce((highest, { ended = 0 }) => Math.max(highest, ended), 0)
  const renumbered = more.map((interaction): Interaction => {
    const { startedBeforeEnd } = interaction
    return {
      ...interaction,
      sequence: interaction.sequence + starts,
      ended: interaction.ended === undefined ? undefined : interaction.ended + ends,
      ...(startedBeforeEnd !== undefined && { startedBeforeEnd: startedBeforeEnd + starts }),
    }
  })
  return { ...cassette, interactions: [...cassette.interactions, ...renumbered] }
}
