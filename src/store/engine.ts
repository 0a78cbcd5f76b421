import type { Backing } from './backing.ts'
import type { CapBook } from './caps.ts'
import type { Commits } from './commits.ts'
import type { Fences } from './fences.ts'
import type { QuotaBook } from './quotas.ts'
import type { RunningKeys } from './running-keys.ts'
import type { RateWindows } from './windows.ts'

/**
 * The store of a single process. Windows, running keys and reservations are in memory; what has to survive is in the
 * backing, and that is all in which the memory store and the embedded one differ.
 */
export type Engine = {
  readonly backing: Backing
  readonly commits: Commits
  readonly fences: Fences
  readonly windows: RateWindows
  readonly caps: CapBook
  readonly quotas: QuotaBook
  /** Below so many free bytes nothing new begins. */
  readonly reserveBytes: number
  readonly running: RunningKeys
}
