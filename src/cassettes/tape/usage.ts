import type { MissReport } from '../miss/report.ts'
import { type Ledger, type UnusedInteraction, unusedInteraction } from './ledger.ts'
import type { LoadedTape } from './recorded.ts'

/** What has become of the tape so far. */
export type Usage = {
  readonly counts: { served: number; repeated: number; missed: number; forwarded: number }
  /** Positions of interactions whose answer the gateway has given by itself. */
  readonly live: Set<number>
  readonly misses: MissReport[]
  /** By position: what was served although something later had been asked for. */
  readonly late: Map<number, UnusedInteraction>
}

export function createUsage(): Usage {
  return {
    counts: { served: 0, repeated: 0, missed: 0, forwarded: 0 },
    live: new Set(),
    misses: [],
    late: new Map(),
  }
}

/** `served`: the positions that were served, lane by lane. A retry counts as used with its original. */
export function ledgerOf(
  { all }: LoadedTape,
  { counts, live, late }: Usage,
  served: Iterable<Iterable<number>>,
): Ledger {
  const used = new Set(live)
  for (const positions of served) for (const position of positions) used.add(position)
  const unused = all.filter(({ position, original, interaction, isOurs }) => {
    const isUsed = used.has(position) || (original !== undefined && used.has(original))
    return interaction.reply !== undefined && !isOurs && !isUsed
  })
  return {
    ...counts,
    loaded: all.length,
    live: live.size,
    late: [...late.values()],
    unused: unused.map(({ cassette, interaction }) =>
      unusedInteraction(cassette.file ?? 'cassette', interaction),
    ),
  }
}
