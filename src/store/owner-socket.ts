import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, constants, openSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { systemCode } from '../system-error.ts'
import { StoreOpenError } from './store.ts'

/**
 * The socket that a process opens in a data directory. It shows that the process lives, and whoever may use the
 * directory can talk to the gateway through it: the socket is its owner's alone, as everything in the directory is.
 */
export const SOCKET_NAME = /^owner-(\d+)-[0-9a-f]{16}\.sock$/

/** The kernel's bound is 107 bytes on Linux, 103 on macOS. */
const MAX_SOCKET_PATH = 100

/** A socket of this process in the directory, listening before anybody can read its name. */
export type Beacon = { readonly name: string; close(): Promise<void> }

/** `onConnection` gets who connects; by default nobody is listened to. */
export async function lightBeacon(
  directory: string,
  onConnection: (socket: Socket) => void = (socket) => socket.destroy(),
): Promise<Beacon> {
  const name = `owner-${process.pid}-${randomBytes(8).toString('hex')}.sock`
  const reach = reachable(directory)
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    // Like the server: it must not be what keeps the process alive.
    socket.unref()
    onConnection(socket)
  })
  try {
    await listen(server, reach.path(name))
    chmodSync(join(directory, name), 0o600)
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
        for (const socket of open) socket.destroy()
      }),
  }
}

/** Only a refused connection and a missing socket prove that nobody is there; any doubt counts as an owner. */
export function answers(directory: string, name: string): Promise<boolean> {
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

/** The process that answers at a socket in the directory, other than at `own`; undefined when nobody does. */
export async function otherOwner(directory: string, own: string): Promise<number | undefined> {
  for (const name of readdirSync(directory)) {
    const pid = SOCKET_NAME.exec(name)?.[1]
    if (pid !== undefined && name !== own && (await answers(directory, name))) return Number(pid)
  }
  return undefined
}

export function inUse(directory: string, pid: number): StoreOpenError {
  return new StoreOpenError(
    'in-use',
    `${directory} is in use by process ${pid}. Stop that process, or give this one another store path.`,
  )
}

/** Lends the paths of the sockets that stand in a directory, dead ones included, while `use` runs. */
export async function withSockets<T>(
  directory: string,
  use: (paths: readonly string[]) => Promise<T>,
): Promise<T> {
  const reach = reachable(directory)
  try {
    const names = readdirSync(directory).filter((name) => SOCKET_NAME.test(name))
    return await use(names.map(reach.path))
  } finally {
    reach.done()
  }
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
