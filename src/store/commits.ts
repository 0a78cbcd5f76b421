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
  /**
   * The same for what can be done without: in a commit of its own, behind the one that is due. When it fails, no
   * other change fails with it, and the store is still what it was.
   */
  submitAside<T>(change: Change<T>): Promise<T>
  health(): StoreHealth
  /** How many changes wait, and how many commits have failed. */
  counts(): { readonly waiting: number; readonly failures: number }
  /** Refuses further changes; resolves when those already submitted have ended. */
  close(): Promise<void>
}

type Waiting = {
  readonly change: Change<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

type Writes = Map<string, Buffer | undefined>

/** How often a store that could not write tries again by itself. */
const PROBE_MS = 1_000

/** About as large as an ordinary commit, so that a probe which fits says something. */
const PROBE = Buffer.alloc(16_384)
const PROBE_NAME = installationName('probe')

/** `onCommit` hears how long each commit took that was written, in milliseconds. */
export type OnCommit = (milliseconds: number) => void

/** `unwritableBecause`: nothing can be written yet, and a probe finds out when that is over. */
export function createCommits(
  backing: Backing,
  schedule: (run: () => void) => void,
  onCommit: OnCommit = () => {},
  unwritableBecause?: string,
): Commits {
  let waiting: Waiting[] = []
  const aside: Waiting[] = []
  let draining: Promise<void> | undefined
  let closed = false
  let probe: NodeJS.Timeout | undefined
  let health: StoreHealth =
    unwritableBecause === undefined ? { writable: true } : { writable: false, reason: unwritableBecause }
  let failures = 0

  async function write(writes: Writes): Promise<void> {
    const startedAt = performance.now()
    try {
      await backing.write(writes)
    } catch (error) {
      failures++
      throw error
    }
    onCommit(performance.now() - startedAt)
  }

  async function drain(): Promise<void> {
    // One turn later, so that everything which became ready in this turn shares the first commit.
    await new Promise<void>((resolve) => schedule(resolve))
    while (waiting.length > 0 || aside.length > 0) {
      const batch = waiting
      waiting = []
      if (batch.length > 0) await commit(batch)
      const spare = aside.shift()
      if (spare !== undefined) await commitAside(spare)
    }
    draining = undefined
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    const writes: Writes = new Map()
    const finish = batch.map((one) => decide(backing, one, writes))
    try {
      if (writes.size > 0) {
        await write(writes)
        health = { writable: true }
      }
    } catch (error) {
      const failure = asUnavailable(error)
      health = { writable: false, reason: failure.message }
      for (const one of batch) one.reject(failure)
      probeLater()
      return
    }
    for (const done of finish) done()
  }

  async function commitAside(one: Waiting): Promise<void> {
    const writes: Writes = new Map()
    const finish = decide(backing, one, writes)
    try {
      if (!health.writable) throw new StoreUnavailable(health.reason)
      if (writes.size > 0) await write(writes)
    } catch (error) {
      one.reject(asUnavailable(error))
      return
    }
    finish()
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
    return enqueue(change, (one) => waiting.push(one))
  }

  function enqueue<T>(change: Change<T>, push: (one: Waiting) => void): Promise<T> {
    if (closed) return Promise.reject(new StoreUnavailable('the store is closed'))
    return new Promise<T>((resolve, reject) => {
      push({ change, resolve: (result) => resolve(result as T), reject })
      draining ??= drain()
    })
  }

  if (unwritableBecause !== undefined) probeLater()
  return {
    submit,
    submitAside: (change) => enqueue(change, (one) => aside.push(one)),
    health: () => health,
    counts: () => ({ waiting: waiting.length + aside.length, failures }),
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

function asUnavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error
  return new StoreUnavailable(error instanceof Error ? error.message : String(error), { cause: error })
}
