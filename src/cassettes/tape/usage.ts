import type { MissReport } from '../miss/report.ts'
import {
  type Ledger,
  type LiveRefusal,
  type Overruled,
  type UnusedInteraction,
  unusedInteraction,
} from './ledger.ts'
import type { LoadedTape } from './recorded.ts'

/** What has become of the tape so far. */
export type Usage = {
  readonly counts: { served: number; repeated: number; missed: number; forwarded: number }
  /** Positions of interactions whose answer the gateway has given by itself. */
  readonly live: Set<number>
  readonly misses: MissReport[]
  /** By position: what was served although something later had been asked for. */
  readonly late: Map<number, UnusedInteraction>
  /** Refusals of the edge that were not recorded, each kind once. */
  readonly refused: Map<string, LiveRefusal>
  /** By position and code: recorded answers that this version would not have given. */
  readonly overruled: Map<string, Overruled>
}

export function createUsage(): Usage {
  return {
    counts: { served: 0, repeated: 0, missed: 0, forwarded: 0 },
    live: new Set(),
    misses: [],
    late: new Map(),
    refused: new Map(),
    overruled: new Map(),
  }
}

/** Notes a refusal of the edge that no recorded one stands beside. */
export function noteRefused({ refused }: Usage, refusal: Omit<LiveRefusal, 'times'>): void {
  const { code, method, operation, lane } = refusal
  const name = [code, method, operation, lane].join('\0')
  refused.set(name, { ...refusal, times: (refused.get(name)?.times ?? 0) + 1 })
}

/** `served`: the positions that were served, lane by lane. A retry counts as used with its original. */
export function ledgerOf(
  { all }: LoadedTape,
  { counts, live, late, refused, overruled }: Usage,
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
    refused: [...refused.values()],
    overruled: [...overruled.values()],
    unused: unused.map(({ cassette, interaction }) =>
      unusedInteraction(cassette.file ?? 'cassette', interaction),
    ),
  }
}
