import type { Config } from '../config/schema.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import { createTally } from './tally.ts'

/** The requests whose bodies are being waited for. Each belongs to its address and, once it is known, its partner. */
export type UnfinishedRequests = {
  readonly count: () => number
  /** A place to wait in, to be left when the wait is over; or a refusal. */
  readonly enter: (
    address: string,
    partner: string | undefined,
  ) => { readonly leave: () => void } | { readonly refusal: Refusal }
}

const RETRY_SECONDS = 1

export function createUnfinishedRequests(
  bounds: Pick<Config['server'], 'unfinishedPerAddress' | 'unfinishedPerPartner'>,
): UnfinishedRequests {
  const ofAddresses = createTally(bounds.unfinishedPerAddress)
  const ofPartners = createTally(bounds.unfinishedPerPartner)
  let count = 0
  const refused = (whose: string, limit: number) => ({
    refusal: refuse(
      'TOO_MANY_UNFINISHED',
      `${limit} requests of this ${whose} are still sending their bodies.`,
      {
        retryAfterSeconds: RETRY_SECONDS,
      },
    ),
  })
  return {
    count: () => count,
    enter: (address, partner) => {
      if (!ofAddresses.take(address)) return refused('address', bounds.unfinishedPerAddress)
      if (partner !== undefined && !ofPartners.take(partner)) {
        ofAddresses.giveBack(address)
        return refused('partner', bounds.unfinishedPerPartner)
      }
      count++
      const leave = () => {
        count--
        ofAddresses.giveBack(address)
        if (partner !== undefined) ofPartners.giveBack(partner)
      }
      return { leave }
    },
  }
}
