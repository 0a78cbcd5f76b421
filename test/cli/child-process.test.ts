import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runChild } from '../../src/cli/child-process.ts'

const node = (script: string) => [process.execPath, '-e', script]
const MODULE = join(import.meta.dirname, '../../dist/cli/child-process.js')

describe('a command that is run', () => {
  it('ends with its own exit code, and has the variables that it was given', async () => {
    const script = 'process.exit(process.env.SANDGATE_URL === "http://x" && process.env.PATH ? 7 : 1)'
    expect(await runChild(node(script), { SANDGATE_URL: 'http://x' })).toBe(7)
  })

  it('that a signal ended has 128 and its number', async () => {
    expect(await runChild(node('process.kill(process.pid, "SIGKILL")'), {})).toBe(137)
  })

  it('that does not exist has 127', async () => {
    expect(await runChild(['/nowhere/command'], {})).toBe(127)
    expect(await runChild(['/'], {})).toBe(126)
  })

  it('gets the signals of the process that runs it, which waits for it', async () => {
    const inner =
      'process.on("SIGTERM", () => process.exit(9)); console.log("up"); setInterval(() => {}, 1e3)'
    const outer = `import(${JSON.stringify(MODULE)}).then(async ({ runChild }) => {
      process.exitCode = await runChild([process.execPath, '-e', ${JSON.stringify(inner)}], {})
    })`
    const parent = spawn(process.execPath, ['-e', outer], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(parent.stdout, 'data')
    parent.kill('SIGTERM')
    expect(await once(parent, 'exit')).toEqual([9, null])
  })
})
