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

const FOREVER = Number.POSITIVE_INFINITY

/** Ends the current generation of a tenant or partner within a commit. */
export function endGeneration(view: View, kind: DataKind, who: string): void {
  const generation = generationIn(view, kind, who)
  const ended = ownerName(who, generation)
  view.put(generationName(kind, who), encodeNumber(FOREVER, generation + 1))
  view.put(retiredName(kind, ended), PRESENT)
  view.remove(quotaName(kind, ended))
}

/** Who, in the generation that is durable, or as a commit sees it: an earlier change of it may have ended one. */
export function ownerIn(view: Pick<View, 'read'>, kind: DataKind, who: string): string {
  return ownerName(who, generationIn(view, kind, who))
}

function generationIn(view: Pick<View, 'read'>, kind: DataKind, who: string): number {
  const value = view.read(generationName(kind, who))
  return value === undefined ? 0 : decodeNumber(value)
}
