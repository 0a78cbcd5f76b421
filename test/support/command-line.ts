import { runCommandLine } from '../../src/cli/command-line.ts'
import { exitCode } from '../../src/cli/exit-codes.ts'
import type { Finished } from './command.ts'

/**
 * Runs a command line in this process, which spares the start of one. In a directory that is named it runs alone, since
 * a process has one working directory.
 */
export async function runHere(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  directory = '.',
): Promise<Finished> {
  let [out, err] = ['', '']
  const io = {
    out: (text: string) => {
      out += text
    },
    err: (text: string) => {
      err += text
    },
    env,
  }
  const home = process.cwd()
  process.chdir(directory)
  try {
    return { code: exitCode(await runCommandLine(argv, io)), out, err }
  } finally {
    process.chdir(home)
  }
}
