import type { Engine } from './engine.ts'
import { entryOfExpiry, expiresAtOf, expiryBounds } from './keyspace.ts'
import type { Unfinished } from './running-keys.ts'
import { addUsed } from './settlement.ts'

/** Small enough that a sweep never holds up a settlement for longer than one ordinary commit. */
const BATCH = 200

/** Commits what unknown outcomes had reserved when their retention is over, and deletes a batch of expired entries. */
export async function sweep(engine: Engine, now: number): Promise<number> {
  engine.running.expire(now)
  engine.caps.forget(now)
  for (const work of engine.running.overdue) await commitOverdue(engine, work)
  for (;;) {
    const { found, deleted } = await deleteExpired(engine, now)
    // A batch may hold nothing but index entries of records that have been written again since.
    if (deleted > 0 || found < BATCH) return deleted
  }
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
): Promise<{ found: number; deleted: number }> {
  const expired = [...backing.range({ ...expiryBounds(now), limit: BATCH })].map((entry) => entry.name)
  if (expired.length === 0) return { found: 0, deleted: 0 }
  const deleted = await commits.submit((view) => {
    let count = 0
    for (const expiry of expired) {
      const name = entryOfExpiry(expiry)
      const value = view.read(name)
      // Judged again at the moment of deletion: the key may have been used again since it was listed.
      if (value !== undefined && expiresAtOf(value) <= now) {
        view.remove(name)
        count++
      }
      view.remove(expiry)
    }
    return count
  })
  return { found: expired.length, deleted }
}
