import { CassetteError } from '../cassettes/cassette-error.ts'
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
    io.err(printable(`sandgate ${command.name}: ${cause.message}\n`))
    return 'cassette'
  }
}

export function wrongUsage({ command }: Invocation, io: Io, message: string): 'usage' {
  io.err(printable(`sandgate ${command.name}: ${message}\n`))
  return 'usage'
}

/** What was recorded cannot steer the terminal: control characters and direction marks as escapes. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    if (character === '\n') return character
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
}
