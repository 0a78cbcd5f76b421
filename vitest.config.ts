import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { EFFORT, TEST_MS, WAIT_MS } from './test/support/effort.ts'
import { NOT_QUICK } from './test/support/quick.ts'

export default defineConfig({
  test: {
    include: EFFORT === 'soak' ? longForms() : ['test/**/*.test.ts'],
    exclude: EFFORT === 'quick' ? Object.values(NOT_QUICK).flatMap((paths) => paths.flatMap(both)) : [],
    globalSetup: ['test/support/build.ts'],
    setupFiles: ['test/support/clean-up.ts'],
    pool: 'forks',
    isolate: false,
    // One more than the two cores that are promised: some tests wait for time that only passes.
    maxWorkers: 3,
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    expect: { poll: { timeout: WAIT_MS, interval: 20 } },
  },
})

/** The tests that have a long form: properties, and what reads from effort.ts how much it does. */
function longForms(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .filter((path) => /fc\.assert\(|\w+_KILLS|HOSTILE_REQUESTS/.test(readFileSync(path, 'utf8')))
}

/** A file, or everything in a folder. */
function both(path: string): string[] {
  return [path, `${path}/**`]
}
