import { existsSync } from 'node:fs'
import { cassettePaths } from '../cassettes/file/paths.ts'

export const RECORD_MODES = ['none', 'once', 'new_episodes', 'all'] as const
export type RecordMode = (typeof RECORD_MODES)[number]

/** Whether this run says that it is one of a CI; some set the variable to say that it is not. */
export function isCi({ CI }: Readonly<Record<string, string | undefined>>): boolean {
  return CI !== undefined && !['', '0', 'false', 'no', 'off'].includes(CI.trim().toLowerCase())
}

export function defaultMode(env: Readonly<Record<string, string | undefined>>): RecordMode {
  return isCi(env) ? 'none' : 'once'
}

/** `continue`: replays what the cassette knows, and records the rest. */
export type Doing = 'record' | 'replay' | 'continue'

export function doingOf(mode: RecordMode, out: string): Doing {
  if (mode === 'all') return 'record'
  if (mode === 'none') return 'replay'
  if (!existsSync(cassettePaths(out).har)) return 'record'
  return mode === 'once' ? 'replay' : 'continue'
}
