import { getOrMake } from '../../map-entries.ts'
import { isPublicClientId } from '../../tokens/client-id.ts'
import type { CapturedReply, CapturedRequest, Interaction, PairDigest } from '../interaction.ts'
import { bodyValue } from '../message/readable-body.ts'
import { type CredentialPair, digestPair, pairsOf, refusesPair } from './refused-pairs.ts'

/** Which pairs of client and secret a recording has seen, and what came of them. In memory only. */
export type PairBook = {
  /** The digest of the pair of an exchange that was refused for it; undefined for every other exchange, and beyond the bound. */
  readonly ended: (request: CapturedRequest, reply: CapturedReply) => PairDigest | undefined
  /** The interactions without the digests of pairs that were also granted: what decided there was the moment. */
  readonly settled: (interactions: readonly Interaction[]) => readonly Interaction[]
}

export type PairBookOptions = {
  /** The id of the operation that grants tokens. */
  readonly operation: string
  readonly salt: string
  readonly cassetteKey?: string | undefined
  /** What was recorded before, by somebody whose secrets nobody knows any more. */
  readonly before?: readonly Interaction[]
  /** Of how many pairs slow digests are made. */
  readonly slowDigests?: number
}

/** Each takes some 80 ms, and a recording does not end before the last one is made. */
const SLOW_DIGESTS = 64

export function createPairBook(options: PairBookOptions): PairBook {
  const { operation, salt, cassetteKey, before = [], slowDigests = SLOW_DIGESTS } = options
  const digests = new Map<string, PairDigest>()
  const granted = new Map<string, CredentialPair>()
  const grantedBefore = readGranted(before, operation)

  return {
    ended: (request, reply) => {
      const [pair] = pairsOf(request)
      if (!pair) return undefined
      const name = JSON.stringify([pair.clientId, pair.secret])
      if (reply.status === 200) granted.set(name, pair)
      if (!refusesPair(reply) || grantedBefore(pair.clientId)) return undefined
      if (cassetteKey === undefined && digests.size >= slowDigests && !digests.has(name)) return undefined
      return getOrMake(digests, name, () => digestPair(pair, salt, cassetteKey))
    },
    settled: (interactions) => {
      const made = new Set([...digests.values()].map(({ digest }) => digest))
      // What was made here is known by its pair; only what was recorded before has to be tried.
      const earlier = interactions.filter(({ refusedPair }) => refusedPair && !made.has(refusedPair.digest))
      const salts = new Set(earlier.flatMap(({ refusedPair }) => saltOf(refusedPair) ?? []))
      const wrong = new Set<string>()
      for (const [name, pair] of granted) {
        const known = digests.get(name)
        if (known) wrong.add(known.digest)
        for (const each of salts)
          wrong.add(digestPair(pair, each, each === '' ? cassetteKey : undefined).digest)
      }
      if (wrong.size === 0) return interactions
      return interactions.map((interaction) => {
        const { refusedPair, ...rest } = interaction
        return refusedPair && wrong.has(refusedPair.digest) ? rest : interaction
      })
    },
  }
}

/** Empty for a keyed digest. */
function saltOf(pair: PairDigest | undefined): string | undefined {
  if (!pair) return undefined
  return pair.kind === 'scrypt' ? pair.salt : ''
}

/** Whether a client may have been granted a token with a secret of which nothing is known any more. */
function readGranted(interactions: readonly Interaction[], operation: string): (clientId: string) => boolean {
  const clients = new Set<string>()
  let isHidden = false
  for (const { request, reply, operation: done } of interactions) {
    if (done !== operation || reply?.status !== 200) continue
    const named = bodyValue(request, '/client_id')
    if (named !== undefined && isPublicClientId(named)) clients.add(named)
    else isHidden = true
  }
  return (clientId) => isHidden || clients.has(clientId)
}
