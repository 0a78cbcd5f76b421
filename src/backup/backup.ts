import {
  chmodSync,
  existsSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { type Clock, instant } from '../clock.ts'
import { takeLock } from '../file-lock.ts'
import { makeDirectory } from '../make-directory.ts'
import { product } from '../product.ts'
import { replaceFile, syncDirectory } from '../replace-file.ts'
import type { Store } from '../store/store.ts'
import {
  copyFile,
  fileFacts,
  KEYS_FILE,
  MANIFEST,
  type Manifest,
  manifestText,
  STORE_FILE,
} from './manifest.ts'
import { type Outcome, outcomeOf, Refused, sizeText } from './outcome.ts'

export type BackupSource = {
  readonly store: Pick<Store, 'copyInto' | 'stats'>
  /** The data directory, where the signing keys are. */
  readonly dataDirectory: string
  /** What has to stay free on the disk of the data. */
  readonly reserveBytes: number
  readonly clock: Clock
}

export type Backup = { readonly directory: string; readonly manifest: Manifest }

/** Held while a backup is written. */
const LOCK = 'backup.lock'
/** There from the first file on until the manifest is: what is beside it may be written over. */
const UNFINISHED = 'unfinished-backup'
const OURS = new Set([STORE_FILE, KEYS_FILE, `${MANIFEST}.tmp`, UNFINISHED])

/**
 * Writes a copy of a data directory that is in use, as of one instant, into `directory`: absent, or empty, or what an
 * earlier attempt has left unfinished. The directory and its files are for their owner alone. It is a backup once its
 * manifest is there, which is written last; where it fails, nothing stays.
 */
export async function backUp(directory: string, source: BackupSource): Promise<Outcome<Backup>> {
  const wasThere = existsSync(directory)
  try {
    const at = prepare(directory, source)
    judge(at)
    const unlock = takeLock(join(at, LOCK))
    try {
      // Whoever had the lock may have ended since.
      judge(at)
      return { ok: true, directory: at, manifest: await write(at, source) }
    } finally {
      unlock()
    }
  } catch (cause) {
    if (!wasThere) removeEmpty(directory)
    return outcomeOf(cause, directory)
  }
}

/** Makes the directory; where it is. */
function prepare(directory: string, { dataDirectory }: BackupSource): string {
  makeDirectory(directory, 0o700)
  if (!statSync(directory).isDirectory()) throw new Refused(`${directory} is not a directory`)
  const at = realpathSync(directory)
  const data = realpathSync(dataDirectory)
  if (at === data || at.startsWith(data + sep))
    throw new Refused(`${directory} is in the data directory; name one outside of it`)
  return at
}

/** Nothing of anybody else's is written over, nor a backup that is whole. */
function judge(at: string): void {
  const names = readdirSync(at)
  if (names.includes(MANIFEST)) throw new Refused(`${at} has a backup already; name another directory`)
  const isUnfinished = names.includes(UNFINISHED)
  const foreign = names.find(
    (name) => !name.startsWith(LOCK) && name !== 'lost+found' && !(isUnfinished && OURS.has(name)),
  )
  if (foreign !== undefined)
    throw new Refused(`${at} is not empty (${foreign} is there); name an empty or a new directory`)
}

async function write(
  at: string,
  { store, dataDirectory, reserveBytes, clock }: BackupSource,
): Promise<Manifest> {
  if (!store.copyInto) throw new Refused('the store is kept in memory; there is nothing to back up')
  removeOurs(at)
  proveRoom(at, dataDirectory, store.stats(clock.now()).disk, reserveBytes)
  const createdAt = instant(clock.now())
  chmodSync(at, 0o700)
  try {
    writeFileSync(join(at, UNFINISHED), '', { mode: 0o600 })
    await store.copyInto(at)
    const files = [await fileFacts(at, STORE_FILE)]
    if (existsSync(join(dataDirectory, KEYS_FILE))) files.push(await copyFile(dataDirectory, at, KEYS_FILE))
    const manifest: Manifest = { createdAt, by: product(), files }
    syncDirectory(dirname(at))
    await replaceFile(join(at, MANIFEST), manifestText(manifest), 0o600)
    rmSync(join(at, UNFINISHED))
    return manifest
  } catch (cause) {
    removeOurs(at)
    throw cause
  }
}

function removeOurs(at: string): void {
  // The mark goes last: what is left of a directory that cannot be written is still known to be unfinished.
  for (const name of OURS) rmSync(join(at, name), { force: true })
}

/** A copy that does not fit is not begun: on the disk of the data it would keep the gateway from working. */
function proveRoom(
  at: string,
  dataDirectory: string,
  disk: { readonly bytes: number; readonly reusableBytes: number } | undefined,
  reserveBytes: number,
): void {
  const isSameDisk = statSync(at).dev === statSync(dataDirectory).dev
  const needed = (disk ? disk.bytes - disk.reusableBytes : 0) + (isSameDisk ? reserveBytes : 0)
  const { bavail, bsize } = statfsSync(at)
  if (bavail * bsize < needed)
    throw new Refused(
      `the backup needs ${sizeText(needed)} and ${at} has ${sizeText(bavail * bsize)}; free some space, or name another disk`,
    )
}

function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // Somebody has put something there, or it was never made.
  }
}
