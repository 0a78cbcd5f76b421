import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const COMMAND = join(ROOT, 'dist/cli/main.js')

/**
 * Vitest's global setup: the tests of the contract run the command that ships, so it has to be what src says.
 * `npm test` has built it already; a single file run by hand builds it when it is missing or older.
 */
export default function build(): void {
  if (existsSync(COMMAND) && builtAt() > newest(join(ROOT, 'src'))) return
  try {
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, encoding: 'utf8' })
  } catch (error) {
    // The compiler writes its output in spite of type errors, and judging those is the business of `check`.
    if (!existsSync(COMMAND)) throw error
  }
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
