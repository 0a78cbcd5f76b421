import type { Clock } from '../clock.ts'
import { type ActiveKey, type KeySet, type RetiringKey, readKeyFile, writeKeyFile } from './key-file.ts'

/** The key set as it is kept: what verifies now, and one change after the other. */
export type KeptKeys = {
  /** Without the keys whose time is over; undefined until the first key is kept. */
  readonly current: () => KeySet | undefined
  /** Another number whenever a key came or went. */
  readonly generation: () => number
  /** Puts `next` in place of the current set: durable first, so that no token carries a kid that a restart forgets. */
  readonly replace: (next: KeySet) => Promise<KeySet>
  /** Resolves when the write that is under way, if any, is over, however it ended. */
  readonly written: () => Promise<unknown>
  /** One change at a time, whoever asks; an earlier failure does not stop the next. */
  readonly queued: <T>(change: () => Promise<T>) => Promise<T>
}

/** With `directory` null the keys are kept in memory only. @throws SigningKeysError */
export function createKeptKeys(directory: string | null, clock: Clock): KeptKeys {
  let keys = directory === null ? undefined : readKeyFile(directory)
  let generation = 0
  let nextExpiryMs = soonest(keys)
  let tail: Promise<unknown> = Promise.resolve()
  let writing: Promise<unknown> = Promise.resolve()

  const become = (next: KeySet): KeySet => {
    keys = next
    nextExpiryMs = soonest(next)
    generation += 1
    return next
  }
  // Called on every request, hence one comparison in the usual case.
  const prune = (): void => {
    const now = clock.now()
    if (now < nextExpiryMs || keys === undefined) return
    become({ ...keys, retiring: keys.retiring.filter((key) => now < key.expiresAtMs) })
  }

  return {
    current: () => {
      prune()
      return keys
    },
    generation: () => {
      prune()
      return generation
    },
    replace: async (next) => {
      if (directory !== null) {
        const written = writeKeyFile(directory, next)
        writing = written.catch(() => undefined)
        await written
      }
      return become(next)
    },
    written: () => writing,
    queued: (change) => {
      const result = tail.then(change)
      tail = result.catch(() => undefined)
      return result
    },
  }
}

/** The active key first. */
export function all(keys: KeySet | undefined): readonly (ActiveKey | RetiringKey)[] {
  return keys === undefined ? [] : [keys.active, ...keys.retiring]
}

function soonest(keys: KeySet | undefined): number {
  return Math.min(Number.POSITIVE_INFINITY, ...(keys?.retiring ?? []).map((key) => key.expiresAtMs))
}
