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

/**
 * The last ones, by their length and SHA-256: a client that tries again sends the same bytes, and what is forwarded at a
 * miss was looked for before. In the memory alone, where the bodies themselves have been. The thread of a recording loads
 * no package for it.
 */
const lately = new Map<string, string>()
const LATELY = 16

/** The same of a body that has passed in pieces: its length, and the SHA-256 of its bytes. */
export function digestText(length: number, sha256: Uint8Array): string {
  const name = `${length} ${Buffer.from(sha256).toString('base64url')}`
  const known = lately.get(name)
  if (known !== undefined) return known
  const digest = scryptSync(sha256, `sandgate body ${length}`, 24, COST).toString('base64url')
  const text = `a body of ${length} bytes, scrypt ${digest}`
  const [oldest] = lately.keys()
  if (lately.size === LATELY && oldest !== undefined) lately.delete(oldest)
  lately.set(name, text)
  return text
}

/** Whether a body is what stands for another one. */
export function isDigestText(body: Uint8Array): boolean {
  return (
    body.length < 128 && /^a body of \d+ bytes, scrypt [\w-]{32}$/.test(Buffer.from(body).toString('latin1'))
  )
}
