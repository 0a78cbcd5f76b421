import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { median } from './rounds.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PORT = 18_080
const GIVE_UP_MS = 10_000

/** From the start of the process to its first answer, in milliseconds: the median of several fresh starts. */
export async function startUpMedianMs(starts: number): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < starts; i++) times.push(await oneStart())
  return median(times)
}

async function oneStart(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'sandgate-start-'))
  const startedAt = performance.now()
  const args = [
    'dist/cli/main.js',
    'serve',
    '--port',
    String(PORT),
    '--operator-port',
    '0',
    '--data',
    directory,
  ]
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'ignore' })
  try {
    while (performance.now() - startedAt < GIVE_UP_MS) {
      const answered = await fetch(`http://127.0.0.1:${PORT}/v1/score`).then(
        (response) => response.status === 401,
        () => false,
      )
      if (answered) return performance.now() - startedAt
      await new Promise((next) => setTimeout(next, 2))
    }
    throw new Error('the gateway did not answer')
  } finally {
    const gone = new Promise((next) => child.once('exit', next))
    child.kill('SIGTERM')
    await gone
    rmSync(directory, { recursive: true, force: true })
  }
}
