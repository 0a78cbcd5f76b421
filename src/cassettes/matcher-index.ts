import type { Layout } from './bindings-layout.ts'
import type { Entry } from './matcher-entry.ts'
import { append, within } from './matcher-lists.ts'
import type { Ordered } from './order.ts'
import { createRelations, type EntryRelations, type Relations } from './order-relations.ts'

type Lists = ReadonlyMap<string, readonly number[]>

/** Entries with one key: they differ in bound values alone. */
export type Bucket = {
  readonly layout: Layout
  /** Positions, in recorded order. */
  readonly entries: readonly number[]
  /** `byValue[i]` finds them by the value of hole i. */
  readonly byValue: readonly Lists[]
}

export type Indexed = Entry & Ordered & { readonly bucket: Bucket }

/** The entries of one method, operation and path length: by layout (the most exact first), then by key. */
export type Group = {
  readonly layouts: readonly { readonly layout: Layout; readonly buckets: ReadonlyMap<string, Bucket> }[]
  readonly entries: readonly number[]
}

/** All entries that one client may be answered with. */
export type Index = {
  readonly entries: { readonly size: number; readonly get: (position: number) => Indexed | undefined }
  readonly groups: ReadonlyMap<string, Group>
  /** Type -> recorded value -> the entries that mention it. */
  readonly byValue: { readonly get: (type: string) => Lists | undefined }
}

type Buckets = Map<Layout, Map<string, KeyBucket>>
type MutableGroup = { readonly buckets: Buckets; readonly entries: number[] }

/**
 * Indexes the entries of one lane, or of all. Only keys are looked at here: what finds an entry by its values, and
 * what it depends on, is made when it is first asked for, and then once.
 */
export function createIndex(entries: readonly Entry[]): Index {
  const byPosition = new Map(entries.map((entry) => [entry.position, entry]))
  const groups = new Map<string, MutableGroup>()
  for (const entry of entries) addTo(groups, entry, byPosition)
  const indexed = new Map<number, Indexed>()
  let values: Map<string, Map<string, number[]>> | undefined
  let relations: Relations | undefined
  const byValue = {
    get: (type: string) => {
      values ??= valuesOf(entries)
      return values.get(type)
    },
  }

  const get = (position: number): Indexed | undefined => {
    const known = indexed.get(position)
    if (known) return known
    const entry = byPosition.get(position)
    const bucket = entry && groups.get(entry.group)?.buckets.get(entry.layout)?.get(entry.key)
    if (!bucket) return undefined
    relations ??= createRelations(entries, byPosition, byValue)
    const made = indexedEntry(entry, bucket, relations(entry))
    indexed.set(position, made)
    return made
  }
  return {
    entries: { size: entries.length, get },
    groups: new Map([...groups].map(([name, group]) => [name, finished(group)])),
    byValue,
  }
}

/** Spelled out, because a spread of three objects costs as much as the rest of a look-up. */
function indexedEntry(entry: Entry, bucket: Bucket, { relations, changes }: EntryRelations): Indexed {
  const { position, cassette, cassetteNumber, interaction, shape, layout, values } = entry
  const { group, key, family, scope, safe } = entry
  return {
    position,
    cassette,
    cassetteNumber,
    interaction,
    shape,
    layout,
    values,
    group,
    key,
    family,
    scope,
    safe,
    bucket,
    relations,
    changes,
  }
}

class KeyBucket implements Bucket {
  readonly layout: Layout
  readonly entries: number[]
  readonly #byPosition: ReadonlyMap<number, Entry>
  #byValue: Lists[] | undefined

  constructor({ layout, position }: Entry, byPosition: ReadonlyMap<number, Entry>) {
    this.layout = layout
    this.entries = [position]
    this.#byPosition = byPosition
  }

  get byValue(): readonly Lists[] {
    this.#byValue ??= this.layout.holes.map((_, hole) => this.#listsOf(hole))
    return this.#byValue
  }

  #listsOf(hole: number): Lists {
    const lists = new Map<string, number[]>()
    for (const position of this.entries) {
      const value = this.#byPosition.get(position)?.values[hole]
      if (value !== undefined) append(lists, value, position)
    }
    return lists
  }
}

function addTo(
  groups: Map<string, MutableGroup>,
  entry: Entry,
  byPosition: ReadonlyMap<number, Entry>,
): void {
  const { group: name, layout, key, position } = entry
  const group = within(groups, name, (): MutableGroup => ({ buckets: new Map(), entries: [] }))
  group.entries.push(position)
  const buckets = within(group.buckets, layout, () => new Map<string, KeyBucket>())
  const bucket = buckets.get(key)
  if (bucket) bucket.entries.push(position)
  else buckets.set(key, new KeyBucket(entry, byPosition))
}

function finished({ buckets, entries }: MutableGroup): Group {
  const layouts = [...buckets].map(([layout, ofLayout]) => ({ layout, buckets: ofLayout }))
  layouts.sort((a, b) => a.layout.holes.length - b.layout.holes.length)
  return { layouts, entries }
}

function valuesOf(entries: readonly Entry[]): Map<string, Map<string, number[]>> {
  const values = new Map<string, Map<string, number[]>>()
  for (const { shape, interaction, position } of entries) {
    for (const [i, { type }] of shape.kinds.entries()) {
      const ofType = within(values, type, () => new Map<string, number[]>())
      append(ofType, interaction.bindings[i]?.value ?? '', position)
    }
  }
  return values
}
