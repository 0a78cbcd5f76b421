import { existsSync } from 'node:fs'
import { formatConfigErrors } from '../config/errors.ts'
import { loadConfig } from '../config/load.ts'
import type { Io } from './command.ts'

/** Where a configuration is looked for when none is named. */
export const USUAL_FILES = ['config/sandgate.yaml', 'sandgate.yaml']

/** The named file, else null: the built-in defaults, wherever the command is started. */
export function namedFile(named: string | true | undefined): string | null {
  return typeof named === 'string' ? named : null
}

/** The named file, else the first of the usual ones that is there, else null: the built-in defaults. */
export function configFile(named: string | true | undefined): string | null {
  if (typeof named === 'string') return named
  return USUAL_FILES.find((file) => existsSync(file)) ?? null
}

/**
 * The configuration, with the variables of `env` over it; undefined when it has mistakes, which have been told. A
 * command that asks a gateway finds by it the one that `serve` starts in the same directory, with or without a file.
 */
export function readConfig(file: string | null, io: Io, env: Io['env'] = io.env) {
  const result = loadConfig({ file, env })
  if (result.ok) return result
  io.err(`${formatConfigErrors(result.errors)}\n`)
  return undefined
}
