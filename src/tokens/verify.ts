import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '../clock.ts'
import type { Partner } from '../config/partners.ts'
import type { Refusal } from '../errors/refusal.ts'
import { createGrowingCache } from '../growing-cache.ts'
import { whilePending } from '../once.ts'
import { malformedToken, type TokenFault, tokenExpired, tokenInvalid } from './challenges.ts'
import { TOKEN_TYPE } from './issue.ts'
import type { ProvenKey, Registry } from './registry.ts'
import type { SigningKeys } from './signing-keys.ts'
import { faultOf } from './token-fault.ts'

/** Who a request comes from. `scopes` are those of the token that its key still holds. */
export type Principal = {
  readonly partner: Partner
  readonly keyId: string
  readonly tenant: string
  readonly scopes: ReadonlySet<string>
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** A gateway in front has found out who it is; `isUnlimited`: and has counted the request. */
  readonly assertedBy?: { readonly issuer: string; readonly isUnlimited: boolean }
}

/** `none`: the request carries no bearer token, which only some operations allow. */
export type Authentication =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'known'; readonly principal: Principal }

export type Verifier = {
  /**
   * Judges an Authorization header. Synchronous unless a signature has to be checked. `memo` is what the verifier
   * remembers of the connection that the header came from.
   */
  authenticate(
    authorization: string | undefined,
    registry: Registry,
    memo: TokenMemo,
  ): Authentication | Promise<Authentication>
}

/** The last good header of a connection: a client sends the same one with its next request. */
export type TokenMemo = { last: Remembered | undefined }

type Remembered = {
  readonly authorization: string
  readonly verified: Verified
  /** Of the signing keys: another one after a rotation or a revocation. */
  readonly generation: number
}

export function createTokenMemo(): TokenMemo {
  return { last: undefined }
}

/** A token whose signature, issuer, audience and type have been found good. */
type Verified = {
  readonly keyId: string
  readonly partnerId: string
  readonly tenant: string
  readonly scopes: readonly string[]
  readonly expiresAt: number
  /** The registry's entry that `known` was made from: another one after each reload of the configuration. */
  proven: ProvenKey | undefined
  known: Authentication
}

const NONE: Authentication = { kind: 'none' }
const REVOKED: Authentication = { kind: 'refused', refusal: tokenInvalid('revoked') }
const EXPIRED: Authentication = { kind: 'refused', refusal: tokenExpired() }

/** Before any work. Ours have some 800 characters; a partner id, a tenant and every scope at their longest 1200. */
const MAX_TOKEN_LENGTH = 8192
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)$/

type Assertions = {
  readonly isAssertion: (token: string) => boolean
  readonly authenticate: (token: string, registry: Registry) => Authentication | Promise<Authentication>
}

/**
 * A signature is verified once: good tokens are remembered. What can change while a token lives is looked at on every
 * request all the same: the clock, the key, the partner.
 */
export function createVerifier(options: {
  readonly signingKeys: SigningKeys
  /** Read for each verification: the port, and with it the default issuer, is known only once bound. */
  readonly issuer: () => string
  readonly audience: string
  readonly clock: Clock
  /** Takes assertions of gateways in front; read for each request, since a reload may change it. */
  readonly assertions?: () => Assertions | undefined
  readonly cacheSize?: number
}): Verifier {
  const { signingKeys, issuer, audience, clock } = options
  // Keyed by the whole token and not by a digest or a part of it: two tokens can never share an entry.
  const cache = createGrowingCache<Verified>(options.cacheSize ?? 10_000)
  let generation = signingKeys.generation()
  // A burst with a new token costs one check of its signature, and its requests go on in the order in which they came.
  let checks = whilePending(check)

  function publicKey({ kid }: { kid?: unknown }) {
    const key = typeof kid === 'string' ? signingKeys.find(kid) : undefined
    if (key === undefined) throw new errors.JWKSNoMatchingKey()
    return key
  }

  async function check(token: string): Promise<Verified | TokenFault> {
    const expectedIssuer = issuer()
    try {
      const { payload } = await jwtVerify(token, publicKey, {
        algorithms: ['RS256'],
        typ: TOKEN_TYPE,
        issuer: expectedIssuer,
        audience,
        currentDate: new Date(clock.now()),
      })
      return readClaims(payload) ?? 'otherClaims'
    } catch (error) {
      // jose looks at exp last, so that an expired token is known to be one of ours.
      if (error instanceof errors.JWTExpired) return readClaims(error.payload) ?? 'otherClaims'
      return faultOf(error, token, expectedIssuer)
    }
  }

  async function verify(token: string, registry: Registry): Promise<Authentication> {
    const startedIn = generation
    const checked = await checks(token)
    if (typeof checked === 'string') return { kind: 'refused', refusal: tokenInvalid(checked) }
    const authentication = judge(checked, registry, clock.now())
    if (authentication.kind === 'known' && signingKeys.generation() === startedIn) cache.set(token, checked)
    return authentication
  }

  return {
    authenticate(authorization, registry, memo) {
      const { last } = memo
      if (last !== undefined && last.authorization === authorization) {
        if (last.generation === signingKeys.generation()) return judge(last.verified, registry, clock.now())
        memo.last = undefined
      }
      const token = bearerToken(authorization)
      if (token === undefined) return NONE
      if (token.length > MAX_TOKEN_LENGTH) return { kind: 'refused', refusal: tokenInvalid('tooLong') }
      if (signingKeys.generation() !== generation) {
        generation = signingKeys.generation()
        cache.clear()
        checks = whilePending(check)
      }
      const verified = cache.get(token)
      if (verified !== undefined && authorization !== undefined) {
        memo.last = { authorization, verified, generation }
        return judge(verified, registry, clock.now())
      }
      if (!isCompact(token)) return { kind: 'refused', refusal: malformedToken(token) }
      const assertions = options.assertions?.()
      return assertions?.isAssertion(token)
        ? assertions.authenticate(token, registry)
        : verify(token, registry)
    },
  }
}

/**
 * What is left to judge of a good token, on every request: revocation first, since a new exchange does not help
 * against it, then time, without leeway.
 */
function judge(verified: Verified, registry: Registry, now: number): Authentication {
  const proven = registry.key(verified.keyId)
  if (proven === undefined) return REVOKED
  if (proven !== verified.proven) {
    // The configuration was loaded anew: a key that now belongs to somebody else must not bring its tokens along.
    const { partner, keyId, scopes } = proven
    if (partner.id !== verified.partnerId || partner.tenant !== verified.tenant) return REVOKED
    const held = new Set<string>(scopes.filter((scope) => verified.scopes.includes(scope)))
    const principal = { partner, keyId, tenant: partner.tenant, scopes: held, expiresAt: verified.expiresAt }
    verified.known = { kind: 'known', principal }
    verified.proven = proven
  }
  return now >= verified.expiresAt ? EXPIRED : verified.known
}

/**
 * The token of a bearer header. Another scheme counts as no token: RFC 6750 section 3.1 names "an unsupported
 * authentication method" beside "lacks any authentication information", and asks for the same bare challenge.
 */
function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length < 7) return undefined
  const scheme = authorization.slice(0, 7)
  if (scheme !== 'Bearer ' && scheme.toLowerCase() !== 'bearer ') return undefined
  let start = 7
  while (authorization.charCodeAt(start) === 0x20) start += 1
  return start < authorization.length ? authorization.slice(start) : undefined
}

/** Three base64url parts and the one canonical spelling of the signature, so that a token has one spelling. */
function isCompact(token: string): boolean {
  const signature = COMPACT.exec(token)?.[1]
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature
}

/** The claims that we put there. Anything else with a good signature was not made by `issueToken`. */
function readClaims({ client_id, sub, tenant, scope, exp }: JWTPayload): Verified | undefined {
  if (typeof client_id !== 'string' || typeof sub !== 'string' || typeof tenant !== 'string') return undefined
  if (typeof scope !== 'string' || !Number.isSafeInteger(exp) || exp === undefined) return undefined
  return {
    keyId: client_id,
    partnerId: sub,
    tenant,
    scopes: scope.split(' '),
    expiresAt: exp * 1000,
    proven: undefined,
    known: REVOKED,
  }
}
