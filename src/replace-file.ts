import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Replaces a file so that after a crash either the old or the new one is there, whole and on the disk: a temporary
 * file in the same directory, flush, rename, flush of the directory. Whatever goes wrong before the rename, the old
 * file stands, and the error of the system is thrown.
 */
export function replaceFileSync(path: string, write: (fd: number) => void, mode = 0o666): void {
  // Not longer than the name itself may be: a long one would only fail here, when everything else is done.
  const name = `.${basename(path).slice(0, 60)}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`
  const temporary = join(dirname(path), name)
  try {
    const fd = openSync(temporary, 'wx', mode)
    try {
      write(fd)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
    syncDirectory(dirname(path))
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cause
  }
}

/**
 * The same without holding up the event loop, for a file of which there is one writer: the name of its temporary file
 * is always the same, so that a crash leaves no second copy of a secret behind that nobody would find.
 */
export async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.tmp`
  try {
    await rm(temporary, { force: true })
    // `wx`: the mode is that of a new file, and a link that somebody left there is not followed.
    const file = await open(temporary, 'wx', mode)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
    const directory = await open(dirname(path), 'r')
    await directory.sync().finally(() => directory.close())
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw cause
  }
}

/** A new name is durable only once its directory is. */
export function syncDirectory(directory: string): void {
  const fd = openSync(directory, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Writes all of `bytes` at `position`; the system may take them in several pieces. */
export function writeAllSync(fd: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, position + at)
}
