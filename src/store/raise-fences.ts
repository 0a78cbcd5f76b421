import { reserveLockFile } from './data-files.ts'
import { refuseNewerFormat } from './embedded.ts'
import { FENCE_MARK } from './fences.ts'
import { decodeNumber, encodeNumber } from './keyspace.ts'
import { closeLmdb, openLmdb, writeNow } from './lmdb-backing.ts'

/**
 * More than anybody can have given out since a backup: 65536 starts of a gateway, or eight months of 50000 admissions a
 * second. There is room for 8000 restores below 2^53.
 */
const RAISE = 2 ** 40

/**
 * Lets the fences of a directory that nobody uses go on far above those that it knows of. @throws StoreOpenError when a
 * newer version wrote it, or what LMDB throws.
 */
export async function raiseFences(directory: string): Promise<void> {
  reserveLockFile(directory)
  const db = openLmdb(directory)
  try {
    refuseNewerFormat(db, directory)
    const name = Buffer.from(FENCE_MARK)
    const mark = db.getBinary(name)
    const next = (mark === undefined ? 1 : decodeNumber(mark)) + RAISE
    writeNow(db, () => [[name, encodeNumber(Number.POSITIVE_INFINITY, next)]])
  } finally {
    await closeLmdb(db)
  }
}
