import { rmSync, statfsSync, statSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import type { Entries, Entry, RangeQuery } from './backing.ts'
import { DATA_FILE, reusablePages } from './lmdb-file.ts'
import { openRoom, type Room } from './lmdb-room.ts'
import { type StoreDisk, StoreUnavailable } from './store.ts'

/** All that is written goes through `writeNow` or the backing, which make room for it. */
export type Lmdb = RootDatabase<Buffer, Buffer> & { readonly room: Room }

/**
 * Opens the environment; throws what LMDB throws.
 *
 * `overlappingSync` is off. With it, a commit is visible before it is flushed, a flush that fails leaves visible
 * entries that a power cut takes back, and the promise of the flush then never settles. Without it, a commit is pages,
 * flush, meta page: visible exactly when durable, and absent when it failed. Both took 1.2 to 1.3 ms for a batch of
 * 40 puts (2 cores, ext4).
 */
export function openLmdb(path: string): Lmdb {
  const options = {
    path,
    noSubdir: false,
    encoding: 'binary' as const,
    keyEncoding: 'binary' as const,
    overlappingSync: false,
    // Each commit is started explicitly, by one `batch` call.
    eventTurnBatching: false,
    txnStartThreshold: 1,
    maxDbs: 1,
    // Not in the binding's types: the mode of data.mdb and lock.mdb.
    permissionsMode: 0o600,
  }
  const db = open<Buffer, Buffer>(options)
  try {
    return Object.assign(db, { room: openRoom(path) })
  } catch (error) {
    void db.close()
    throw error
  }
}

export async function closeLmdb(db: Lmdb): Promise<void> {
  db.room.close()
  await db.close()
}

/** Writes at once what `decide` returns, which it reads under LMDB's lock, that holds between processes. */
export function writeNow(db: Lmdb, decide: () => readonly (readonly [Buffer, Buffer])[]): void {
  db.transactionSync(() => {
    const entries = decide()
    if (entries.length === 0) return
    db.room.make(entries.map(([, value]) => value))
    for (const [name, value] of entries) db.putSync(name, value)
  })
}

/**
 * Copies everything, as of one transaction, into a directory that has no data.mdb, for its owner alone and on the disk.
 * Without the pages that nothing uses; where the file has lost some, which LMDB then cannot leave out, with them.
 */
export async function copyLmdb(db: Lmdb, directory: string): Promise<void> {
  const path = join(directory, DATA_FILE)
  try {
    await db.backup(directory, true)
  } catch (cause) {
    rmSync(path, { force: true })
    if (!messageOf(cause).includes('MDB_INCOMPATIBLE')) throw cause
    await db.backup(directory, false)
  }
  const file = await openFile(path, 'r')
  try {
    await file.chmod(0o600)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** MDB_CORRUPTED, MDB_PANIC, MDB_VERSION_MISMATCH, MDB_INVALID: no later attempt can succeed. */
const FATAL = new Set([-30796, -30795, -30794, -30793])

/**
 * How long the attempt after one that failed in LMDB may take: its disk has failed, since a full one is met before
 * (lmdb-room.ts). Mostly the next attempt simply fails or succeeds. But after a failed write of the meta page the binding's writer ends
 * without settling anything, and without this bound every settlement would wait for ever.
 */
const RETRY_MS = 10_000

/** `isSound`: what was written last went to the disk. */
export type LmdbEntries = Entries & { isSound(): boolean }

const keyOf = (name: string): Buffer => Buffer.from(name)

export function createLmdbBacking(db: Lmdb): LmdbEntries {
  let failed = false
  /** Set for good once the files can no longer be written by this process. */
  let broken: StoreUnavailable | undefined

  async function write(writes: ReadonlyMap<string, Buffer | undefined>): Promise<void> {
    if (broken !== undefined) throw broken
    try {
      db.room.make(writes.values())
    } catch (cause) {
      throw new StoreUnavailable(unwritable(cause), { cause })
    }
    try {
      await (failed ? within(RETRY_MS, commit(writes)) : commit(writes))
      failed = false
    } catch (error) {
      failed = true
      const cause = await commitErrorOf(error)
      const message = unwritable(cause)
      if (error !== LATE && !FATAL.has(codeOf(cause))) throw new StoreUnavailable(message, { cause })
      broken = new StoreUnavailable(`${message}; restart when the disk is sound`, { cause })
      throw broken
    }
  }

  function commit(writes: ReadonlyMap<string, Buffer | undefined>): Promise<boolean> {
    return db.batch(() => {
      for (const [name, value] of writes) {
        if (value === undefined) void db.remove(keyOf(name))
        else void db.put(keyOf(name), value)
      }
    })
  }

  function* range({ from, to, limit, reverse = false }: RangeQuery): Generator<Entry> {
    const [low, high] = [keyOf(from), keyOf(to)]
    // Descending, LMDB's start is the upper bound, which we exclude, and its end the lower one, which we include.
    const bounds = reverse
      ? { start: high, end: low, reverse, exclusiveStart: true, inclusiveEnd: true }
      : { start: low, end: high }
    const limited = limit === Number.POSITIVE_INFINITY ? bounds : { ...bounds, limit }
    for (const { key, value } of db.getRange(limited)) {
      yield { name: Buffer.from(key).toString(), value }
    }
  }

  return {
    read: (name) => db.getBinary(keyOf(name)),
    range,
    *names({ from, to, limit }) {
      const bounds = { start: keyOf(from), end: keyOf(to) }
      const limited = limit === Number.POSITIVE_INFINITY ? bounds : { ...bounds, limit }
      for (const key of db.getKeys(limited)) yield Buffer.from(key).toString()
    },
    write,
    isSound: () => !failed,
    close: () => closeLmdb(db),
  }
}

export const unwritable = (cause: unknown): string =>
  `the data directory cannot be written: ${messageOf(cause)}`

const LATE = new Error('a write after a failed one did not end')

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(LATE), limitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The binding rejects a failed commit with a general error whose `commitError` is another promise, rejected with the
 * real one. Nobody else handles that promise, and unhandled it would end the process.
 */
async function commitErrorOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error && 'commitError' in error)) return error
  try {
    await error.commitError
    return error
  } catch (cause) {
    return cause
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export function codeOf(error: unknown): number {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : 0
}

/** Looks at the disk of a directory, and into the file, at most four times a second. */
export function createDisk(db: Lmdb, directory: string): () => StoreDisk | undefined {
  let askedAt = Number.NEGATIVE_INFINITY
  let known: StoreDisk | undefined
  return () => {
    const now = performance.now()
    if (now - askedAt < DISK_MS) return known
    askedAt = now
    try {
      const { bavail, bsize } = statfsSync(directory)
      const bytes = statSync(join(directory, DATA_FILE)).size
      known = { bytes, freeBytes: bavail * bsize, reusableBytes: reusableBytes(db.getStats() as Stats) }
    } catch {
      // Somebody has moved the directory away; the next commit says what is wrong.
      known = undefined
    }
    return known
  }
}

const DISK_MS = 250

type Pages = { treeBranchPageCount: number; treeLeafPageCount: number; overflowPages: number }
type Stats = { root: Pages; free: Pages; pageSize: number; lastPageNumber: number }

function reusableBytes({ root, free, pageSize, lastPageNumber: lastPage }: Stats): number {
  return reusablePages({ main: countsOf(root), free: countsOf(free), lastPage }) * pageSize
}

function countsOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: Pages) {
  return { branchPages: treeBranchPageCount, leafPages: treeLeafPageCount, overflowPages }
}
