import type { Engine } from './engine.ts'
import { RECORDS_OF_KIND } from './generations.ts'
import { holdingOf } from './holdings.ts'
import {
  entryOfExpiry,
  expiresAtOf,
  expiryBounds,
  expiryName,
  instantOfExpiry,
  partsOf,
  RETIRED_PREFIX,
  recordPrefix,
  retiredName,
} from './keyspace.ts'
import { addHeld } from './quotas.ts'
import type { Unfinished } from './running-keys.ts'
import { addUsed } from './settlement.ts'
import { type DataKind, StoreUnavailable } from './store.ts'

export type Sweeper = {
  /**
   * Commits what unknown outcomes had reserved when their retention is over, and deletes a batch: of expired entries,
   * else of ended generations. 0 when there is nothing left to do.
   */
  sweep(now: number): Promise<number>
  /** How long ago the oldest entry expired that is still there, in milliseconds; 0 when nothing waits. */
  backlogMs(now: number): number
}

/** Small enough that a sweep never holds up a settlement for longer than one ordinary commit. */
const BATCH = 200
/** On a full disk a deletion needs pages as well: the fewer it changes, the sooner there are enough. */
const SMALL_BATCHES = [20, 2]
/** Names that are looked at for those of an ended generation, whose finished answers lie among all others. */
const LOOKED_AT = 10_000

export function createSweeper(engine: Engine): Sweeper {
  const { backing } = engine
  /** The search for finished answers of ended generations: of whom, and how far it has come. */
  let search: { readonly owners: ReadonlySet<string>; from: number } | undefined

  async function deleteRetired(batch: number): Promise<number> {
    const keys = new Set<string>()
    for (const name of backing.names({ ...RETIRED, limit: 1000 })) {
      const [kind = '', owner = ''] = partsOf(name)
      if (kind === 'keys') keys.add(owner)
      else return deleteRecords(engine, kind as DataKind, owner, batch)
    }
    if (keys.size === 0) return 0
    search ??= { owners: keys, from: 0 }
    return deleteAnswers(search, batch)
  }

  async function deleteAnswers(of: NonNullable<typeof search>, batch: number): Promise<number> {
    const { names, next } = backing.answers(of.from, LOOKED_AT)
    const theirs = names.filter((name) => of.owners.has(partsOf(name)[0] ?? ''))
    await deleteNamed(engine, theirs.slice(0, batch))
    // What is left of this part is found by looking at it again.
    if (theirs.length > batch) return batch
    if (next !== undefined) {
      of.from = next
      return theirs.length + 1
    }
    await engine.commits.submit((view) => {
      for (const owner of of.owners) view.remove(retiredName('keys', owner))
    })
    search = undefined
    return theirs.length + 1
  }

  return {
    async sweep(now) {
      engine.running.expire(now)
      engine.caps.forget(now)
      for (const work of engine.running.overdue) await commitOverdue(engine, work)
      return inBatches(async (batch) => {
        for (;;) {
          const { found, deleted } = await deleteExpired(engine, now, batch)
          // A batch may hold nothing but index entries of records that have been written again since.
          if (deleted > 0) return deleted
          if (found < batch) return deleteRetired(batch)
        }
      })
    },
    backlogMs(now) {
      for (const name of backing.names({ ...expiryBounds(now), limit: 1 }))
        return Math.max(0, now - instantOfExpiry(name))
      return 0
    },
  }
}

const RETIRED = { from: RETIRED_PREFIX, to: `${RETIRED_PREFIX}\uffff` }

async function inBatches(work: (batch: number) => Promise<number>): Promise<number> {
  for (const batch of [BATCH, ...SMALL_BATCHES]) {
    try {
      return await work(batch)
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || batch === SMALL_BATCHES.at(-1)) throw error
    }
  }
  return 0
}

/** The safe side: an upstream may have acted, so the cap counts, in the period in which the work began. */
async function commitOverdue({ caps, commits, running }: Engine, work: Unfinished): Promise<void> {
  if (work.busy) return
  work.busy = true
  try {
    await commits.submit((view) => {
      for (const hold of work.holds) addUsed(view, hold)
      if (work.marker !== undefined) view.remove(work.marker)
    })
    caps.commit(work.holds)
    running.forget(work)
  } finally {
    work.busy = false
  }
}

async function deleteExpired(
  { backing, commits }: Engine,
  now: number,
  batch: number,
): Promise<{ found: number; deleted: number }> {
  const expired = [...backing.names({ ...expiryBounds(now), limit: batch })]
  if (expired.length === 0) return { found: 0, deleted: 0 }
  const deleted = await commits.submit((view) => {
    let count = 0
    for (const expiry of expired) {
      const name = entryOfExpiry(expiry)
      const value = view.read(name)
      // Judged again at the moment of deletion: the key may have been used again since it was listed.
      if (value !== undefined && expiresAtOf(value) <= now) {
        view.remove(name)
        const holding = holdingOf(name, value)
        // An ended generation is no longer counted.
        if (holding && view.read(retiredName(holding.kind, holding.owner)) === undefined)
          addHeld(view, holding.kind, holding.owner, -holding.amount)
        count++
      }
      view.remove(expiry)
    }
    return count
  })
  return { found: expired.length, deleted }
}

/** A batch of the records of an ended generation; when there are none left, the note of it. */
async function deleteRecords(engine: Engine, kind: DataKind, owner: string, batch: number): Promise<number> {
  for (const record of RECORDS_OF_KIND[kind]) {
    const prefix = recordPrefix(record, owner)
    const names = [...engine.backing.names({ from: prefix, to: `${prefix}\uffff`, limit: batch })]
    if (names.length === 0) continue
    await deleteNamed(engine, names)
    return names.length
  }
  await engine.commits.submit((view) => view.remove(retiredName(kind, owner)))
  return 1
}

/** Deletes entries with what stands for them in the expiry index. */
async function deleteNamed({ commits }: Engine, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await commits.submit((view) => {
    for (const name of names) {
      const value = view.read(name)
      if (value === undefined) continue
      view.remove(name)
      const expiresAt = expiresAtOf(value)
      if (expiresAt !== Number.POSITIVE_INFINITY) view.remove(expiryName(expiresAt, name))
    }
  })
}
