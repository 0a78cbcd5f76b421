import { grantedScopes } from '../matching/callers.ts'
import { chooseEntry } from '../matching/choice.ts'
import { refusalCode } from '../matching/edge-answers.ts'
import type { Entry } from '../matching/entry.ts'
import type { LiveRequest, TapeHit } from './live-request.ts'
import { lookUpAll, type MatchParts, noteOverruled, readLive, takeLive } from './match.ts'
import { serve, showUnbound } from './serve.ts'
import { noteRefused } from './usage.ts'

export type Exchanged =
  /** The recorded refusal. */
  | { readonly kind: 'answered'; readonly hit: TapeHit }
  /** The refusal of the edge stands. */
  | { readonly kind: 'refused' }
  /** Grant a live token with these scopes; undefined: no recorded exchange is like this one. */
  | { readonly kind: 'granted'; readonly scopes: readonly string[] | undefined }

/**
 * A token exchange. `refusal`: the code with which the edge refuses it. `pairs`: the digests that its pair of client
 * and secret has. A pair that was refused is refused, in any order; of every other exchange the tape tells the scopes.
 */
export function createExchanging(parts: MatchParts) {
  const { lanes, usage, loaded } = parts

  /** A refused pair is refused as often as it asks, with its answers in their order. */
  const refusedPair = (live: LiveRequest, pairs: ReadonlySet<string>): TapeHit | undefined => {
    const entries = [...pairs].flatMap((digest) => loaded.refusedPairs.get(digest) ?? [])
    const entry: Entry | undefined =
      entries.find(({ position }) => !usage.live.has(position)) ?? entries.at(-1)
    if (!entry) return undefined
    const isFirst = !usage.live.has(entry.position)
    usage.live.add(entry.position)
    if (!isFirst) usage.counts.repeated++
    return showUnbound(lanes.of(live.lane), live, entry)
  }

  return (
    live: LiveRequest,
    refusal: string | undefined,
    pairs: ReadonlySet<string> = new Set(),
  ): Exchanged => {
    const byPair = refusedPair(live, pairs)
    if (byPair) return { kind: 'answered', hit: byPair }
    const lane = lanes.of(live.lane)
    const chosen = chooseEntry(lane, lookUpAll(parts, lane, readLive(parts, live)))
    if (!chosen) {
      if (refusal === undefined) return { kind: 'granted', scopes: undefined }
      const { request, operation = '(none)', lane: name } = live
      noteRefused(usage, { code: refusal, method: request.method, operation, lane: name })
      return { kind: 'refused' }
    }
    const { interaction } = chosen.entry
    if (interaction.reply?.status === 200) {
      takeLive(lane, chosen, usage)
      if (refusal !== undefined) noteOverruled(usage, chosen.entry, refusal)
      return { kind: 'granted', scopes: grantedScopes(interaction).split(' ').filter(Boolean) }
    }
    if (refusal !== undefined && refusalCode(interaction) === refusal) {
      takeLive(lane, chosen, usage)
      return { kind: 'refused' }
    }
    if (refusal === undefined && chosen.entry.refusal) noteOverruled(usage, chosen.entry, undefined)
    return { kind: 'answered', hit: serve(lane, live, chosen, usage) }
  }
}
