import { execFile } from 'node:child_process'
import { COMMAND, environmentOfADesk } from '../support/command.ts'
import { WAIT_MS } from '../support/effort.ts'

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
