import { generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'jose'
import { type Clock, instant } from '../clock.ts'
import { all, createKeptKeys, takenOver } from './kept-keys.ts'
import { type ActiveKey, type KeySet, type NextKey, type RetiringKey, thumbprint } from './key-file.ts'

/** What an operator sees of a key. Instants are RFC 3339. */
export type SigningKeyRow = {
  readonly kid: string
  readonly createdAt: string
  readonly state: 'active' | 'next' | 'retiring'
  /** When the next key begins to sign. */
  readonly signsAt?: string
  /** When a retiring key stops verifying. */
  readonly expiresAt?: string
}

export type SigningKeys = {
  /** The key that signs. Waits while the first one is being made; rejects when it could not be kept, and tries again. */
  active(): Promise<{ readonly kid: string; readonly privateKey: KeyObject }>
  /** The public keys that verify at this moment or soon, the active one first. */
  jwks(): Promise<{ keys: JWK[] }>
  /** The public key of a kid that still verifies. */
  find(kid: string): KeyObject | undefined
  list(): Promise<SigningKeyRow[]>
  /**
   * Makes a new key and publishes it; it signs when every client can know it, and the old one then verifies until the
   * last token that it signed has expired. Calls are made one after the other; one that fails leaves the keys as they
   * were.
   */
  rotate(how?: Rotation): Promise<{ readonly kid: string }>
  /** Another number whenever a key came or went: what was verified before has to be verified again. */
  readonly generation: () => number
}

/**
 * `published`: the new key signs after `publishSeconds`; where one is published already, that one stays the next.
 * `now`: the next key signs at once, and is made where there is none. `leaked`: a new key signs at once, and every
 * other one ends: what they signed is not valid any more.
 */
export type Rotation = 'published' | 'now' | 'leaked'

/** Both halves of a key. */
export type KeyPair = Pick<ActiveKey, 'privateKey' | 'publicKey'>

const generate = promisify(generateKeyPair)

/**
 * RS256 keys, kept in `directory` or, with null, in memory only. The first key is made in the background, so that
 * listening does not wait for it.
 * @throws SigningKeysError when the directory has keys that cannot be used.
 */
export function createSigningKeys(options: {
  readonly directory: string | null
  readonly clock: Clock
  readonly lifetimeSeconds: number
  /** How long a key is published before it signs; at least as long as a client may keep the JWKS. */
  readonly publishSeconds: number
  /** Where the first key comes from; `make` makes one. */
  readonly first?: (make: () => Promise<ActiveKey>) => Promise<ActiveKey>
  /** Makes what a key consists of, which takes a quarter of a second; by default an RSA key of 2048 bits. */
  readonly makePair?: () => Promise<KeyPair>
}): SigningKeys {
  const { directory, clock, lifetimeSeconds, publishSeconds, first = (make) => make() } = options
  const { makePair = makeRsaPair } = options
  const kept = createKeptKeys(directory, clock)
  const makeKey = async () => keyOf(await makePair(), clock, lifetimeSeconds)
  // The first key, until it is kept: writing may have to be tried again, making it need not.
  let firstKey: Promise<ActiveKey> | undefined

  /** The keys, with the first one made and with the lifetime of today's configuration accounted for. */
  const settle = async (): Promise<KeySet> => {
    const keys = kept.current()
    if (keys === undefined) {
      firstKey ??= first(makeKey)
      return kept.replace({ active: await firstKey, retiring: [] })
    }
    // Tokens live longer than when the key was written: remembered before one is signed, for the next rotation.
    if (keys.active.longestLifetimeSeconds < lifetimeSeconds) {
      return kept.replace({ ...keys, active: { ...keys.active, longestLifetimeSeconds: lifetimeSeconds } })
    }
    return keys
  }
  const ready = async (): Promise<KeySet> => {
    const keys = kept.current()
    const isSettled = keys !== undefined && keys.active.longestLifetimeSeconds >= lifetimeSeconds
    return isSettled ? keys : kept.queued(settle)
  }
  const rotate = async (how: Rotation): Promise<{ kid: string }> => {
    const pending = how === 'leaked' ? undefined : (await settle()).next
    const fresh = pending ?? (await makeKey())
    // Looked at after the key was made, which takes its time.
    const before = await settle()
    const now = clock.now()
    if (how === 'leaked') await kept.replace({ active: fresh, retiring: [] })
    else if (how === 'now' || publishSeconds === 0) await kept.replace(takenOver(before, fresh, now))
    else if (pending === undefined)
      await kept.publish({ ...before, next: { ...fresh, signsAtMs: now + publishSeconds * 1000 } })
    return { kid: fresh.kid }
  }

  // Whoever needs the key first learns of a failure; here nobody is waiting yet.
  ready().catch(() => undefined)

  return {
    async active() {
      // Between the instant that a rotation counts from and its end the old key signs nothing: what it signs
      // then would outlive it.
      await kept.written()
      return (await ready()).active
    },
    async jwks() {
      await ready()
      return { keys: all(kept.current()).map(publicJwk) }
    },
    find: (kid) => all(kept.current()).find((key) => key.kid === kid)?.publicKey,
    async list() {
      await ready()
      return all(kept.current()).map(rowOf)
    },
    rotate: (how = 'published') => kept.queued(() => rotate(how)),
    generation: kept.generation,
  }
}

const makeRsaPair = (): Promise<KeyPair> => generate('rsa', { modulusLength: 2048 })

function keyOf({ privateKey, publicKey }: KeyPair, clock: Clock, longestLifetimeSeconds: number): ActiveKey {
  return {
    kid: thumbprint(publicKey),
    createdAtMs: clock.now(),
    longestLifetimeSeconds,
    privateKey,
    publicKey,
  }
}

function rowOf(key: ActiveKey | NextKey | RetiringKey): SigningKeyRow {
  const row = { kid: key.kid, createdAt: instant(key.createdAtMs) }
  if ('signsAtMs' in key) return { ...row, state: 'next', signsAt: instant(key.signsAtMs) }
  if ('expiresAtMs' in key) return { ...row, state: 'retiring', expiresAt: instant(key.expiresAtMs) }
  return { ...row, state: 'active' }
}

function publicJwk({ kid, publicKey }: Pick<ActiveKey, 'kid' | 'publicKey'>): JWK {
  const { e, n } = publicKey.export({ format: 'jwk' })
  if (e === undefined || n === undefined) throw new TypeError('an RSA key has a modulus and an exponent')
  return { kty: 'RSA', n, e, kid, alg: 'RS256', use: 'sig' }
}
