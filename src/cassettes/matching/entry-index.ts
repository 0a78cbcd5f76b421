import { getOrMake } from '../../map-entries.ts'
import { type Entry, keyOf } from './entry.ts'
import type { Layout } from './layout.ts'
import type { Ordered } from './order.ts'
import { createRelations, type Relations } from './relations.ts'
import { appendPosition, type Values, valuesOf } from './values.ts'

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
  /** Some entries have a body that nobody had read. */
  readonly hasUnread: boolean
  /** Type -> recorded value -> the entries that mention it. */
  readonly byValue: { readonly get: (type: string) => Lists | undefined }
}

/**
 * Indexes the entries of one lane, or of all. At first they are only put into groups. The keys of a group, the lists
 * that find an entry by its values, and what it depends on, are made when they are first asked for, and then once.
 */
export function createIndex(entries: readonly Entry[]): Index {
  const byPosition = new Map(entries.map((entry) => [entry.position, entry]))
  const groups = new Map<string, KeyGroup>()
  for (const { group, position } of entries)
    getOrMake(groups, group, () => new KeyGroup(byPosition)).entries.push(position)
  const indexed = new Map<number, Indexed>()
  let values: Values | undefined
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
    const bucket = entry && groups.get(entry.group)?.bucketOf(position)
    if (!bucket) return undefined
    relations ??= createRelations(entries)
    const made = { ...entry, bucket, ...relations(entry) }
    indexed.set(position, made)
    return made
  }
  const hasUnread = entries.some(({ announced }) => announced !== undefined)
  return { entries: { size: entries.length, get }, groups, byValue, hasUnread }
}

class KeyGroup implements Group {
  readonly entries: number[] = []
  readonly #byPosition: ReadonlyMap<number, Entry>
  readonly #buckets = new Map<number, Bucket>()
  #layouts: Group['layouts'] | undefined

  constructor(byPosition: ReadonlyMap<number, Entry>) {
    this.#byPosition = byPosition
  }

  get layouts(): Group['layouts'] {
    this.#layouts ??= this.#layOut()
    return this.#layouts
  }

  bucketOf(position: number): Bucket | undefined {
    this.#layouts ??= this.#layOut()
    return this.#buckets.get(position)
  }

  #layOut(): Group['layouts'] {
    const byLayout = new Map<Layout, Map<string, KeyBucket>>()
    for (const position of this.entries) {
      const entry = this.#byPosition.get(position)
      if (!entry) continue
      const { layout } = entry
      const buckets = getOrMake(byLayout, layout, () => new Map<string, KeyBucket>())
      const bucket = getOrMake(buckets, keyOf(entry), () => new KeyBucket(layout, this.#byPosition))
      bucket.entries.push(position)
      this.#buckets.set(position, bucket)
    }
    const layouts = [...byLayout].map(([layout, buckets]) => ({ layout, buckets }))
    return layouts.sort((a, b) => a.layout.holes.length - b.layout.holes.length)
  }
}

class KeyBucket implements Bucket {
  readonly layout: Layout
  readonly entries: number[] = []
  readonly #byPosition: ReadonlyMap<number, Entry>
  #byValue: Lists[] | undefined

  constructor(layout: Layout, byPosition: ReadonlyMap<number, Entry>) {
    this.layout = layout
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
      if (value !== undefined) appendPosition(lists, value, position)
    }
    return lists
  }
}
