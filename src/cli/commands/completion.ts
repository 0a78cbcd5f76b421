import { closest } from '../../config/suggest.ts'
import type { Run } from '../command.ts'
import { bashCompletion } from '../completion/bash.ts'
import { fishCompletion } from '../completion/fish.ts'
import { SHELLS } from '../completion/shells.ts'
import { completedCommands } from '../completion/words.ts'
import { zshCompletion } from '../completion/zsh.ts'
import { wrongUsage } from '../reporting.ts'

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

/** Prints the completion of one shell, made from the table of commands and the operations. */
export const run: Run = async (invocation, io) => {
  const [name] = invocation.args
  const shell = SHELLS.find((each) => each === name)
  if (shell === undefined) {
    const meant = name === undefined ? undefined : closest(name, SHELLS)
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`
    return wrongUsage(
      invocation,
      io,
      `name a shell: ${SHELLS.join(', ')}${name ? `, not ${name}` : ''}${hint}`,
    )
  }
  io.out(SCRIPTS[shell](completedCommands(invocation.commands)))
  return 'ok'
}
