import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '../system-error.ts'
import { installationName } from './keyspace.ts'
import { type Lmdb, writeNow } from './lmdb-backing.ts'
import { answers, type Beacon, inUse, SOCKET_NAME } from './owner-socket.ts'

/**
 * LMDB lets several processes open one directory; two gateways over one set of running keys and reservations would
 * each admit what the other has admitted. So a directory has an owner: the process that answers at the socket named
 * in the owner's record. The kernel closes a dead process's socket, so nothing has to be cleaned up after a crash,
 * and no pid or timestamp has to be trusted.
 */

type Owner = { readonly pid: number; readonly socket: string }

const OWNER = Buffer.from(installationName('owner'))
/** Makes the beacon's process the owner, or throws `in-use`. Of several that start at once, exactly one wins. */
export async function claimOwnership(db: Lmdb, directory: string, beacon: Beacon): Promise<void> {
  for (;;) {
    const seen = readOwner(db)
    if (seen !== undefined && (await answers(directory, seen.socket))) throw inUse(directory, seen.pid)
    // Compare and set under LMDB's write lock, which holds between processes: a starter that saw the same dead owner
    // and was quicker has replaced the record, and is then probed like any other.
    let won = false
    writeNow(db, () => {
      won = readOwner(db)?.socket === seen?.socket
      const owner = Buffer.from(JSON.stringify({ pid: process.pid, socket: beacon.name }))
      return won ? [[OWNER, owner]] : []
    })
    if (won) {
      if (seen !== undefined && SOCKET_NAME.test(seen.socket))
        rmSync(join(directory, seen.socket), { force: true })
      removeStrays(directory, beacon.name)
      return
    }
  }
}

function readOwner(db: Lmdb): Owner | undefined {
  const value = db.getBinary(OWNER)
  return value === undefined ? undefined : (JSON.parse(value.toString()) as Owner)
}

/** Sockets of starters that died between listening and claiming. */
function removeStrays(directory: string, own: string): void {
  for (const name of readdirSync(directory)) {
    const pid = SOCKET_NAME.exec(name)?.[1]
    if (pid !== undefined && name !== own && !isAlive(Number(pid)))
      rmSync(join(directory, name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: alive, and somebody else's.
    return systemCode(error) !== 'ESRCH'
  }
}
