import { execFile } from 'node:child_process'
import { join } from 'node:path'

export const COMMAND = join(import.meta.dirname, '../../dist/cli/main.js')

export type Finished = { readonly code: number; readonly out: string; readonly err: string }

/** Runs the command that ships, in a directory and without the settings of whoever runs the tests. */
export function sandgate(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith('SANDGATE_'))
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [COMMAND, ...args],
      { cwd, env: { ...Object.fromEntries(clean), ...env } },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve({ code, out, err })
      },
    )
  })
}
