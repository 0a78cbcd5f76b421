import type { Backing } from './backing.ts'
import { KIND_OF_RECORD, ownerIn } from './generations.ts'
import { decodeRecord, expiresAtOf, recordName, recordPrefix } from './keyspace.ts'
import type { Page, PageQuery, RecordKind } from './store.ts'

type Source = { readonly backing: Backing }

export function readRecord<T>(
  { backing }: Source,
  kind: RecordKind,
  tenant: string,
  id: string,
  now: number,
): T | undefined {
  const value = backing.read(recordName(kind, ownerIn(backing, KIND_OF_RECORD[kind], tenant), id))
  return value === undefined || expiresAtOf(value) <= now ? undefined : (decodeRecord(value) as T)
}

/** Newest first: ids sort by creation, so this is one descending range. */
export function readPage<T>(
  { backing }: Source,
  kind: RecordKind,
  tenant: string,
  { limit, before }: PageQuery,
  now: number,
): Page<T> {
  const owner = ownerIn(backing, KIND_OF_RECORD[kind], tenant)
  const prefix = recordPrefix(kind, owner)
  const to = before === undefined ? `${prefix}\uffff` : recordName(kind, owner, before)
  const items: T[] = []
  let last: string | null = null
  for (const { name, value } of backing.range({
    from: prefix,
    to,
    reverse: true,
    limit: Number.POSITIVE_INFINITY,
  })) {
    if (expiresAtOf(value) <= now) continue
    // There is one more than was asked for, so the page before it is not the last one.
    if (items.length === limit) return { items, next: last }
    items.push(decodeRecord(value) as T)
    last = name.slice(prefix.length)
  }
  return { items, next: null }
}
