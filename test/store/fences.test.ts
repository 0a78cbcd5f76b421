import { expect, it } from 'vitest'
import type { Change, Commits } from '../../src/store/commits.ts'
import { FENCE_MARK, reservedFences } from '../../src/store/fences.ts'
import { decodeNumber } from '../../src/store/keyspace.ts'
import { StoreUnavailable } from '../../src/store/store.ts'

/** Commits that keep the latest mark, or fail while `full`. */
function marks(): { commits: Pick<Commits, 'submit'>; mark: () => number; full: boolean } {
  let mark = 0
  const disk = { full: false }
  const submit = async <T>(change: Change<T>): Promise<T> => {
    if (disk.full) throw new StoreUnavailable('full')
    const put = (name: string, value: Buffer): void => {
      if (name === FENCE_MARK) mark = decodeNumber(value)
    }
    return change({ read: () => undefined, put, remove: () => undefined })
  }
  return Object.assign(disk, { commits: { submit }, mark: () => mark })
}

it('a fence is given out only when a larger mark is on disk', async () => {
  const disk = marks()
  const fences = reservedFences(1, disk.commits, 10)
  for (let n = 1; n <= 100; n++) {
    const fence = fences.next()
    expect(fence).toBe(n)
    await Promise.resolve()
    expect(Math.max(disk.mark(), 11)).toBeGreaterThan(fence)
  }
})

it('no fence is given out beyond the mark while nothing can be written, and afterwards they go on', async () => {
  const disk = marks()
  disk.full = true
  const fences = reservedFences(1, disk.commits, 10)
  for (let n = 1; n <= 10; n++) {
    expect(fences.next()).toBe(n)
    await new Promise(setImmediate)
  }
  expect(() => fences.next()).toThrow(StoreUnavailable)
  disk.full = false
  await new Promise(setImmediate)
  expect(() => fences.next()).toThrow(StoreUnavailable)
  await new Promise(setImmediate)
  expect(fences.next()).toBe(11)
})
