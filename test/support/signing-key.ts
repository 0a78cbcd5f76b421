import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type ActiveKey, KEY_FILE, readKeyFile } from '../../src/tokens/key-file.ts'

/**
 * Puts a signing key that was made for all tests into a data directory, which it makes where there is none: making a key
 * is a third of a first start. A gateway behind another one has its own, or it could mistake the other's tokens for those that it signed.
 */
export function keepSigningKey(directory: string, whose: 'front' | 'behind' = 'front'): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(join(directory, KEY_FILE), inject('signingKeys')[whose], { mode: 0o600 })
}

let kept: ActiveKey | undefined

/** The same for a gateway in this process that keeps nothing: its first key. */
export async function keptSigningKey(): Promise<ActiveKey> {
  if (kept) return kept
  const directory = mkdtempSync(join(tmpdir(), 'sandgate-key-'))
  keepSigningKey(directory)
  kept = readKeyFile(directory)?.active
  rmSync(directory, { recursive: true })
  if (!kept) throw new Error('the key that was made for all tests is not there')
  return kept
}
