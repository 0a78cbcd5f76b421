import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { systemCode } from '../system-error.ts'
import { installationName } from './keyspace.ts'
import type { Lmdb } from './lmdb-backing.ts'
import { StoreOpenError } from './store.ts'

/**
 * LMDB lets several processes open one directory; two gateways over one set of running keys and reservations would
 * each admit what the other has admitted. So a directory has an owner: the process that answers at the socket named
 * in the owner's record. The kernel closes a dead process's socket, so nothing has to be cleaned up after a crash,
 * and no pid or timestamp has to be trusted.
 */

type Owner = { readonly pid: number; readonly socket: string }

const OWNER = Buffer.from(installationName('owner'))
const SOCKET_NAME = /^owner-(\d+)-[0-9a-f]{16}\.sock$/

/** The kernel's bound is 107 bytes on Linux, 103 on macOS. */
const MAX_SOCKET_PATH = 100

/** A socket of this process in the directory, listening before anybody can read its name. */
export type Beacon = { readonly name: string; close(): Promise<void> }

export async function lightBeacon(directory: string): Promise<Beacon> {
  const name = `owner-${process.pid}-${randomBytes(8).toString('hex')}.sock`
  const reach = reachable(directory)
  const server = createServer((socket) => socket.destroy())
  try {
    await listen(server, reach.path(name))
  } catch (cause) {
    reach.done()
    throw cause
  }
  // The socket shows that the process lives; it must not be what keeps it alive.
  server.unref()
  return {
    name,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          reach.done()
          rmSync(join(directory, name), { force: true })
          resolve()
        })
      }),
  }
}

/** Makes the beacon's process the owner, or throws `in-use`. Of several that start at once, exactly one wins. */
export async function claimOwnership(db: Lmdb, directory: string, beacon: Beacon): Promise<void> {
  for (;;) {
    const seen = readOwner(db)
    if (seen !== undefined && (await answers(directory, seen.socket))) {
      throw new StoreOpenError(
        'in-use',
        `${directory} is in use by process ${seen.pid}. Stop that process, or give this one another store path.`,
      )
    }
    // Compare and set under LMDB's write lock, which holds between processes: a starter that saw the same dead owner
    // and was quicker has replaced the record, and is then probed like any other.
    const won = db.transactionSync(() => {
      if (readOwner(db)?.socket !== seen?.socket) return false
      db.putSync(OWNER, Buffer.from(JSON.stringify({ pid: process.pid, socket: beacon.name })))
      return true
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

/** Only a refused connection and a missing socket prove that nobody is there; any doubt counts as an owner. */
function answers(directory: string, name: string): Promise<boolean> {
  const reach = reachable(directory)
  return new Promise((resolve) => {
    const socket = connect(reach.path(name))
    const end = (alive: boolean): void => {
      socket.destroy()
      reach.done()
      resolve(alive)
    }
    socket.once('connect', () => end(true))
    socket.once('error', (error) => {
      const code = systemCode(error)
      end(code !== 'ECONNREFUSED' && code !== 'ENOENT')
    })
  })
}

/** How a socket in the directory is reached although its path may be too long for a socket address. */
function reachable(directory: string): { path: (name: string) => string; done: () => void } {
  const longest = join(directory, `owner-4194304-${'0'.repeat(16)}.sock`)
  if (Buffer.byteLength(longest) <= MAX_SOCKET_PATH)
    return { path: (name) => join(directory, name), done: () => {} }
  if (process.platform !== 'linux') {
    throw new StoreOpenError('unusable', `the path ${directory} is too long for a socket; use a shorter one`)
  }
  const descriptor = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  return {
    path: (name) => `/proc/self/fd/${descriptor}/${name}`,
    done: () => closeSync(descriptor),
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
}
