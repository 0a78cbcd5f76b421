import { readdirSync, rmdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { takeLock } from '../file-lock.ts'
import { Refused, sizeText } from './outcome.ts'

/** What a backup or a restore makes in its directory. */
export type Made = {
  /** Held while it is at work. */
  readonly lock: string
  /** There from the first file on until all of it is there: what is beside it may be written over. */
  readonly mark: string
  /** Its files. */
  readonly files: readonly string[]
}

/** The name of something of anybody else's. `isUnfinished`: the mark of an earlier attempt counts. */
export function foreignName(directory: string, made: Made, isUnfinished: boolean): string | undefined {
  return readdirSync(directory).find((name) => {
    if (name.startsWith(made.lock) || name === made.mark || name === 'lost+found') return false
    return !(isUnfinished && made.files.includes(name))
  })
}

/** Works in the directory alone. @throws LockHeld */
export async function alone<T>(directory: string, { lock }: Made, work: () => Promise<T>): Promise<T> {
  const unlock = takeLock(join(directory, lock))
  try {
    return await work()
  } finally {
    unlock()
  }
}

/** What is not the mark: that goes last, so that what is left is still known to be unfinished. */
export function removeFiles(directory: string, { files }: Made): void {
  for (const name of files) rmSync(join(directory, name), { force: true })
}

/** Removes a directory that has nothing in it. */
export function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // Somebody has put something there, or it was never made.
  }
}

/** `advice`: what to do where there is too little. @throws Refused */
export function proveRoom(directory: string, needed: number, advice = ''): void {
  const { bavail, bsize } = statfsSync(directory)
  if (bavail * bsize < needed)
    throw new Refused(
      `the backup needs ${sizeText(needed)} and ${directory} has ${sizeText(bavail * bsize)}${advice}`,
    )
}
