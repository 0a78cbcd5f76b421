import { spawn } from 'node:child_process'
import { atTheEnd } from './clean-up.ts'
import { ROOT } from './process.ts'

export const GIVE_UP_MS = 30_000

/**
 * From the start of a process to its first right answer, in milliseconds. The process is then stopped. `cwd`: where it
 * runs; by default the project.
 */
export async function firstAnswerMs(
  command: readonly string[],
  isAnswered: () => Promise<boolean>,
  cwd = ROOT,
): Promise<number> {
  const [file = '', ...args] = command
  const startedAt = performance.now()
  const child = spawn(file, args, { cwd, stdio: 'ignore' })
  const kill = atTheEnd(() => child.kill('SIGKILL'))
  const gone = new Promise((next) => child.once('exit', next))
  try {
    while (performance.now() - startedAt < GIVE_UP_MS) {
      if (await isAnswered().catch(() => false)) return performance.now() - startedAt
      await new Promise((next) => setTimeout(next, 2))
    }
    throw new Error(`${command.join(' ')} did not answer`)
  } finally {
    const patience = setTimeout(kill, GIVE_UP_MS)
    child.kill('SIGTERM')
    await gone
    clearTimeout(patience)
    kill()
  }
}
