import type { Backing } from './backing.ts'
import { installationName } from './keyspace.ts'
import { type StoreHealth, StoreUnavailable } from './store.ts'

/** What a change sees while it decides: committed entries, and what earlier changes of the same commit wrote. */
export type View = {
  read(name: string): Buffer | undefined
  put(name: string, value: Buffer): void
  remove(name: string): void
}

/** Reads, decides, writes. A change that throws has written nothing. */
export type Change<T> = (view: View) => T

/**
 * Group commit: exactly one commit is in flight, and everything that arrives meanwhile goes into the next one.
 * Under load the disk's flush, not the number of requests, sets the pace.
 */
export type Commits = {
  /** Resolves to what the change returned once it, and all that it could see, is durable. */
  submit<T>(change: Change<T>): Promise<T>
  health(): StoreHealth
  /** Refuses further changes; resolves when those already submitted have ended. */
  close(): Promise<void>
}

type Waiting = {
  readonly change: Change<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

type Writes = Map<string, Buffer | undefined>

/**
 * How often a store that could not write tries again by itself. Each attempt that fails costs two lines on stderr,
 * which the LMDB binding writes and nothing can turn off.
 */
const PROBE_MS = 1_000

/** About as large as an ordinary commit, so that a probe which fits says something. */
const PROBE = Buffer.alloc(16_384)
const PROBE_NAME = installationName('probe')

/** `unwritableBecause`: nothing can be written yet, and a probe finds out when that is over. */
export function createCommits(
  backing: Backing,
  schedule: (run: () => void) => void,
  unwritableBecause?: string,
): Commits {
  let waiting: Waiting[] = []
  let draining: Promise<void> | undefined
  let closed = false
  let probe: NodeJS.Timeout | undefined
  let health: StoreHealth =
    unwritableBecause === undefined ? { writable: true } : { writable: false, reason: unwritableBecause }

  async function drain(): Promise<void> {
    // One turn later, so that everything which became ready in this turn shares the first commit.
    await new Promise<void>((resolve) => schedule(resolve))
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await commit(batch)
    }
    draining = undefined
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    const writes: Writes = new Map()
    const finish = batch.map((one) => decide(backing, one, writes))
    try {
      if (writes.size > 0) {
        await backing.write(writes)
        health = { writable: true }
      }
    } catch (error) {
      const failure =
        error instanceof StoreUnavailable ? error : new StoreUnavailable(reasonOf(error), { cause: error })
      health = { writable: false, reason: failure.message }
      for (const one of batch) one.reject(failure)
      probeLater()
      return
    }
    for (const done of finish) done()
  }

  /** New work is refused while nothing can be written, so somebody has to find out when that is over. */
  function probeLater(): void {
    clearTimeout(probe)
    probe = setTimeout(() => {
      submit((view) => view.put(PROBE_NAME, PROBE)).catch(() => {})
    }, PROBE_MS)
    probe.unref()
  }

  function submit<T>(change: Change<T>): Promise<T> {
    if (closed) return Promise.reject(new StoreUnavailable('the store is closed'))
    return new Promise<T>((resolve, reject) => {
      waiting.push({ change, resolve: (result) => resolve(result as T), reject })
      draining ??= drain()
    })
  }

  if (unwritableBecause !== undefined) probeLater()
  return {
    submit,
    health: () => health,
    async close() {
      closed = true
      clearTimeout(probe)
      await draining
    },
  }
}

/** Runs one change against the commit being built; what it wrote counts only when it returns. */
function decide(backing: Backing, { change, resolve, reject }: Waiting, writes: Writes): () => void {
  const own: Writes = new Map()
  const view: View = {
    read(name) {
      if (own.has(name)) return own.get(name)
      return writes.has(name) ? writes.get(name) : backing.read(name)
    },
    put: (name, value) => void own.set(name, value),
    remove: (name) => void own.set(name, undefined),
  }
  try {
    const result = change(view)
    for (const [name, value] of own) writes.set(name, value)
    return () => resolve(result)
  } catch (error) {
    return () => reject(error)
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
