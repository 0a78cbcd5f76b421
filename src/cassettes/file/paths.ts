import { chmodSync, existsSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The files that belong to one cassette. */
export type CassettePaths = {
  readonly har: string
  readonly journal: string
  readonly lock: string
}

/** From `name.har`, `name.cassette.jsonl` or `name`. */
export function cassettePaths(path: string): CassettePaths {
  const name = basename(path).replace(/\.har$|\.cassette\.jsonl$/, '')
  const at = (file: string) => join(dirname(path), file)
  return {
    har: at(`${name}.har`),
    journal: at(`${name}.cassette.jsonl`),
    lock: at(`${name}.cassette.lock`),
  }
}

/**
 * Moves a journal out of the way, readable by its owner alone: `quarantine` when it would have leaked a secret,
 * `incomplete` when it lacks exchanges. What was set aside before is kept.
 */
export function setAside(journal: string, why: 'quarantine' | 'incomplete'): string | undefined {
  if (!existsSync(journal)) return undefined
  const base = journal.replace(/\.jsonl$/, `.${why}`)
  let aside = `${base}.jsonl`
  for (let n = 2; existsSync(aside); n++) aside = `${base}-${n}.jsonl`
  renameSync(journal, aside)
  chmodSync(aside, 0o600)
  return aside
}
