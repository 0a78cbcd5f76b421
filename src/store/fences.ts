import type { Commits } from './commits.ts'
import { encodeNumber, installationName } from './keyspace.ts'
import { StoreUnavailable } from './store.ts'

/**
 * Fence numbers that only grow, also over a restart, without a commit per request: the store reserves them in
 * blocks. What is left of a block when the process ends is never given out.
 */
export type Fences = { next(): number }

/** 16 million: one small extra write per eight million admissions, and room for 500 million starts below 2^53. */
export const FENCE_BLOCK = 2 ** 24

export const FENCE_MARK = installationName('fences')

/** For a store that lives as long as its process. */
export function countingFences(): Fences {
  let last = 0
  return { next: () => ++last }
}

/** Gives out first, first + 1, … below `first + block`, and reserves the next block in good time. */
export function reservedFences(first: number, commits: Pick<Commits, 'submit'>, block = FENCE_BLOCK): Fences {
  let next = first
  let end = first + block
  let extending = false

  async function extend(): Promise<void> {
    const mark = end + block
    extending = true
    try {
      await commits.submit((view) => view.put(FENCE_MARK, encodeNumber(Number.POSITIVE_INFINITY, mark)))
      end = mark
    } catch {
      // The next call tries again; half a block is left until then.
    } finally {
      extending = false
    }
  }

  return {
    next() {
      if (end - next <= block / 2 && !extending) void extend()
      if (next >= end) throw new StoreUnavailable('no fence can be reserved because nothing can be written')
      return next++
    },
  }
}
