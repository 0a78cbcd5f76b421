import { LockHeld, takeLock } from '../../file-lock.ts'
import { CassetteError, unwritable } from '../cassette-error.ts'

/**
 * Makes this process the only recorder of a cassette; returns what gives it up again.
 *
 * @throws CassetteError `busy`
 */
export function acquireLock(path: string): () => void {
  try {
    return takeLock(path)
  } catch (cause) {
    if (!(cause instanceof LockHeld)) throw unwritable(path, cause)
    const hint = cause.isHere ? '' : ' If that is not so, remove this file.'
    throw new CassetteError('busy', path, `${cause.holder} is recording this cassette.${hint}`)
  }
}
