import { execFile } from 'node:child_process'
import { join } from 'node:path'

export const COMMAND = join(import.meta.dirname, '../../dist/cli/main.js')

export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs `sandgate record`, behind another program when `by` names one. */
export function sandgateRecord(
  args: readonly string[],
  { env = {}, by = [] }: { env?: Readonly<Record<string, string>>; by?: readonly string[] } = {},
): Promise<Ended> {
  const { CI: _ci, ...rest } = process.env
  const [program = '', ...argv] = [...by, process.execPath, COMMAND, 'record', ...args]
  return new Promise((resolve) => {
    execFile(program, argv, { env: { ...rest, ...env }, timeout: 25_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

/** A partner's tests: each request in turn, a POST for what begins with a bang; prints what came of them. */
export function requesting(...paths: string[]): string[] {
  const script = `
    const post = { method: 'POST', body: '{"amount":10.00}', headers: { 'content-type': 'application/json' } }
    const ask = (path) => fetch(process.env.SANDGATE_URL + path.replace('!', ''), path.startsWith('!') ? post : {})
    for (const path of ${JSON.stringify(paths)}) {
      const response = await ask(path)
      await response.arrayBuffer()
      console.log(response.status)
    }`
  return [process.execPath, '--input-type=module', '-e', script]
}
