import { generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'jose'
import { type Clock, instant } from '../clock.ts'
import {
  type ActiveKey,
  type KeySet,
  type RetiringKey,
  readKeyFile,
  thumbprint,
  writeKeyFile,
} from './key-file.ts'

/** What an operator sees of a key. Instants are RFC 3339. */
export type SigningKeyRow = {
  readonly kid: string
  readonly createdAt: string
  readonly state: 'active' | 'retiring'
  /** When a retiring key stops verifying. */
  readonly expiresAt?: string
}

export type SigningKeys = {
  /** The key that signs. Waits while the first one is being made; rejects when it could not be kept, and tries again. */
  active(): Promise<{ readonly kid: string; readonly privateKey: KeyObject }>
  /** The public keys that verify at this moment, the active one first. */
  jwks(): Promise<{ keys: JWK[] }>
  /** The public key of a kid that still verifies. */
  find(kid: string): KeyObject | undefined
  list(): Promise<SigningKeyRow[]>
  /**
   * Makes a new active key. The old one loses its private half and verifies until the last token that it signed
   * has expired. Calls are made one after the other; one that fails leaves the keys as they were.
   */
  rotate(): Promise<{ readonly kid: string }>
  /** Another number whenever a key came or went: what was verified before has to be verified again. */
  readonly generation: () => number
}

const generate = promisify(generateKeyPair)

/**
 * RS256 keys, kept in `directory` or, with null, in memory only. The first key is made in the background, because
 * making one takes up to 250 ms and must not delay listening.
 * @throws SigningKeysError when the directory has keys that cannot be used.
 */
export function createSigningKeys(options: {
  readonly directory: string | null
  readonly clock: Clock
  readonly lifetimeSeconds: number
}): SigningKeys {
  const { directory, clock, lifetimeSeconds } = options
  let keys = directory === null ? undefined : readKeyFile(directory)
  let generation = 0
  let nextExpiryMs = soonest(keys)
  // The first key, until it is kept: writing may have to be tried again, making it need not.
  let firstKey: Promise<ActiveKey> | undefined
  let tail: Promise<unknown> = Promise.resolve()
  let writing: Promise<unknown> = Promise.resolve()

  async function makeKey(): Promise<ActiveKey> {
    const { privateKey, publicKey } = await generate('rsa', { modulusLength: 2048 })
    return {
      kid: thumbprint(publicKey),
      createdAtMs: clock.now(),
      longestLifetimeSeconds: lifetimeSeconds,
      privateKey,
      publicKey,
    }
  }

  /** Durable first: a token never carries a kid that a restart could forget. */
  async function become(next: KeySet): Promise<KeySet> {
    if (directory !== null) {
      const written = writeKeyFile(directory, next)
      writing = written.catch(() => undefined)
      await written
    }
    keys = next
    nextExpiryMs = soonest(next)
    generation += 1
    return next
  }

  /** The keys, with the first one made and with the lifetime of today's configuration accounted for. */
  async function settle(): Promise<KeySet> {
    if (keys === undefined) {
      firstKey ??= makeKey()
      return become({ active: await firstKey, retiring: [] })
    }
    // Tokens live longer than when the key was written: remembered before one is signed, for the next rotation.
    if (keys.active.longestLifetimeSeconds < lifetimeSeconds) {
      return become({ ...keys, active: { ...keys.active, longestLifetimeSeconds: lifetimeSeconds } })
    }
    return keys
  }

  /** One change at a time, whoever asks; an earlier failure does not stop the next. */
  function queued<T>(work: () => Promise<T>): Promise<T> {
    const result = tail.then(work)
    tail = result.catch(() => undefined)
    return result
  }

  const settled = (): KeySet | undefined =>
    keys !== undefined && keys.active.longestLifetimeSeconds >= lifetimeSeconds ? keys : undefined
  const ready = async (): Promise<KeySet> => settled() ?? queued(settle)

  /** Drops the keys whose time is over. Called on every request, hence one comparison in the usual case. */
  function prune(): void {
    const now = clock.now()
    if (now < nextExpiryMs || keys === undefined) return
    keys = { ...keys, retiring: keys.retiring.filter((key) => now < key.expiresAtMs) }
    nextExpiryMs = soonest(keys)
    generation += 1
  }

  // Whoever needs the key first learns of a failure; here nobody is waiting yet.
  ready().catch(() => undefined)

  return {
    async active() {
      // Between the instant that a rotation counts from and its end the old key signs nothing: what it signs
      // then would outlive it.
      await writing
      return (await ready()).active
    },
    async jwks() {
      await ready()
      prune()
      return { keys: all(keys).map(publicJwk) }
    },
    find(kid) {
      prune()
      return all(keys).find((key) => key.kid === kid)?.publicKey
    },
    async list() {
      await ready()
      prune()
      return all(keys).map((key) => ({
        kid: key.kid,
        createdAt: instant(key.createdAtMs),
        ...('expiresAtMs' in key
          ? { state: 'retiring' as const, expiresAt: instant(key.expiresAtMs) }
          : { state: 'active' as const }),
      }))
    },
    rotate: () =>
      queued(async () => {
        const active = await makeKey()
        prune()
        const before = await settle()
        const { kid, createdAtMs, longestLifetimeSeconds, publicKey } = before.active
        const expiresAtMs = clock.now() + longestLifetimeSeconds * 1000
        await become({ active, retiring: [{ kid, createdAtMs, expiresAtMs, publicKey }, ...before.retiring] })
        return { kid: active.kid }
      }),
    generation() {
      prune()
      return generation
    },
  }
}

function all(keys: KeySet | undefined): readonly (ActiveKey | RetiringKey)[] {
  return keys === undefined ? [] : [keys.active, ...keys.retiring]
}

function soonest(keys: KeySet | undefined): number {
  return Math.min(Number.POSITIVE_INFINITY, ...(keys?.retiring ?? []).map((key) => key.expiresAtMs))
}

function publicJwk({ kid, publicKey }: ActiveKey | RetiringKey): JWK {
  const { e, n } = publicKey.export({ format: 'jwk' })
  if (e === undefined || n === undefined) throw new TypeError('an RSA key has a modulus and an exponent')
  return { kty: 'RSA', n, e, kid, alg: 'RS256', use: 'sig' }
}
