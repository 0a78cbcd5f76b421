import { CassetteError } from '../cassettes/cassette-error.ts'
import { printable } from '../terminal.ts'
import type { Ending, Invocation, Io } from './command.ts'

/** Says what is wrong with a cassette instead of throwing it. */
export async function reportingCassettes(
  { command }: Invocation,
  io: Io,
  work: () => Ending | Promise<Ending>,
): Promise<Ending> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof CassetteError)) throw cause
    io.err(printableLines(`sandgate ${command.name}: ${cause.message}\n`))
    return 'cassette'
  }
}

export function wrongUsage({ command }: Invocation, io: Io, message: string): 'usage' {
  io.err(printableLines(`sandgate ${command.name}: ${message}\n`))
  return 'usage'
}

/** Lines for a terminal: what was recorded cannot steer it. */
export function printableLines(text: string): string {
  return printable(text, '\n')
}
