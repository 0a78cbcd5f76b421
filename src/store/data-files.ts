import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeDirectory } from '../make-directory.ts'
import { systemCode } from '../system-error.ts'
import { damageOf } from './lmdb-damage.ts'
import { DATA_FILE, LOCK_FILE } from './lmdb-file.ts'
import { inUse, otherOwner } from './owner-socket.ts'
import { isSealed } from './seal.ts'
import { StoreOpenError } from './store.ts'

/**
 * What is looked at before LMDB opens a directory. Where its own opening fails, the binding tends to crash the process
 * (seen: a file that is not a database, a full disk, a lock file that is none), so none of that may get there.
 */
export function prepareDirectory(path: string): string {
  if (existsSync(path) && !statSync(path).isDirectory()) throw unusable(`${path} is not a directory`)
  makeDirectory(path, 0o700)
  const directory = realpathSync(path)
  accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  return directory
}

/** Makes sure that the data file is whole, that a first start has room, and that there is a whole lock file. */
export async function prepareFiles(directory: string, own: string): Promise<void> {
  await judgeDataFile(directory, own)
  // What is there already can be read without room, and says itself when it cannot be written.
  if (!holdsData(join(directory, DATA_FILE))) proveRoom(directory)
  reserveLockFile(directory)
  proveDescriptors(directory)
}

function unusable(message: string): StoreOpenError {
  return new StoreOpenError('unusable', `${message}; choose another store path, or move that file away`)
}

/** The mark of a restore, gone when all of it is there. */
export const UNFINISHED_RESTORE = 'unfinished-restore'

/**
 * Refuses a data file that LMDB must not map, and a directory that is being restored. `own` is the socket of this
 * process, which is there already: while another one answers, the file may change as it is read, and its owner has
 * looked at it.
 */
async function judgeDataFile(directory: string, own: string): Promise<void> {
  if (existsSync(join(directory, UNFINISHED_RESTORE)))
    throw new StoreOpenError(
      'unusable',
      `a restore into ${directory} has not ended. Wait for it; when none runs, repeat it.`,
    )
  const path = join(directory, DATA_FILE)
  if (!stands(path)) return
  checkOurs(path)
  if (isSealed(directory)) return
  const owner = await otherOwner(directory, own)
  const damage = statSync(path).size > 0 ? damageOf(path) : emptied(directory)
  if (damage === undefined) return
  const pid = owner ?? (await otherOwner(directory, own))
  throw pid === undefined ? damaged(path, damage) : inUse(directory, pid)
}

export function damaged(path: string, why: string, cause?: unknown): StoreOpenError {
  return new StoreOpenError(
    'damaged',
    `${path} is damaged: ${why}. Restore a backup into an empty store path (sandgate data restore); moved away, it is begun anew with nothing in it.`,
    { cause },
  )
}

const MADE_BEFORE_DATA = /^(?:owner-.*\.sock|room-\d+|lost\+found)$/

/** LMDB makes its file first and its first pages next, which a crash may have come between. */
function emptied(directory: string): string | undefined {
  const isFirstStart = readdirSync(directory).every(
    (name) => name === DATA_FILE || name === LOCK_FILE || MADE_BEFORE_DATA.test(name),
  )
  return isFirstStart ? undefined : 'it is empty'
}

/** Whether anything has this name, be it a link that leads nowhere: LMDB would follow it. */
const stands = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

function checkOurs(path: string): void {
  if (!statSync(path).isFile()) throw unusable(`${path} is not a file`)
  accessSync(path, constants.R_OK | constants.W_OK)
}

/** More than a first start writes. */
const ROOM_BYTES = 65_536

function holdsData(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0
}

function proveRoom(directory: string): void {
  const path = join(directory, `room-${process.pid}`)
  try {
    writeFileSync(path, Buffer.alloc(ROOM_BYTES), { mode: 0o600, flush: true })
  } finally {
    rmSync(path, { force: true })
  }
}

/** More than LMDB and the room in its file open. */
const DESCRIPTORS = 8

/** Where LMDB cannot open its next file, the binding ends the process. */
function proveDescriptors(directory: string): void {
  const open: number[] = []
  try {
    while (open.length < DESCRIPTORS) open.push(openSync(directory, 'r'))
  } finally {
    for (const descriptor of open) closeSync(descriptor)
  }
}

/** 126 reader slots of 64 bytes and the header, in whole pages. */
const LOCK_FILE_BYTES = 12_288

/**
 * LMDB makes its lock file sparse and maps it; on a full disk the first touch of a page would end the process by
 * SIGBUS. Written out beforehand, the same lack of space is an error.
 */
export function reserveLockFile(directory: string): void {
  const path = join(directory, LOCK_FILE)
  if (stands(path)) {
    checkOurs(path)
    return
  }
  try {
    writeFileSync(path, Buffer.alloc(LOCK_FILE_BYTES), { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    // Another starter was quicker, and the file is in its hands.
    if (systemCode(error) === 'EEXIST') return
    rmSync(path, { force: true })
    throw error
  }
}
