import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMAND, environmentOfADesk } from '../support/command.ts'
import { runHere } from '../support/command-line.ts'
import { WAIT_MS } from '../support/effort.ts'
import { temporaryDirectory } from '../support/gateway.ts'

export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs `sandgate record`, behind another program when `by` names one. */
export function sandgateRecord(
  args: readonly string[],
  { env = {}, by = [] }: { env?: Readonly<Record<string, string>>; by?: readonly string[] } = {},
): Promise<Ended> {
  const [program = '', ...argv] = [...by, process.execPath, COMMAND, 'record', ...args]
  return new Promise((resolve) => {
    execFile(
      program,
      argv,
      { env: { ...environmentOfADesk(), ...env }, timeout: WAIT_MS },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

/**
 * Runs `sandgate record` in this process, which spares the start of one; the command behind `--` is a process as ever,
 * and what it prints follows what the recorder prints.
 */
export async function recordHere(
  args: readonly string[],
  { env = {} }: { env?: Readonly<Record<string, string>> } = {},
): Promise<Ended> {
  const printed = join(temporaryDirectory('record'), 'printed.txt')
  const at = args.indexOf('--')
  const child = at < 0 ? [] : ['--', 'sh', '-c', `exec "$@" > '${printed}'`, 'sh', ...args.slice(at + 1)]
  const options = at < 0 ? args : args.slice(0, at)
  const { code, out, err } = await runHere(['record', ...options, ...child], {
    ...environmentOfADesk(),
    ...env,
  })
  return { code, stdout: out + (existsSync(printed) ? readFileSync(printed, 'utf8') : ''), stderr: err }
}

/** A partner's tests: each request in turn, a POST for what begins with a bang; prints what came of them. */
export function requesting(...paths: string[]): string[] {
  const post = `-X POST -H 'content-type: application/json' -d '{"amount":10.00}'`
  // curl, because a Node.js of its own for each takes longer to start than what it asks for.
  const lines = paths.map((path) => {
    const url = `"$SANDGATE_URL"'${path.replace('!', '')}'`
    return `curl -gsS -o /dev/null -w '%{http_code}\\n' ${path.startsWith('!') ? post : ''} ${url}`
  })
  return ['sh', '-ec', lines.join('\n')]
}
