import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { systemCode } from './system-error.ts'

type Holder = {
  readonly pid: number
  readonly host: string
  /** When the process started, as the kernel counts; a pid alone is used again. Undefined where it cannot be read. */
  readonly started?: string
  readonly mark: string
}

/** Somebody who lives holds the lock. `isHere`: on this machine, so that nobody has to wonder whether it lives. */
export class LockHeld extends Error {
  override readonly name = 'LockHeld'
  /** `process 42`, or `process 42 on another-host`. */
  readonly holder: string
  readonly isHere: boolean

  constructor({ pid, host }: Holder) {
    const isHere = host === hostname()
    const holder = isHere ? `process ${pid}` : `process ${pid} on ${host}`
    super(`${holder} holds it`)
    this.holder = holder
    this.isHere = isHere
  }
}

/** Locks of this process, which a second taker in it must respect like anybody else's. */
const held = new Set<string>()

/**
 * Makes this process the only holder of a lock file; returns what gives it up again. The lock of a dead process is
 * taken over.
 *
 * @throws LockHeld, or the error of the system when the lock cannot be written
 */
export function takeLock(path: string): () => void {
  const mark = randomBytes(8).toString('hex')
  const mine = `${path}.${mark}`
  const started = startOf(process.pid)
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    mark,
    ...(started !== undefined && { started }),
  }
  try {
    // A link appears with its content: nobody can read a lock that is still being written.
    writeFileSync(mine, JSON.stringify(holder), { flag: 'wx', mode: 0o600 })
    for (let tries = 0; !linked(mine, path); tries++) {
      const seen = readHolder(path)
      if (seen !== undefined && (tries > 20 || lives(seen))) throw new LockHeld(seen)
      takeAway(path, `${mine}.stale`, seen?.mark)
    }
  } finally {
    rmSync(mine, { force: true })
  }
  held.add(mark)
  return () => {
    if (!held.delete(mark) || readHolder(path)?.mark !== mark) return
    try {
      rmSync(path, { force: true })
    } catch {
      // The directory cannot be written any more. The lock that stays is taken over like that of a dead process.
    }
  }
}

const PAUSE_MS = 20

/** The same, waiting for whoever holds it: at most `patienceMs`. Rejects like takeLock throws. */
export async function waitForLock(path: string, patienceMs: number): Promise<() => void> {
  for (const deadline = performance.now() + patienceMs; ; ) {
    try {
      return takeLock(path)
    } catch (cause) {
      if (!(cause instanceof LockHeld) || performance.now() > deadline) throw cause
    }
    // Not in step with the others who wait.
    await new Promise((next) => setTimeout(next, PAUSE_MS * (0.5 + Math.random())))
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (cause) {
    if (systemCode(cause) === 'EEXIST') return false
    throw cause
  }
}

/** Removes a dead lock. Of several processes that see it one moves it; whoever has moved a newer one links it back. */
function takeAway(path: string, aside: string, mark: string | undefined): void {
  try {
    renameSync(path, aside)
    if (readHolder(aside)?.mark !== mark) linked(aside, path)
    rmSync(aside, { force: true })
  } catch (cause) {
    if (systemCode(cause) !== 'ENOENT') throw cause
  }
}

function readHolder(path: string): Holder | undefined {
  try {
    const { pid, host, started, mark } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder>
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof mark !== 'string') return undefined
    return { pid, host, mark, ...(typeof started === 'string' && { started }) }
  } catch {
    return undefined
  }
}

function lives({ pid, host, started, mark }: Holder): boolean {
  // A process of another machine cannot be asked, so it counts as alive.
  if (host !== hostname()) return true
  if (pid === process.pid) return held.has(mark)
  try {
    process.kill(pid, 0)
  } catch (cause) {
    if (systemCode(cause) === 'ESRCH') return false
  }
  const now = startOf(pid)
  return started === undefined || now === undefined || started === now
}

/** Field 22 of /proc/PID/stat; the name in field 2 may hold spaces and brackets. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
