import { chmodSync, existsSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { type Clock, instant } from '../clock.ts'
import { makeDirectory } from '../make-directory.ts'
import { product } from '../product.ts'
import { replaceFile, syncDirectory } from '../replace-file.ts'
import { DATA_FILE } from '../store/lmdb-file.ts'
import type { Store } from '../store/store.ts'
import { KEY_FILE } from '../tokens/key-file.ts'
import { copyFile, fileFacts, MANIFEST, type Manifest, manifestText } from './manifest.ts'
import { type Outcome, outcomeOf, Refused } from './outcome.ts'
import { alone, foreignName, type Made, proveRoom, removeEmpty, removeFiles } from './target.ts'

export type BackupSource = {
  readonly store: Pick<Store, 'copyInto' | 'stats'>
  /** The data directory, where the signing keys are. */
  readonly dataDirectory: string
  /** What has to stay free on the disk of the data. */
  readonly reserveBytes: number
  readonly clock: Clock
}

export type Backup = { readonly directory: string; readonly manifest: Manifest }

const MADE: Made = {
  lock: 'backup.lock',
  mark: 'unfinished-backup',
  files: [DATA_FILE, KEY_FILE, `${MANIFEST}.tmp`],
}

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
    return await alone(at, MADE, async () => {
      // Whoever had the lock may have ended since.
      judge(at)
      return { ok: true, directory: at, manifest: await write(at, source) }
    })
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
  const foreign = foreignName(at, MADE, names.includes(MADE.mark))
  if (foreign !== undefined)
    throw new Refused(`${at} is not empty (${foreign} is there); name an empty or a new directory`)
}

async function write(
  at: string,
  { store, dataDirectory, reserveBytes, clock }: BackupSource,
): Promise<Manifest> {
  if (!store.copyInto) throw new Refused('the store is kept in memory; there is nothing to back up')
  clear(at)
  const { disk } = store.stats(clock.now())
  const needed = disk ? disk.bytes - disk.reusableBytes : 0
  // A copy that does not fit is not begun: on the disk of the data it would keep the gateway from working.
  const isSameDisk = statSync(at).dev === statSync(dataDirectory).dev
  proveRoom(at, needed + (isSameDisk ? reserveBytes : 0), '; free some space, or name another disk')
  const createdAt = instant(clock.now())
  chmodSync(at, 0o700)
  try {
    writeFileSync(join(at, MADE.mark), '', { mode: 0o600 })
    await store.copyInto(at)
    const files = [await fileFacts(at, DATA_FILE)]
    if (existsSync(join(dataDirectory, KEY_FILE))) files.push(await copyFile(dataDirectory, at, KEY_FILE))
    const manifest: Manifest = { createdAt, by: product(), files }
    syncDirectory(dirname(at))
    await replaceFile(join(at, MANIFEST), manifestText(manifest), 0o600)
    rmSync(join(at, MADE.mark))
    return manifest
  } catch (cause) {
    clear(at)
    throw cause
  }
}

/** The mark goes last: what is left of a directory that cannot be written is still known to be unfinished. */
function clear(at: string): void {
  removeFiles(at, MADE)
  rmSync(join(at, MADE.mark), { force: true })
}
