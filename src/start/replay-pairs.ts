import type { CapturedRequest, Cassette, PairDigest } from '../cassettes/interaction.ts'
import { keyedPair, pairsOf, scryptPair } from '../cassettes/redaction/refused-pairs.ts'
import { getOrMake } from '../map-entries.ts'

/** Tells which pairs of client and secret a recording has refused. */
export type PairDigests = {
  readonly knowsPair: (pair: PairDigest) => boolean
  /** Every digest that the pairs of a request have; undefined when no cassette has any. */
  readonly pairsOf: ((request: CapturedRequest) => Promise<ReadonlySet<string>>) | undefined
}

/** Digests are slow by intention: they are made off the event loop, once for each pair, and only where some are kept. */
export function createPairDigests(
  cassettes: readonly Cassette[],
  cassetteKey: string | undefined,
): PairDigests {
  const kept = cassettes.flatMap(({ interactions }) =>
    interactions.flatMap(({ refusedPair }) => refusedPair ?? []),
  )
  const salts = new Set(kept.flatMap((pair) => (pair.kind === 'scrypt' ? [pair.salt] : [])))
  const isKeyed = cassetteKey !== undefined && kept.some(({ kind }) => kind === 'hmac')
  const known = new Map<string, Promise<readonly string[]>>()
  const knowsPair = ({ kind }: PairDigest) => kind === 'scrypt' || cassetteKey !== undefined
  if (salts.size === 0 && !isKeyed) return { knowsPair, pairsOf: undefined }

  const digestsOf = async (clientId: string, secret: string): Promise<readonly string[]> => {
    const pair = { clientId, secret }
    const slow = await Promise.all([...salts].map((salt) => scryptPair(pair, salt)))
    return cassetteKey !== undefined && isKeyed ? [...slow, keyedPair(pair, cassetteKey).digest] : slow
  }
  return {
    knowsPair,
    pairsOf: async (request) => {
      const digests = pairsOf(request).map(({ clientId, secret }) => {
        const name = JSON.stringify([clientId, secret])
        return getOrMake(known, name, () => digestsOf(clientId, secret))
      })
      return new Set((await Promise.all(digests)).flat())
    },
  }
}
