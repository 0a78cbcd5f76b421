import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'

/** Directories for a test file's stores, removed after each test. */
export function temporaryDirectories(): () => string {
  const made: string[] = []
  afterEach(() => {
    for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true })
  })
  return () => {
    const path = mkdtempSync(join(tmpdir(), 'sandgate-store-'))
    made.push(path)
    return join(path, 'data')
  }
}
