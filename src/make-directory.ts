import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemCode } from './system-error.ts'

/**
 * Makes a directory and those that are missing above it, each with `mode`; one that is there stays as it is. Not by
 * mkdir's own `recursive`, which never ends where the system says that a parent is missing which is there (/proc).
 *
 * @throws the error of the system
 */
export function makeDirectory(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode })
  } catch (cause) {
    const code = systemCode(cause)
    const parent = dirname(path)
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    if (code !== 'ENOENT' || parent === path) throw cause
    makeDirectory(parent, mode)
    make(path, mode)
  }
}

/** Somebody else may have been quicker. */
function make(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (cause) {
    if (systemCode(cause) !== 'EEXIST' || !statSync(path).isDirectory()) throw cause
  }
}
