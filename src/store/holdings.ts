import { KIND_OF_RECORD, RECORDS_OF_KIND } from './generations.ts'
import { partsOf } from './keyspace.ts'
import type { DataKind, RecordKind } from './store.ts'

/** What an entry takes of whose quota. Score rows and decisions come with what is counted, one for each at most. */
export type Holding = { readonly kind: DataKind; readonly owner: string; readonly amount: number }

/** Of a finished answer its bytes, of a record one; undefined of an entry that no quota counts. */
export function holdingOf(name: string, value: Buffer): Holding | undefined {
  const [first = '', second = ''] = partsOf(name)
  if (name.startsWith('a')) return { kind: 'keys', owner: first, amount: value.length }
  if (!name.startsWith('r')) return undefined
  const record = first as RecordKind
  const kind = KIND_OF_RECORD[record]
  return { kind, owner: second, amount: RECORDS_OF_KIND[kind][0] === record ? 1 : 0 }
}
