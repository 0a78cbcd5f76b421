import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { KeyPair } from '../../src/tokens/signing-keys.ts'

/** As many as one set of signing keys asks for in a test. */
const COUNT = 3

const pairs: Promise<KeyPair>[] = []
let taken = 0

/**
 * A pair of keys out of a few that are made once in a process, since making one takes a quarter of a second. The same
 * one comes again after two others.
 */
export function anyKeyPair(): Promise<KeyPair> {
  const nth = taken++ % COUNT
  pairs[nth] ??= promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  return pairs[nth]
}
