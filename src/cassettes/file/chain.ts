import { createHash } from 'node:crypto'

/**
 * The hash of a line or entry together with that of the one before, which makes damage and edits show. 128 bits:
 * enough that none goes unseen, short enough to read past.
 */
export function chainHash(line: string | Uint8Array): string {
  return createHash('sha256').update(line).digest('hex').slice(0, 32)
}
