import { existsSync } from 'node:fs'
import type { Invocation } from './command.ts'

export type OutFile =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly message: string }

/** Where a new cassette goes: named by --out, and not over another one unless --force says so. */
export function outFile({ options }: Invocation): OutFile {
  const { out, force } = options
  if (typeof out !== 'string') return { ok: false, message: 'name the new cassette with --out FILE' }
  if (!out.endsWith('.har'))
    return { ok: false, message: `a finished cassette is a HAR: --out ${out}.har rather than ${out}` }
  if (existsSync(out) && force !== true) return { ok: false, message: `${out} exists; --force replaces it` }
  return { ok: true, path: out }
}
