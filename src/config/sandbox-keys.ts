import { createHash, randomBytes } from 'node:crypto'

/** Published, so that the shipped demo partner works at once; a gateway beyond loopback refuses to run with it. */
export const DEMO_KEY = 'sk_sandbox_demo_key_for_local_use_only'

/** A new sandbox key. `secret` is shown once, to the partner; only `sha256` is ever kept. */
export type SandboxKey = { readonly id: string; readonly secret: string; readonly sha256: string }

/**
 * The SHA-256 of a sandbox key, in lower-case hex, as it stands in the configuration. A plain hash is enough:
 * a generated key has 192 random bits, which no dictionary holds and no search reaches.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex')
}

export function createSandboxKey(): SandboxKey {
  const secret = `sk_sandbox_${randomBytes(24).toString('base64url')}`
  return { id: `key_${randomBytes(12).toString('base64url')}`, secret, sha256: hashSecret(secret) }
}

const DEMO_SHA256 = hashSecret(DEMO_KEY)

export function isDemoKey(sha256: string): boolean {
  return sha256.toLowerCase() === DEMO_SHA256
}
