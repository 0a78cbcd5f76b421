import type { Clock } from '../clock.ts'
import { createWorkQueue } from '../work-queue.ts'
import {
  type ActiveKey,
  type KeySet,
  type NextKey,
  type RetiringKey,
  readKeyFile,
  writeKeyFile,
} from './key-file.ts'

/** The key set as it is kept: what verifies now, and one change after the other. */
export type KeptKeys = {
  /** As of this moment, without the keys whose time is over; undefined until the first key is kept. */
  readonly current: () => KeySet | undefined
  /** Another number whenever a key came or went, or another one signs. */
  readonly generation: () => number
  /** Puts `next` in place of the current set: durable first, so that no token carries a kid that a restart forgets. */
  readonly replace: (next: KeySet) => Promise<KeySet>
  /**
   * The same for a key that does not sign yet: seen at once, so that the time until it signs counts from an instant in
   * which no older JWKS can be had any more. When it cannot be kept it is gone again.
   */
  readonly publish: (next: KeySet) => Promise<KeySet>
  /** Resolves when the write that is under way, if any, is over, however it ended. */
  readonly written: () => Promise<unknown>
  /** One change at a time, whoever asks; an earlier failure does not stop the next. */
  readonly queued: <T>(change: () => Promise<T>) => Promise<T>
}

/** With `directory` null the keys are kept in memory only. @throws SigningKeysError */
export function createKeptKeys(directory: string | null, clock: Clock): KeptKeys {
  let keys = directory === null ? undefined : readKeyFile(directory)
  let generation = 0
  let nextChangeMs = soonest(keys)
  const { run: queued } = createWorkQueue()
  let writing: Promise<unknown> = Promise.resolve()

  const become = (next: KeySet): KeySet => {
    keys = next
    nextChangeMs = soonest(next)
    generation += 1
    return next
  }
  /** `then` is a part of the write: who has waited for it meets what it has left behind. */
  const write = <T>(next: KeySet, then: () => T): Promise<T> => {
    const written = (directory === null ? Promise.resolve() : writeKeyFile(directory, next)).then(then)
    writing = written.catch(() => undefined)
    return written
  }
  // Called on every request, hence one comparison in the usual case.
  const settle = (): void => {
    const now = clock.now()
    if (now < nextChangeMs || keys === undefined) return
    const hasTakenOver = keys.next !== undefined
    become(asOf(keys, now))
    // The file says when the next key signs, so nothing waits for this; it takes the old private half off the disk.
    if (hasTakenOver && keys.next === undefined)
      queued(async () => keys && (await write(keys, () => undefined))).catch(() => undefined)
  }

  return {
    current: () => {
      settle()
      return keys
    },
    generation: () => {
      settle()
      return generation
    },
    replace: (next) => write(next, () => become(next)),
    publish: async (next) => {
      const before = keys
      become(next)
      try {
        return await write(next, () => next)
      } catch (cause) {
        if (before !== undefined) become(before)
        throw cause
      }
    },
    written: () => writing,
    queued,
  }
}

/** The one that signs first, then the next one. */
export function all(keys: KeySet | undefined): readonly (ActiveKey | NextKey | RetiringKey)[] {
  if (keys === undefined) return []
  return [keys.active, ...(keys.next ? [keys.next] : []), ...keys.retiring]
}

/** `next` signs instead of the key that does; that one verifies until the last token that it signed has expired. */
export function takenOver({ active, retiring }: KeySet, next: ActiveKey, atMs: number): KeySet {
  const { kid, createdAtMs, longestLifetimeSeconds, publicKey } = active
  const expiresAtMs = atMs + longestLifetimeSeconds * 1000
  return {
    active: {
      kid: next.kid,
      createdAtMs: next.createdAtMs,
      longestLifetimeSeconds: next.longestLifetimeSeconds,
      privateKey: next.privateKey,
      publicKey: next.publicKey,
    },
    retiring: [{ kid, createdAtMs, expiresAtMs, publicKey }, ...retiring],
  }
}

/** What a set has become by an instant, without anybody having done anything. */
function asOf(keys: KeySet, now: number): KeySet {
  const { next } = keys
  const signing = next && now >= next.signsAtMs ? takenOver(keys, next, next.signsAtMs) : keys
  return { ...signing, retiring: signing.retiring.filter((key) => now < key.expiresAtMs) }
}

function soonest(keys: KeySet | undefined): number {
  const ends = (keys?.retiring ?? []).map((key) => key.expiresAtMs)
  return Math.min(Number.POSITIVE_INFINITY, keys?.next?.signsAtMs ?? Number.POSITIVE_INFINITY, ...ends)
}
