import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type ActiveKey, KEY_FILE, parseKeys } from '../../src/tokens/key-file.ts'

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
  kept ??= parseKeys(inject('signingKeys').front).active
  return kept
}
