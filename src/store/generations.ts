import type { Backing } from './backing.ts'
import type { View } from './commits.ts'
import {
  decodeNumber,
  encodeNumber,
  generationName,
  ownerName,
  PRESENT,
  quotaName,
  retiredName,
} from './keyspace.ts'
import type { DataKind, RecordKind } from './store.ts'

/** The kind that a record is counted under, and deleted with. */
export const KIND_OF_RECORD: Readonly<Record<RecordKind, DataKind>> = {
  account: 'accounts',
  score: 'accounts',
  session: 'sessions',
  decision: 'sessions',
  webhook: 'webhooks',
  'ended-session': 'sessions',
}

/** The records of each kind: the first is the one that is counted. */
export const RECORDS_OF_KIND: Readonly<Record<DataKind, readonly RecordKind[]>> = {
  accounts: ['account', 'score'],
  sessions: ['session', 'decision', 'ended-session'],
  webhooks: ['webhook'],
  keys: [],
}

/** Which generation of a kind each tenant or partner is in, as it is durable. */
export type Generations = {
  owner(kind: DataKind, who: string): string
  /** Ends the current generation within a commit; `settle` has to follow it. */
  end(view: View, kind: DataKind, who: string): void
  /** The commit is durable: what was read of `who` is read again. */
  settle(kind: DataKind, who: string): void
}

export function createGenerations(backing: Backing): Generations {
  // As many as the configuration has partners.
  const owners = new Map<string, string>()
  return {
    owner(kind, who) {
      const name = generationName(kind, who)
      const known = owners.get(name)
      if (known !== undefined) return known
      const owner = ownerName(who, numberOf(backing.read(name)))
      owners.set(name, owner)
      return owner
    },
    end(view, kind, who) {
      const generation = generationIn(view, kind, who)
      const ended = ownerName(who, generation)
      view.put(generationName(kind, who), encodeNumber(FOREVER, generation + 1))
      view.put(retiredName(kind, ended), PRESENT)
      view.remove(quotaName(kind, ended))
    },
    settle: (kind, who) => void owners.delete(generationName(kind, who)),
  }
}

const FOREVER = Number.POSITIVE_INFINITY

/** The owner as a commit sees it: an earlier change of the same commit may have ended a generation. */
export function ownerIn(view: Pick<View, 'read'>, kind: DataKind, who: string): string {
  return ownerName(who, generationIn(view, kind, who))
}

function generationIn(view: Pick<View, 'read'>, kind: DataKind, who: string): number {
  return numberOf(view.read(generationName(kind, who)))
}

function numberOf(value: Buffer | undefined): number {
  return value === undefined ? 0 : decodeNumber(value)
}
