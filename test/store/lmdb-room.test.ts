import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closeLmdb, createLmdbBacking, openLmdb } from '../../src/store/lmdb-backing.ts'
import { pagesFor } from '../../src/store/lmdb-room.ts'
import { runs } from '../support/effort.ts'
import { metaOf, temporaryDirectories, usedBytes } from '../support/store-directory.ts'

const directory = temporaryDirectories()

const bytes = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 900 }) },
  { weight: 2, arbitrary: fc.nat({ max: 4_200 }) },
  { weight: 1, arbitrary: fc.nat({ max: 60_000 }) },
)
const name = fc.oneof(
  fc.nat({ max: 400 }).map((n) => `r\0tn_demo\0${n}`),
  fc.nat({ max: 2 ** 30 }).map((n) => `a\0${n.toString(36).padEnd(60, 'x')}`),
)
const put = fc.record({ name, bytes })
const commit = fc.oneof(
  fc.array(put, { minLength: 1, maxLength: 12 }),
  fc.array(put, { minLength: 100, maxLength: 300 }),
  // What is removed: a part of all names, in their order or across them.
  fc.record({ every: fc.integer({ min: 1, max: 9 }), most: fc.integer({ min: 1, max: 500 }) }),
)

describe('room in the data file', () => {
  it('is there for all that a commit writes on, whatever was written and removed before', async () => {
    let largest = 0
    const property = fc.asyncProperty(fc.array(commit, { minLength: 1, maxLength: 25 }), async (commits) => {
      const path = directory()
      mkdirSync(path)
      const file = join(path, 'data.mdb')
      const db = openLmdb(path)
      const backing = createLmdbBacking(db)
      try {
        for (const one of commits) {
          const writes = new Map<string, Buffer | undefined>()
          if (Array.isArray(one)) for (const { name, bytes } of one) writes.set(name, Buffer.alloc(bytes, 1))
          else {
            const names = [...backing.names({ from: 'a', to: 's', limit: Number.POSITIVE_INFINITY })]
            const removed = names.filter((_, n) => n % one.every === 0).slice(0, one.most)
            for (const name of removed) writes.set(name, undefined)
          }
          if (writes.size === 0) continue
          const before = metaOf(file)
          await backing.write(writes)
          const grown = metaOf(file).lastPage - before.lastPage
          largest = Math.max(largest, grown)
          expect(grown).toBeLessThanOrEqual(pagesFor(before, writes.values()))
          expect(usedBytes(file)).toBeLessThanOrEqual(statSync(file).size)
        }
      } finally {
        await closeLmdb(db)
      }
    })
    await fc.assert(property, { numRuns: runs(50) })
    // It grew, or the property would say nothing.
    expect(largest).toBeGreaterThan(0)
  })
})
