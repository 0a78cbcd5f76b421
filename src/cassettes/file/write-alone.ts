import { dirname } from 'node:path'
import { makeDirectory } from '../../make-directory.ts'
import { unwritable } from '../cassette-error.ts'
import { acquireLock } from './lock.ts'
import { cassettePaths } from './paths.ts'

/**
 * Does what writes a cassette while nobody else does, a recorder included: that one would write over it at its end.
 *
 * @throws CassetteError `busy` or `unwritable`
 */
export function writeAlone<T>(path: string, work: () => T): T {
  try {
    makeDirectory(dirname(path))
  } catch (cause) {
    throw unwritable(path, cause, 'its directory cannot be made')
  }
  const release = acquireLock(cassettePaths(path).lock)
  try {
    return work()
  } finally {
    release()
  }
}
