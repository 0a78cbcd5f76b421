/** Counts of something by whom it belongs to, each up to a limit. Nobody is remembered who has none. */
export type Tally = {
  /** One more of theirs, unless they have as many as they may. */
  readonly take: (owner: string) => boolean
  readonly giveBack: (owner: string) => void
}

export function createTally(limit: number): Tally {
  const counts = new Map<string, number>()
  return {
    take: (owner) => {
      const count = counts.get(owner) ?? 0
      if (count >= limit) return false
      counts.set(owner, count + 1)
      return true
    },
    giveBack: (owner) => {
      const count = counts.get(owner) ?? 0
      if (count > 1) counts.set(owner, count - 1)
      else counts.delete(owner)
    },
  }
}
