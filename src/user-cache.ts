import { lstatSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { makeDirectory } from './make-directory.ts'

/**
 * A directory of this user's for what can be made anew, such as `~/.cache/sandgate/NAME`; it is made, for this user
 * alone. Undefined where there is none, or where anybody else could have put something into it.
 */
export function userCache(name: string): string | undefined {
  try {
    const directory = join(cacheHome(), 'sandgate', name)
    makeDirectory(directory, 0o700)
    return isOurs(directory) ? directory : undefined
  } catch {
    return undefined
  }
}

/** Where each system keeps such things; the XDG Base Directory Specification on those that have no place of their own. */
function cacheHome(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env
  if (process.platform === 'win32') return LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local')
  if (XDG_CACHE_HOME?.startsWith('/')) return XDG_CACHE_HOME
  return process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache')
}

/** Whether it belongs to this user and nobody else can write or read it; a link does not count. */
export function isOurs(path: string): boolean {
  const found = lstatSync(path)
  const me = process.getuid?.()
  if (found.isSymbolicLink()) return false
  return me === undefined || (found.uid === me && (found.mode & 0o077) === 0)
}
