import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { replaceFileSync, writeAllSync } from '../replace-file.ts'
import { DATA_FILE, readMeta } from './lmdb-file.ts'

/** What a clean stop leaves beside the data file. */
export const SEAL_FILE = 'data.seal'

/** More than the clock of any file system stands still. */
const TICK_MS = 12
const ATTEMPTS = 5

/** Writes what the data file is, now that its owner has let go of it. No later owner has to take that away: each writes. */
export async function seal(directory: string): Promise<void> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS && !isSealed(directory); attempt++) {
      const mark = Buffer.from(markOf(join(directory, DATA_FILE)))
      replaceFileSync(join(directory, SEAL_FILE), (fd) => writeAllSync(fd, mark, 0), 0o600)
      if (!isSealed(directory)) await sleep(TICK_MS)
    }
  } catch {
    // The next start looks the file through.
  }
}

/**
 * Whether the data file is the one that its owner let go of, untouched since. A copy, a restored or a changed file is
 * not, whatever times it was given; nor is one that was changed within the tick of the clock in which it was sealed.
 */
export function isSealed(directory: string): boolean {
  const path = join(directory, DATA_FILE)
  const sealPath = join(directory, SEAL_FILE)
  try {
    const sealed = statSync(sealPath, { bigint: true })
    if (statSync(path, { bigint: true }).ctimeNs >= sealed.mtimeNs) return false
    return readFileSync(sealPath, 'utf8') === markOf(path)
  } catch {
    return false
  }
}

/** The transaction as well: after a power cut the times on the disk may be older than what is in the file. */
function markOf(path: string): string {
  const descriptor = openSync(path, 'r')
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = fstatSync(descriptor, { bigint: true })
    const { transaction } = readMeta(descriptor, Number(size))
    return `${[dev, ino, size, mtimeNs, ctimeNs, transaction].join(' ')}\n`
  } finally {
    closeSync(descriptor)
  }
}
