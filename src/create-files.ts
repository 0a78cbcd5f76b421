import { closeSync, fsyncSync, linkSync, lstatSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeLock } from './file-lock.ts'
import { syncDirectory } from './replace-file.ts'
import { systemCode } from './system-error.ts'

export type NewFile = { readonly name: string; readonly text: string }

/** What would have been overwritten; nothing was changed. */
export class FileExists extends Error {
  override readonly name = 'FileExists'
  readonly path: string

  constructor(path: string) {
    super(`${path} exists`)
    this.path = path
  }
}

/**
 * Creates files in a directory that is there: all of them or none, whole and on the disk, for this user alone, and
 * over nothing. `last` is there only when everything is. Whatever an interrupted attempt has left is known by its
 * second name, and the next attempt takes it away.
 *
 * @throws FileExists, LockHeld (file-lock.ts) while another process does the same, or the error of the system
 */
export function createFiles(directory: string, others: readonly NewFile[], last: NewFile): void {
  const release = takeLock(join(directory, `.${last.name}.lock`))
  try {
    const files = [...others, last].map(({ name, text }) => ({
      text,
      path: join(directory, name),
      second: join(directory, `.${name}.new`),
    }))
    clear(files)
    try {
      for (const { second, text } of files) write(second, text)
      syncDirectory(directory)
      for (const { second, path } of files) {
        // A link is made over nothing, not even over a link that leads nowhere.
        link(second, path)
        syncDirectory(directory)
      }
    } catch (cause) {
      for (const { path, second } of files) if (isSame(path, second)) rmSync(path)
      for (const { second } of files) rmSync(second, { force: true })
      throw cause
    }
    for (const { second } of files) rmSync(second, { force: true })
  } finally {
    release()
  }
}

type Staged = { readonly path: string; readonly second: string }

/** Throws when one of the files is there, unless an attempt that did not come to its end has put it there. */
function clear(files: readonly Staged[]): void {
  const whole = files.every(({ path }) => isThere(path))
  for (const { path, second } of files) {
    if (!whole && isSame(path, second)) rmSync(path)
    rmSync(second, { force: true })
  }
  const found = files.findLast(({ path }) => isThere(path))
  if (found) throw new FileExists(found.path)
}

function link(second: string, path: string): void {
  try {
    linkSync(second, path)
  } catch (cause) {
    throw systemCode(cause) === 'EEXIST' ? new FileExists(path) : cause
  }
}

function write(path: string, text: string): void {
  const fd = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => lstatSync(path, { throwIfNoEntry: false, bigint: true }))
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev
}
