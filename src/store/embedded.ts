import { randomBytes } from 'node:crypto'
import { inArrivalOrder } from './arrival-order.ts'
import { createCommits, type OnCommit } from './commits.ts'
import { prepareDirectory, prepareFiles } from './data-files.ts'
import { FENCE_BLOCK, FENCE_MARK, reservedFences } from './fences.ts'
import { decodeNumber, encodeNumber, installationName } from './keyspace.ts'
import { createLmdbBacking, type Lmdb, messageOf, openLmdb } from './lmdb-backing.ts'
import { createStore } from './local-store.ts'
import { claimOwnership, lightBeacon } from './ownership.ts'
import { type Store, StoreOpenError } from './store.ts'

export type EmbeddedStoreOptions = {
  /** The data directory; made, for its owner alone, when it is missing. */
  readonly path: string
  /** How many live rate windows are held before new subjects share one. */
  readonly maxWindows?: number
  readonly onCommit?: OnCommit
}

/** Of the entries' names and encodings (keyspace.ts). A change that an older program would misread raises it. */
const FORMAT = 1

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
    throw new StoreOpenError(
      'unusable',
      `the store path ${options.path} cannot be used: ${messageOf(cause)}. Check its free space and permissions.`,
      { cause },
    )
  }
}

async function openIn(directory: string, options: EmbeddedStoreOptions): Promise<Store> {
  const beacon = await lightBeacon(directory)
  let db: Lmdb | undefined
  try {
    prepareFiles(directory)
    db = openLmdb(directory)
    refuseNewerFormat(db, directory)
    await claimOwnership(db, directory, beacon)
    const { secret, firstFence } = initialise(db)
    const backing = inArrivalOrder(createLmdbBacking(db, directory))
    const commits = createCommits(backing, setImmediate, options.onCommit)
    const fences = reservedFences(firstFence, commits)
    return createStore({
      backing,
      commits,
      fences,
      secret,
      maxWindows: options.maxWindows,
      release: beacon.close,
    })
  } catch (error) {
    await db?.close()
    await beacon.close()
    throw error
  }
}

function refuseNewerFormat(db: Lmdb, directory: string): void {
  const value = db.getBinary(FORMAT_NAME)
  const found = value === undefined ? FORMAT : decodeNumber(value)
  if (found > FORMAT) {
    throw new StoreOpenError(
      'newer-format',
      `${directory} was written by a newer version (format ${found}; this one knows ${FORMAT}). Use that version, or another store path.`,
    )
  }
}

/** What the installation keeps for itself, in one commit: format, secret, and a fresh block of fences. */
function initialise(db: Lmdb): { secret: Buffer; firstFence: number } {
  return db.transactionSync(() => {
    const mark = db.getBinary(FENCE_KEY)
    const firstFence = mark === undefined ? 1 : decodeNumber(mark)
    db.putSync(FENCE_KEY, encodeNumber(FOREVER, firstFence + FENCE_BLOCK))
    db.putSync(FORMAT_NAME, encodeNumber(FOREVER, FORMAT))
    const secret = db.getBinary(SECRET_NAME) ?? randomBytes(32)
    db.putSync(SECRET_NAME, secret)
    return { secret: Buffer.from(secret), firstFence }
  })
}
