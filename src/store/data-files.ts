import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeDirectory } from '../make-directory.ts'
import { systemCode } from '../system-error.ts'
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
  checkDataFile(join(directory, 'data.mdb'))
  return directory
}

/** Makes sure that a first start has room, and that there is a whole lock file. */
export function prepareFiles(directory: string): void {
  // What is there already can be read without room, and says itself when it cannot be written.
  if (!holdsData(join(directory, 'data.mdb'))) proveRoom(directory)
  reserveLockFile(join(directory, 'lock.mdb'))
}

function unusable(message: string): StoreOpenError {
  return new StoreOpenError('unusable', `${message}; choose another store path, or move that file away`)
}

/** Where a meta page of LMDB's data format 2 has its magic number and version. */
const MAGIC_AT = 24
const MAGIC = 0xbeefc0de
const DATA_VERSION = 2

function checkDataFile(path: string): void {
  if (!existsSync(path)) return
  checkOurs(path)
  const head = Buffer.alloc(MAGIC_AT + 8)
  const descriptor = openSync(path, 'r')
  try {
    const length = readSync(descriptor, head)
    // LMDB makes the file first and its first pages next; an empty one is as good as none.
    if (length === 0) return
  } finally {
    closeSync(descriptor)
  }
  if (head.readUInt32LE(MAGIC_AT) !== MAGIC || head.readUInt32LE(MAGIC_AT + 4) !== DATA_VERSION) {
    throw unusable(`${path} is not a database of this program`)
  }
}

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

/** 126 reader slots of 64 bytes and the header, in whole pages. */
const LOCK_FILE_BYTES = 12_288

/**
 * LMDB makes its lock file sparse and maps it; on a full disk the first touch of a page would end the process by
 * SIGBUS. Written out beforehand, the same lack of space is an error.
 */
function reserveLockFile(path: string): void {
  if (existsSync(path)) {
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
