import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A directory for one test, with these files in it. */
export function directoryWith(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'sandgate-config-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  return directory
}

/** The one partner of most tests; its key is nobody's. */
export const PARTNERS = `- id: acme
  name: Acme
  tenant: tn_sandbox_acme
  scopes: [accounts:read, payments:write]
  keys: [{ id: key_acme, sha256: ${'a'.repeat(64)} }]
`
