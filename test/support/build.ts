import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { controllableClock } from '../../src/clock.ts'
import { createSigningKeys } from '../../src/tokens/signing-keys.ts'

const ROOT = join(import.meta.dirname, '../..')
const COMMAND = join(ROOT, 'dist/cli/main.js')

declare module 'vitest' {
  interface ProvidedContext {
    /** The file of a data directory's signing key, made once; another one for the gateway behind a first one. */
    signingKeys: { readonly front: string; readonly behind: string }
  }
}

/** Vitest's global set-up: what all files of tests need once. */
export default async function setUp(project: TestProject): Promise<void> {
  build()
  const [front, behind] = await Promise.all([signingKeys(), signingKeys()])
  project.provide('signingKeys', { front, behind })
}

async function signingKeys(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'sandgate-keys-'))
  try {
    await createSigningKeys({
      directory,
      clock: controllableClock(),
      lifetimeSeconds: 3600,
      publishSeconds: 0,
    }).active()
    return readFileSync(join(directory, 'signing-keys.json'), 'utf8')
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/**
 * The tests of the contract run the command that ships, so it has to be what src says.
 * `npm test` has built it already; a single file run by hand builds it when it is missing or older.
 */
function build(): void {
  if (existsSync(COMMAND) && builtAt() > newest(join(ROOT, 'src'))) return
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, encoding: 'utf8' })
}

function builtAt(): number {
  return newest(join(ROOT, 'dist'))
}

/** When the youngest file below a directory was written. */
function newest(directory: string): number {
  return Math.max(
    0,
    ...readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  )
}
