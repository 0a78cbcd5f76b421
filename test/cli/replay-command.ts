import { execFile } from 'node:child_process'
import { COMMAND, type Ended } from '../recorder/command.ts'
import { WAIT_MS } from '../support/effort.ts'

/** Runs `sandgate replay`, from a directory where nothing is configured when it is given. */
export function sandgateReplay(args: readonly string[], cwd?: string): Promise<Ended> {
  const { CI: _ci, ...env } = process.env
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [COMMAND, 'replay', ...args],
      { env, timeout: WAIT_MS, ...(cwd !== undefined && { cwd }) },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}
