import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/** What asks a program to end; SIGKILL cannot be passed on. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/**
 * Runs a command with further variables, on the terminal of this process, and resolves with its exit code: 128+n
 * when signal n ended it, 127 when there is no such command, 126 when it may not be run, as shells have it.
 *
 * While it runs, signals are passed on and do not end this process, which has something to finish afterwards. `onSignal`:
 * somebody has asked for the end, whatever code the command then ends with.
 */
export function runChild(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  onSignal: () => void = () => {},
): Promise<number> {
  const [command = '', ...args] = argv
  return new Promise((resolve) => {
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: 'inherit' })
    const passOn = (signal: NodeJS.Signals) => {
      onSignal()
      // A terminal sends ^C and ^\ to every process of the group: a second one would cut its clean-up short.
      if (process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT')) return
      child.kill(signal)
    }
    const end = (code: number) => {
      for (const signal of SIGNALS) process.off(signal, passOn)
      resolve(code)
    }
    for (const signal of SIGNALS) process.on(signal, passOn)
    child.on('error', (cause: NodeJS.ErrnoException) => {
      // Also when a signal could not be passed on; then the child still runs, and its exit counts.
      if (child.pid !== undefined) return
      const reason = cause.code === 'ENOENT' ? 'there is no such command' : `it cannot be run (${cause.code})`
      process.stderr.write(`sandgate: ${command}: ${reason}\n`)
      end(cause.code === 'ENOENT' ? 127 : 126)
    })
    // Not `close`: what it left running in the background may hold its output open.
    child.on('exit', (code, signal) => {
      // A signal to the whole group can be behind the end that it has made; it is in the same turn.
      setImmediate(end, code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}
