import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JWK } from 'jose'
import { instant } from '../clock.ts'
import { makeDirectory } from '../make-directory.ts'
import { replaceFile } from '../replace-file.ts'
import { systemCode } from '../system-error.ts'

/** The key that signs. `longestLifetimeSeconds` is the longest life of any token it may have signed. */
export type ActiveKey = {
  readonly kid: string
  readonly createdAtMs: number
  readonly longestLifetimeSeconds: number
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}
/** A key that signed before. Its private half is gone: it can verify and nothing else. */
export type RetiringKey = {
  readonly kid: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
  readonly publicKey: KeyObject
}
/** A key that is published and will sign from an instant on. */
export type NextKey = ActiveKey & { readonly signsAtMs: number }
export type KeySet = {
  readonly active: ActiveKey
  readonly next?: NextKey
  readonly retiring: readonly RetiringKey[]
}

/** The signing keys cannot be read or kept. `fix` says what the operator does about it. */
export class SigningKeysError extends Error {
  override readonly name = 'SigningKeysError'
  readonly fix: string
  constructor(message: string, fix: string, cause?: unknown) {
    super(`${message} ${fix}`, { cause })
    this.fix = fix
  }
}

class DamagedKeysError extends Error {}

/** In a data directory, and in the cache of replays. */
export const KEY_FILE = 'signing-keys.json'
const VERSION = 1

/** RFC 7638. It also ties a key in the file to its kid, so that a flipped bit is noticed on loading. */
export function thumbprint(publicKey: KeyObject): string {
  const { e, kty, n } = publicKey.export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url')
}

/**
 * The keys of a data directory, or undefined when it has none yet.
 * @throws SigningKeysError when there is a file that cannot be used. It is never replaced silently: that would
 * invalidate every token of every partner because of, say, a wrong owner.
 */
export function readKeyFile(directory: string): KeySet | undefined {
  const path = join(directory, KEY_FILE)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined
    const fix = 'Make it readable for the user that runs the gateway.'
    throw new SigningKeysError(`The signing keys in ${path} cannot be read (${describe(cause)}).`, fix, cause)
  }
  try {
    return parseKeys(text)
  } catch (cause) {
    const fix =
      'Restore the file from a backup, or delete it: new keys are made then, and partners exchange again.'
    // Only our own words: an error of JSON or of crypto may quote the text, and the text is a private key.
    const why = cause instanceof DamagedKeysError ? cause.message : 'not the JSON that the gateway writes'
    throw new SigningKeysError(`The signing keys in ${path} are damaged (${why}).`, fix)
  }
}

/** Replaces the file so that after a crash either the old or the new one is there, whole and on the disk. */
export async function writeKeyFile(directory: string, keys: KeySet): Promise<void> {
  const path = join(directory, KEY_FILE)
  try {
    makeDirectory(directory, 0o700)
    await replaceFile(path, serialize(keys), 0o600)
  } catch (cause) {
    const fix = 'Free disk space, or make the data directory writable for the user that runs the gateway.'
    throw new SigningKeysError(
      `The signing keys cannot be written to ${path} (${describe(cause)}).`,
      fix,
      cause,
    )
  }
}

/** What the file holds: private keys too. */
export function serialize({ active, next, retiring }: KeySet): string {
  const file = {
    version: VERSION,
    active: withPrivateHalf(active),
    ...(next && { next: { ...withPrivateHalf(next), signsAt: instant(next.signsAtMs) } }),
    retiring: retiring.map((key) => ({
      kid: key.kid,
      createdAt: instant(key.createdAtMs),
      expiresAt: instant(key.expiresAtMs),
      publicKey: key.publicKey.export({ format: 'jwk' }),
    })),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

function withPrivateHalf({ kid, createdAtMs, longestLifetimeSeconds, privateKey }: ActiveKey) {
  return {
    kid,
    createdAt: instant(createdAtMs),
    longestLifetimeSeconds,
    privateKey: privateKey.export({ format: 'jwk' }),
  }
}

/** The keys in the text of such a file. Throws when it is not whole; what it throws may quote the text. */
export function parseKeys(text: string): KeySet {
  const file = record(JSON.parse(text), 'the file')
  if (file.version !== VERSION) throw new DamagedKeysError(`its version is not ${VERSION}`)
  if (!Array.isArray(file.retiring)) throw new DamagedKeysError('retiring is not a list')
  const next = file.next === undefined ? undefined : record(file.next, 'next')
  return {
    active: signingKey(record(file.active, 'active')),
    ...(next && { next: { ...signingKey(next), signsAtMs: milliseconds(next.signsAt) } }),
    retiring: file.retiring.map((item: unknown) => {
      const key = record(item, 'a retiring key')
      const retired = usable(createPublicKey({ key: jwk(key.publicKey), format: 'jwk' }))
      return {
        kid: ownKid(key.kid, retired),
        createdAtMs: milliseconds(key.createdAt),
        expiresAtMs: milliseconds(key.expiresAt),
        publicKey: retired,
      }
    }),
  }
}

function signingKey(fields: Record<string, unknown>): ActiveKey {
  const privateKey = usable(createPrivateKey({ key: jwk(fields.privateKey), format: 'jwk' }))
  const publicKey = createPublicKey(privateKey)
  const probe = Buffer.from('sandgate')
  if (!verify('sha256', probe, publicKey, sign('sha256', probe, privateKey))) {
    throw new DamagedKeysError('a key cannot verify what it signs')
  }
  const lifetime = fields.longestLifetimeSeconds
  if (typeof lifetime !== 'number' || !(lifetime >= 0))
    throw new DamagedKeysError('a lifetime is not a number')
  return {
    kid: ownKid(fields.kid, publicKey),
    createdAtMs: milliseconds(fields.createdAt),
    longestLifetimeSeconds: lifetime,
    privateKey,
    publicKey,
  }
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DamagedKeysError(`${what} is not an object`)
  return { ...value }
}

function jwk(value: unknown): JWK & { kty: 'RSA' } {
  const fields = record(value, 'a key')
  if (fields.kty !== 'RSA') throw new DamagedKeysError('a key is not an RSA key')
  return { ...fields, kty: 'RSA' }
}

function usable(key: KeyObject): KeyObject {
  if (!((key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048))
    throw new DamagedKeysError('a key is shorter than 2048 bits')
  return key
}

function ownKid(kid: unknown, publicKey: KeyObject): string {
  const own = thumbprint(publicKey)
  if (kid !== own) throw new DamagedKeysError('a kid is not that of its key')
  return own
}

function milliseconds(value: unknown): number {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) throw new DamagedKeysError('an instant is missing')
  return ms
}

/** Never the message of an error: it may quote the file, which holds a private key. */
function describe(cause: unknown): string {
  return systemCode(cause) ?? 'unknown error'
}
