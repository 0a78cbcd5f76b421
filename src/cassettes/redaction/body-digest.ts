import { createHash, scryptSync } from 'node:crypto'

/** scrypt with 16 MiB of memory: about 40 ms, and only for a body that nobody can look into. */
const COST = { N: 16384, r: 8, p: 1 } as const

/**
 * What stands in a cassette for a body that is beyond what is looked through: its length, and a digest by which the same
 * bytes are known again. A short body of which all but a phone number is known could be guessed from a quick digest, so
 * it is a slow one.
 */
export function bodyDigest(body: Uint8Array): string {
  return digestText(body.length, createHash('sha256').update(body).digest())
}

/** The digest alone. */
export function shortDigest(bytes: Uint8Array): string {
  return bodyDigest(bytes).slice(-32)
}

/** The same of a body that has passed in pieces: its length, and the SHA-256 of its bytes. */
export function digestText(length: number, sha256: Uint8Array): string {
  const digest = scryptSync(sha256, `sandgate body ${length}`, 24, COST)
  return `a body of ${length} bytes, scrypt ${digest.toString('base64url')}`
}

/** Whether a body is what stands for another one. */
export function isDigestText(body: Uint8Array): boolean {
  return (
    body.length < 128 && /^a body of \d+ bytes, scrypt [\w-]{32}$/.test(Buffer.from(body).toString('latin1'))
  )
}
