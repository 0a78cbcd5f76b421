import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { systemCode } from '../../system-error.ts'
import { CassetteError, unwritable } from '../cassette-error.ts'

type Holder = {
  readonly pid: number
  readonly host: string
  /** When the process started, as the kernel counts; a pid alone is used again. Undefined where it cannot be read. */
  readonly started?: string
  readonly mark: string
}

/** Locks of this process, which a second recorder in it must respect like anybody else's. */
const held = new Set<string>()

/**
 * Makes this process the only recorder of a cassette; returns what gives it up again. The lock of a dead process is
 * taken over.
 *
 * @throws CassetteError `busy`
 */
export function acquireLock(path: string): () => void {
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
      if (seen !== undefined && (tries > 20 || lives(seen))) throw busy(path, seen)
      takeAway(path, `${mine}.stale`, seen?.mark)
    }
  } catch (cause) {
    if (cause instanceof CassetteError) throw cause
    throw unwritable(path, cause)
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

function busy(path: string, { pid, host }: Holder): CassetteError {
  const where = host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`
  const hint = host === hostname() ? '' : ' If that is not so, remove this file.'
  return new CassetteError('busy', path, `${where} is recording this cassette.${hint}`)
}
