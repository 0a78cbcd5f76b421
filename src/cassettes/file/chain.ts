import { createHash } from 'node:crypto'

/**
 * The hash of a line or entry together with that of the one before, which makes damage and edits show. 128 bits:
 * enough that none goes unseen, short enough to read past.
 */
export function chainHash(...pieces: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest('hex').slice(0, 32)
}
