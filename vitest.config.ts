import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'
import { EFFORT, TEST_MS, WAIT_MS } from './test/support/effort.ts'
import { NOT_FORWARDED } from './test/support/not-forwarded.ts'
import { NOT_QUICK } from './test/support/quick.ts'

/** A link to test/contract: see test/support/forwarded.ts. A project of its own would have processes of its own. */
const FORWARDED = 'test/forwarded/**/*.test.ts'

export default defineConfig({
  plugins: [built()],
  resolve: { preserveSymlinks: true },
  test: {
    server: { deps: { external: [/\/dist\/.*\.js$/] } },
    globalSetup: ['test/support/build.ts'],
    setupFiles: ['test/support/clean-up.ts', 'test/support/forwarded.ts'],
    pool: 'forks',
    isolate: false,
    // One more than the two cores that are promised: some tests wait for time that only passes. Four were no faster.
    maxWorkers: 3,
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    expect: { poll: { timeout: WAIT_MS, interval: 20 } },
    include: EFFORT === 'soak' ? [...longForms(), FORWARDED] : ['test/**/*.test.ts'],
    exclude: [
      ...Object.keys(NOT_FORWARDED.files).map((path) => path.replace('/contract/', '/forwarded/')),
      ...(EFFORT === 'quick' ? Object.values(NOT_QUICK).flatMap((paths) => paths.flatMap(both)) : []),
    ],
  },
})

/**
 * A test that imports a module of src gets what the build made of it, which test/support/build.ts keeps up to date: the
 * modules are then Node's to load, and not transformed again in each of the processes that run tests.
 */
function built(): Plugin {
  const src = join(import.meta.dirname, 'src')
  return {
    name: 'built',
    enforce: 'pre',
    resolveId(id, importer) {
      if (importer === undefined || !id.startsWith('.')) return undefined
      const path = resolve(dirname(importer), id)
      if (!path.startsWith(src)) return undefined
      return join(import.meta.dirname, 'dist', relative(src, path)).replace(/\.ts$/, '.js')
    },
  }
}

/** The tests that have a long form: properties, and what reads from effort.ts how much it does. */
function longForms(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .filter((path) =>
      /fc\.assert\(|\w+_KILLS|HOSTILE_REQUESTS|FAULTY_PAYMENTS|FORWARDED_REQUESTS|OVERLOAD_REQUESTS|QUOTA_ROUNDS|STORED_ANSWERS|MANY_PARTNERS|isSoak|EFFORT ===/.test(
        readFileSync(path, 'utf8'),
      ),
    )
}

/** A file, or everything in a folder. */
function both(path: string): string[] {
  return [path, `${path}/**`]
}
