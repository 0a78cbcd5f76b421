import { productVersion } from '../product.ts'
import type { Ending, Io } from './command.ts'
import { COMMANDS } from './command-table.ts'
import { commandHelp } from './commands/help.ts'
import { parseCommandLine } from './parse.ts'

/** Does what a command line says. `argv` without the program itself. */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<Ending> {
  const parsed = parseCommandLine(argv, COMMANDS)
  switch (parsed.kind) {
    case 'help':
      io.out(`${parsed.text}\n`)
      return 'ok'
    case 'help-on': {
      const { helpOn } = await parsed.command.load()
      const ending = helpOn?.(parsed.args, io)
      if (ending !== undefined) return ending
      io.out(`${commandHelp(parsed.command)}\n`)
      return 'ok'
    }
    case 'incomplete':
      io.err(`${parsed.text}\n`)
      return 'usage'
    case 'version':
      io.out(`${productVersion()}\n`)
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
