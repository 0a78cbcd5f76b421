import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { replaceFileSync, writeAllSync } from './replace-file.ts'
import { isOurs, userCache } from './user-cache.ts'

/** Node 22 has a cache of compiled code itself. */
type CompileCache = { readonly enableCompileCache?: (directory: string) => unknown }

/**
 * Loads a CommonJS file as `require` does, from code that an earlier start has compiled, where there is some: see
 * docs/decisions/0049-ready-at-once.md. `use` names what the code is compiled for, since only the functions that were
 * called are kept. The cache is this user's alone; without one, or with one that does not fit, the file is compiled.
 */
export function loadCompiled(path: string, use: string): unknown {
  const directory = process.env.NODE_DISABLE_COMPILE_CACHE ? undefined : userCache(`code-${use}`)
  const require = createRequire(path)
  if (directory === undefined) return require(path)
  const { enableCompileCache } = Module as CompileCache
  if (enableCompileCache !== undefined) {
    enableCompileCache(directory)
    return require(path)
  }
  return loadFrom(join(directory, nameOf(path)), path, require)
}

/** Of each place in which the package is installed the code is kept, for this version of Node. */
function nameOf(path: string): string {
  const place = createHash('sha256').update(path).digest('hex').slice(0, 12)
  return `${process.version}-${process.arch}-${place}`
}

/** How many places: more are seldom in use at a time, and each is a few megabytes. */
const PLACES = 5

function loadFrom(cache: string, path: string, require: NodeJS.Require): unknown {
  // The bundle is ASCII. V8 itself compares no more than its length.
  const source = Module.wrap(readFileSync(path, 'latin1'))
  const { mtimeMs, size } = statSync(path)
  const mark = createHash('sha256').update(`${path} ${mtimeMs} ${size}`).digest()
  const cachedData = readCache(cache, mark)
  const script = new Script(source, { filename: path, ...(cachedData && { cachedData }) })
  if (cachedData === undefined || script.cachedDataRejected)
    process.once('exit', () => writeCache(cache, mark, script))
  const module = { exports: {} }
  script.runInThisContext()(module.exports, require, module, path, dirname(path))
  return module.exports
}

function readCache(cache: string, mark: Buffer): Buffer | undefined {
  try {
    const kept = isOurs(cache) ? readFileSync(cache) : undefined
    return kept?.subarray(0, mark.length).equals(mark) ? kept.subarray(mark.length) : undefined
  } catch {
    return undefined
  }
}

/** A cache that cannot be written is no fault of the program's. */
function writeCache(cache: string, mark: Buffer, script: Script): void {
  try {
    const kept = Buffer.concat([mark, script.createCachedData()])
    replaceFileSync(cache, (fd) => writeAllSync(fd, kept, 0), 0o600)
    const files = readdirSync(dirname(cache), { withFileTypes: true }).filter((entry) => entry.isFile())
    const paths = files.map(({ name }) => join(dirname(cache), name))
    const newestFirst = paths.sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)
    for (const old of newestFirst.slice(PLACES)) rmSync(old, { force: true })
  } catch {
    // The next start compiles again.
  }
}
