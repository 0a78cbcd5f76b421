import type { Layout } from './bindings-layout.ts'
import type { Entry } from './matcher-entry.ts'
import { isUnsafe, type Ordered, type Relation, resourcesOf } from './order.ts'

/** Entries with one key: they differ in bound values alone. `byValue[i]` finds them by the value of hole i. */
export type Bucket = {
  readonly layout: Layout
  /** Positions, in recorded order. */
  readonly entries: readonly number[]
  readonly byValue: readonly ReadonlyMap<string, readonly number[]>[]
}

export type Indexed = Entry & Ordered & { readonly bucket: Bucket }

/** The entries of one method, operation and path length: by layout (the most exact first), then by key. */
export type Group = {
  readonly layouts: readonly { readonly layout: Layout; readonly buckets: ReadonlyMap<string, Bucket> }[]
  readonly entries: readonly number[]
}

/** All entries that one client may be answered with. */
export type Index = {
  readonly entries: ReadonlyMap<number, Indexed>
  readonly groups: ReadonlyMap<string, Group>
  /** Type -> recorded value -> the entries that mention it. */
  readonly byValue: ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>
}

type MutableBucket = { layout: Layout; entries: number[]; byValue: Map<string, number[]>[] }
type MutableGroup = { layouts: Map<Layout, Map<string, MutableBucket>>; entries: number[] }

/** Indexes the entries of one lane, or of all. Everything that a look-up needs is made here, once. */
export function createIndex(entries: readonly Entry[]): Index {
  const indexed = new Map<number, Indexed>()
  const groups = new Map<string, MutableGroup>()
  const byValue = new Map<string, Map<string, number[]>>()
  const relations = new Map<string, Map<string, Relation>>()
  for (const entry of entries) {
    const bucket = bucketOf(groups, entry)
    for (const [i, value] of entry.values.entries()) append(bucket.byValue[i], value, entry.position)
    for (const { type, value } of entry.bindings) append(within(byValue, type), value, entry.position)
    indexed.set(entry.position, { ...entry, bucket, ...relationsOf(entry, relations) })
  }
  return {
    entries: indexed,
    groups: new Map([...groups].map(([name, group]) => [name, finished(group)])),
    byValue,
  }
}

function bucketOf(groups: Map<string, MutableGroup>, entry: Entry): MutableBucket {
  const group: MutableGroup = groups.get(entry.group) ?? { layouts: new Map(), entries: [] }
  groups.set(entry.group, group)
  group.entries.push(entry.position)
  const buckets = group.layouts.get(entry.layout) ?? new Map<string, MutableBucket>()
  group.layouts.set(entry.layout, buckets)
  const bucket = buckets.get(entry.key) ?? emptyBucket(entry.layout)
  buckets.set(entry.key, bucket)
  bucket.entries.push(entry.position)
  return bucket
}

function emptyBucket(layout: Layout): MutableBucket {
  return { layout, entries: [], byValue: layout.holes.map(() => new Map()) }
}

function finished({ layouts, entries }: MutableGroup): Group {
  const sorted = [...layouts].map(([layout, buckets]) => ({ layout, buckets }))
  sorted.sort((a, b) => a.layout.holes.length - b.layout.holes.length)
  return { layouts: sorted, entries }
}

/** Values that say nothing about what an interaction is about. */
const UNRELATED = new Set(['idempotency-key', 'requestId', 'cursor'])

function relationsOf(
  entry: Entry,
  all: Map<string, Map<string, Relation>>,
): { relations: readonly Relation[]; changes: readonly Relation[] } {
  const { interaction, cassetteNumber, position } = entry
  const scope = `${cassetteNumber} ${interaction.lane}`
  const relation = (type: string, value: string): Relation => {
    const ofType = within(all, `${scope} ${type}`)
    const found: Relation = ofType.get(value) ?? { unsafe: [] }
    ofType.set(value, found)
    return found
  }
  const values = entry.bindings
    .filter(({ field }) => !UNRELATED.has(field))
    .map(({ type, value }) => relation(type, value))
  const boundInTarget = entry.layout.path.size > 0 || entry.layout.query.size > 0
  const resources = resourcesOf(interaction, boundInTarget)
  const relations = [...values, ...resources.dependsOn.map((name) => relation('', name))]
  if (!isUnsafe(interaction)) return { relations, changes: [] }
  const changes = [...values, ...resources.changes.map((name) => relation('', name))]
  for (const { unsafe } of changes) unsafe.push(position)
  return { relations, changes }
}

function within<V>(maps: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const found = maps.get(key) ?? new Map<string, V>()
  maps.set(key, found)
  return found
}

function append(lists: Map<string, number[]> | undefined, value: string, position: number): void {
  const list = lists?.get(value)
  if (list) {
    if (list[list.length - 1] !== position) list.push(position)
  } else lists?.set(value, [position])
}
