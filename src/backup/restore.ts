import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { makeDirectory } from '../make-directory.ts'
import { syncDirectory } from '../replace-file.ts'
import { UNFINISHED_RESTORE } from '../store/data-files.ts'
import { damageOf } from '../store/lmdb-damage.ts'
import { DATA_FILE, LOCK_FILE } from '../store/lmdb-file.ts'
import { otherOwner } from '../store/owner-socket.ts'
import { raiseFences } from '../store/raise-fences.ts'
import { StoreOpenError } from '../store/store.ts'
import { KEY_FILE, readKeyFile, SigningKeysError } from '../tokens/key-file.ts'
import { copyFile, type Manifest, readManifest } from './manifest.ts'
import { type Outcome, outcomeOf, Refused } from './outcome.ts'
import { alone, foreignName, type Made, proveRoom, removeEmpty, removeFiles } from './target.ts'

const MADE: Made = {
  lock: 'restore.lock',
  mark: UNFINISHED_RESTORE,
  files: [DATA_FILE, LOCK_FILE, KEY_FILE],
}

/**
 * Makes a data directory out of a backup: `path` must be absent or empty, or what an earlier attempt has left
 * unfinished, and no gateway may run there. Every file is compared with the manifest and judged as at a start. Until all
 * of it is on the disk there is a mark that no gateway starts beside; where it fails, nothing stays.
 *
 * Fences go on far above all that can have been given out since: nothing that began before the restore settles after it.
 */
export async function restore(from: string, path: string): Promise<Outcome<{ readonly manifest: Manifest }>> {
  const manifest = readManifest(from)
  if (typeof manifest === 'string') return { ok: false, message: `${from} ${manifest}` }
  const into = resolve(path)
  const wasThere = existsSync(into)
  try {
    makeDirectory(into, 0o700)
    await judge(into)
    await alone(into, MADE, () => restoreInto(from, into, manifest))
    return { ok: true, manifest }
  } catch (cause) {
    if (!wasThere) removeEmpty(into)
    return outcomeOf(cause, into)
  }
}

async function restoreInto(from: string, into: string, manifest: Manifest): Promise<void> {
  const mark = join(into, MADE.mark)
  const wasBegun = existsSync(mark)
  // Before the last look: a gateway that starts opens its socket first and looks for this next.
  writeFileSync(mark, '', { mode: 0o600 })
  syncDirectory(into)
  let isOurs = false
  try {
    await judge(into, wasBegun)
    isOurs = true
    await write(from, into, manifest)
    rmSync(mark)
    syncDirectory(into)
  } catch (cause) {
    if (isOurs) removeFiles(into, MADE)
    if (isOurs || !wasBegun) rmSync(mark, { force: true })
    throw cause
  }
}

/** Nothing is written over but what a restore has left unfinished, and no gateway is there. */
async function judge(into: string, wasBegun = existsSync(join(into, MADE.mark))): Promise<void> {
  const pid = await otherOwner(into, '')
  if (pid !== undefined)
    throw new Refused(`process ${pid} runs on ${into}; stop it, and move that directory away`)
  const foreign = foreignName(into, MADE, wasBegun)
  if (foreign !== undefined)
    throw new Refused(`${into} is not empty (${foreign} is there); move it away, or name another store path`)
}

async function write(from: string, into: string, { files }: Manifest): Promise<void> {
  removeFiles(into, MADE)
  proveRoom(
    into,
    files.reduce((sum, { bytes }) => sum + bytes, 0),
  )
  try {
    for (const file of files) {
      const copied = await copyFile(from, into, file.name)
      if (copied.bytes !== file.bytes || copied.sha256 !== file.sha256)
        throw new Refused(`${join(from, file.name)} is not what was backed up; use another backup`)
    }
    const damage = damageOf(join(into, DATA_FILE))
    if (damage !== undefined) throw new Refused(`${join(from, DATA_FILE)} is damaged: ${damage}`)
    readKeyFile(into)
    await raiseFences(into)
    syncDirectory(into)
    syncDirectory(dirname(into))
  } catch (cause) {
    if (cause instanceof StoreOpenError || cause instanceof SigningKeysError) throw new Refused(cause.message)
    throw cause
  }
}
