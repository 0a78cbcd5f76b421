import { rmSync } from 'node:fs'
import { afterAll, vi } from 'vitest'
import { EFFORT, runs } from './effort.ts'
import { directories, running } from './leftovers.ts'

// A set-up file, because files of tests share their modules: no process, no directory, no false clock and no stub
// outlives its file.
afterAll(async () => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  await Promise.all([...running].map((gateway) => gateway.kill()))
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  running.clear()
  directories.clear()
})

if (EFFORT === 'soak') {
  const { configureGlobal } = await import('fast-check')
  configureGlobal({ numRuns: runs(100) })
}
