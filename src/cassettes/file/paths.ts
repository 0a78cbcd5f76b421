import { chmodSync, existsSync, readlinkSync, realpathSync, renameSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** The files that belong to one cassette. */
export type CassettePaths = {
  readonly har: string
  readonly journal: string
  readonly lock: string
  /** Where a recording goes that must not take the place of the finished cassette. */
  readonly partial: string
}

/** From `name.har`, `name.cassette.jsonl` or `name`. */
export function cassettePaths(path: string): CassettePaths {
  const name = basename(path).replace(/\.har$|\.cassette\.jsonl$/, '')
  const at = (file: string) => join(dirname(path), file)
  return {
    har: at(`${name}.har`),
    journal: at(`${name}.cassette.jsonl`),
    lock: at(`${name}.cassette.lock`),
    partial: at(`${name}.partial.har`),
  }
}

/**
 * Moves a journal out of the way, readable by its owner alone: `quarantine` when it would have leaked a secret,
 * `incomplete` when it lacks exchanges, `replaced` when it was to take the place of a cassette that is now gone on with.
 * What was set aside before is kept.
 */
export function setAside(journal: string, why: 'quarantine' | 'incomplete' | 'replaced'): string | undefined {
  if (!existsSync(journal)) return undefined
  const base = journal.replace(/\.jsonl$/, `.${why}`)
  let aside = `${base}.jsonl`
  for (let n = 2; existsSync(aside); n++) aside = `${base}-${n}.jsonl`
  renameSync(journal, aside)
  chmodSync(aside, 0o600)
  return aside
}

const MOST_LINKS = 40

/** The file that a path leads to: a symbolic link is followed, also one whose file is not there yet. @throws ELOOP */
export function followedPath(path: string): string {
  let at = path
  for (let links = 0; links < MOST_LINKS; links++) {
    if (existsSync(at)) return realpathSync(at)
    const to = linkOf(at)
    if (to === undefined) return at
    // What a link says is meant from where it really stands.
    const directory = dirname(at)
    at = resolve(existsSync(directory) ? realpathSync(directory) : directory, to)
  }
  throw Object.assign(new Error(`${path} leads from link to link`), { code: 'ELOOP' })
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
