import { readFileSync } from 'node:fs'
import type { Io } from './command.ts'
import { COMMANDS } from './commands.ts'
import type { Exit } from './exit-codes.ts'
import { parseCommandLine } from './parse.ts'

/** Does what a command line says. `argv` without the program itself. */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<Exit> {
  const parsed = parseCommandLine(argv, COMMANDS)
  switch (parsed.kind) {
    case 'help':
      io.out(`${parsed.text}\n`)
      return 'ok'
    case 'version':
      io.out(`${version()}\n`)
      return 'ok'
    case 'wrong':
      io.err(`${parsed.message}\n`)
      return 'usage'
    case 'run': {
      const { run } = await parsed.invocation.command.load()
      return run(parsed.invocation, io)
    }
  }
}

/** This file is two levels below package.json, in src as in dist. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(text) as { version: unknown }).version)
}
