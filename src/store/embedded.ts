import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { inArrivalOrder, logicalName } from './arrival-order.ts'
import type { Entries } from './backing.ts'
import { createCommits, type OnCommit } from './commits.ts'
import { damaged, prepareDirectory, prepareFiles } from './data-files.ts'
import { FENCE_BLOCK, FENCE_MARK, type Fences, reservedFences } from './fences.ts'
import { holdingOf } from './holdings.ts'
import { decodeNumber, encodeNumber, installationName, quotaName } from './keyspace.ts'
import { withKnownNumbers } from './known-numbers.ts'
import {
  closeLmdb,
  codeOf,
  copyLmdb,
  createDisk,
  createLmdbBacking,
  type Lmdb,
  messageOf,
  openLmdb,
  unwritable,
  writeNow,
} from './lmdb-backing.ts'
import { DATA_FILE } from './lmdb-file.ts'
import { createStore } from './local-store.ts'
import { type Beacon, lightBeacon } from './owner-socket.ts'
import { claimOwnership } from './ownership.ts'
import { seal } from './seal.ts'
import { type Store, StoreOpenError, StoreUnavailable } from './store.ts'

export type EmbeddedStoreOptions = {
  /** The data directory; made, for its owner alone, when it is missing. */
  readonly path: string
  /** How many live rate windows are held before new subjects share one. */
  readonly maxWindows?: number
  /** Below so many free bytes nothing new begins; by default no bound. */
  readonly reserveBytes?: number
  readonly onCommit?: OnCommit
  /** Gets who connects to the socket in the directory; by default nobody is listened to. */
  readonly onConnection?: (socket: Socket) => void
}

/** Of the entries' names and encodings (keyspace.ts). A change that an older program would misread raises it. */
const FORMAT = 2

const FORMAT_NAME = Buffer.from(installationName('format'))
const SECRET_NAME = Buffer.from(installationName('secret'))
const FENCE_KEY = Buffer.from(FENCE_MARK)
const FOREVER = Number.POSITIVE_INFINITY

/**
 * The store of one process on one machine, on LMDB. Rejects with StoreOpenError when the directory belongs to a
 * running process, was written by a newer version, or cannot be used.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store> {
  try {
    return await openIn(prepareDirectory(options.path), options)
  } catch (cause) {
    if (cause instanceof StoreOpenError) throw cause
    // An entry that is not what its name says: what LMDB keeps is whole, and was written by nobody of us.
    if (isMisread(cause)) throw damaged(join(options.path, DATA_FILE), UNREADABLE, cause)
    throw new StoreOpenError(
      'unusable',
      `the store path ${options.path} cannot be used: ${messageOf(cause)}. Check its free space and permissions.`,
      { cause },
    )
  }
}

const UNREADABLE = 'it has an entry that cannot be read'

function isMisread(cause: unknown): boolean {
  if (cause instanceof SyntaxError || cause instanceof TypeError) return true
  return cause instanceof RangeError && codeOf(cause) === 0
}

async function openIn(directory: string, options: EmbeddedStoreOptions): Promise<Store> {
  const beacon = await lightBeacon(directory, options.onConnection)
  let db: Lmdb | undefined
  try {
    await prepareFiles(directory, beacon.name)
    db = openLmdb(directory)
    refuseNewerFormat(db, directory)
    const opened = await claim(db, directory, beacon)
    const entries = createLmdbBacking(db)
    let { firstFence } = opened
    let fences: Fences | undefined
    const claimed =
      opened.problem === undefined ? entries : claimingFirst(entries, claimLate(db, directory, beacon))
    const backing = inArrivalOrder(withKnownNumbers(claimed), opened.secret, {
      disk: createDisk(db, directory),
    })
    const commits = createCommits(backing, setImmediate, options.onCommit, opened.problem)
    const copies = createCopies(db)
    const close = async () => {
      // LMDB must not be closed while it copies.
      await copies.ended()
      await backing.close()
      if (entries.isSound()) await seal(directory)
    }
    const store = createStore({
      backing: { ...backing, close },
      commits,
      fences: {
        next() {
          if (firstFence === undefined)
            throw new StoreUnavailable('the data directory could not be written yet')
          fences ??= reservedFences(firstFence, commits)
          return fences.next()
        },
      },
      secret: opened.secret,
      maxWindows: options.maxWindows,
      reserveBytes: options.reserveBytes,
      release: beacon.close,
    })
    return { ...store, copyInto: copies.into }

    function claimLate(into: Lmdb, at: string, by: Beacon): () => Promise<void> {
      return async () => {
        await claimOwnership(into, at, by)
        firstFence = initialise(into).firstFence
      }
    }
  } catch (error) {
    if (db !== undefined) await closeLmdb(db)
    await beacon.close()
    throw error
  }
}

type Copies = { readonly into: (directory: string) => Promise<void>; readonly ended: () => Promise<unknown> }

function createCopies(db: Lmdb): Copies {
  let ended: Promise<unknown> = Promise.resolve()
  return {
    into(directory) {
      const copied = copyLmdb(db, directory)
      ended = Promise.allSettled([ended, copied])
      return copied
    },
    ended: () => ended,
  }
}

type Opened = {
  readonly secret: Buffer
  /** Undefined when the directory could not be written, which `problem` is about. */
  readonly firstFence: number | undefined
  readonly problem?: string
}

/** On a full disk what is there is served, and the directory is claimed before the first write that succeeds. */
async function claim(db: Lmdb, directory: string, beacon: Beacon): Promise<Opened> {
  try {
    await claimOwnership(db, directory, beacon)
    return initialise(db)
  } catch (error) {
    const secret = db.getBinary(SECRET_NAME)
    if (error instanceof StoreOpenError || secret === undefined) throw error
    return { secret: Buffer.from(secret), firstFence: undefined, problem: unwritable(error) }
  }
}

/** Nothing is written before the claim, so that of several that started on a full disk one goes on. */
function claimingFirst(entries: Entries, claimNow: () => Promise<void>): Entries {
  let claimed = false
  return {
    ...entries,
    async write(writes) {
      if (!claimed) {
        try {
          await claimNow()
        } catch (cause) {
          throw new StoreUnavailable(messageOf(cause), { cause })
        }
        claimed = true
      }
      await entries.write(writes)
    },
  }
}

export function refuseNewerFormat(db: Lmdb, directory: string): void {
  const value = db.getBinary(FORMAT_NAME)
  if (value === undefined && !isBegun(db))
    throw damaged(join(directory, DATA_FILE), 'it has the entries of another program')
  const found = value === undefined ? FORMAT : decodeNumber(value)
  if (found > FORMAT) {
    throw new StoreOpenError(
      'newer-format',
      `${directory} was written by a newer version (format ${found}; this one knows ${FORMAT}). Use that version, or another store path.`,
    )
  }
}

/** Whether nothing is in it but what a first start writes before the format: who owns the directory. */
function isBegun(db: Lmdb): boolean {
  for (const key of db.getKeys({ limit: 2 }))
    if (!Buffer.from(key).toString().startsWith(installationName(''))) return false
  return true
}

/**
 * What the installation keeps for itself, in one commit: format, secret, and a fresh block of fences. A directory of
 * the first format gets the counts of what its partners hold, which that did not keep.
 */
function initialise(db: Lmdb): { secret: Buffer; firstFence: number } {
  let firstFence = 1
  let secret = Buffer.alloc(0)
  writeNow(db, () => {
    const mark = db.getBinary(FENCE_KEY)
    if (mark !== undefined) firstFence = decodeNumber(mark)
    secret = Buffer.from(db.getBinary(SECRET_NAME) ?? randomBytes(32))
    const format = db.getBinary(FORMAT_NAME)
    const isFirstFormat = format !== undefined && decodeNumber(format) < 2
    const counts = isFirstFormat ? countHeld(createLmdbBacking(db)) : new Map<string, number>()
    return [
      ...Array.from(counts, ([name, held]) => [Buffer.from(name), encodeNumber(FOREVER, held)] as const),
      [FENCE_KEY, encodeNumber(FOREVER, firstFence + FENCE_BLOCK)],
      [FORMAT_NAME, encodeNumber(FOREVER, FORMAT)],
      [SECRET_NAME, secret],
    ]
  })
  return { secret, firstFence }
}

function countHeld(entries: Entries): Map<string, number> {
  const counts = new Map<string, number>()
  const limit = Number.POSITIVE_INFINITY
  for (const [prefix, end] of [
    ['a\0', 'b'],
    ['r\0', 's'],
  ] as const)
    for (const { name, value } of entries.range({ from: prefix, to: end, limit })) {
      const holding = holdingOf(prefix === 'a\0' ? logicalName(name) : name, value)
      if (holding === undefined || holding.amount === 0) continue
      const counter = quotaName(holding.kind, holding.owner)
      counts.set(counter, (counts.get(counter) ?? 0) + holding.amount)
    }
  return counts
}
