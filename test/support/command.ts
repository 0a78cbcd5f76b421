import { execFile } from 'node:child_process'
import { join } from 'node:path'

export const COMMAND = join(import.meta.dirname, '../../dist/cli/main.js')

/** With TEST_AS_COMMAND, what could run in the tests' process is the command that ships as well: CI asks it once more so. */
export const isAlwaysCommand = () => process.env.TEST_AS_COMMAND === '1'

export type Finished = { readonly code: number; readonly out: string; readonly err: string }

/** Settings of whoever runs the tests must not reach what is tested. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SANDGATE_')))
}

/** The environment as it is on a desk: where CI is set, a recording that is absent is not made. */
export function environmentOfADesk(): NodeJS.ProcessEnv {
  const { CI: _ci, ...rest } = cleanEnvironment()
  return rest
}

/** Runs the command that ships, in a directory and without the settings of whoever runs the tests. */
export function sandgate(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [COMMAND, ...args],
      { cwd, env: { ...cleanEnvironment(), ...env } },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve({ code, out, err })
      },
    )
  })
}
