import { createPublicKey, type KeyObject } from 'node:crypto'
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '../clock.ts'
import type { Partner } from '../config/partners.ts'
import type { TrustedIssuerConfig } from '../config/upstream.ts'
import { createGrowingCache } from '../growing-cache.ts'
import { whilePending } from '../once.ts'
import { ASSERTION_SECONDS, ASSERTION_TYPE } from './assertion.ts'
import { tokenExpired, tokenInvalid } from './challenges.ts'
import type { Registry } from './registry.ts'
import { faultOf } from './token-fault.ts'
import type { Authentication, Principal } from './verify.ts'

export type TrustedIssuers = {
  /** Whether a token says that it is an assertion; nothing is checked yet. */
  readonly isAssertion: (token: string) => boolean
  readonly authenticate: (token: string, registry: Registry) => Authentication | Promise<Authentication>
  readonly stop: () => void
}

export type TrustedIssuersOptions = {
  readonly issuers: readonly (string | TrustedIssuerConfig)[]
  /** Origins that an assertion for this gateway may name. */
  readonly audiences: () => readonly string[]
  /** The JWKS at a URL, as text. Rejects when it cannot be had. */
  readonly fetchKeys: (url: string) => Promise<string>
  /** The system's own: the gateway in front knows no other. */
  readonly clock: Clock
  readonly onKeys: (issuer: string, problem: string | undefined) => void
}

/** A key that is not known is asked for at most this often, whatever is sent. */
const REFRESH_MS = 30_000
const FIRST_RETRY_MS = 500
const JWKS_PATH = '/.well-known/jwks.json'
/** Of the two clocks. */
const TOLERANCE_SECONDS = 5

type Issuer = {
  readonly issuer: string
  readonly isUnlimited: boolean
  /** Undefined where the keys are listed. */
  readonly jwksUri: string | undefined
  keys: ReadonlyMap<string, KeyObject>
  /** Of performance.now(): a system clock that is set back by an hour must not put the next question off as long. */
  askedAt: number
  retryMs: number
  timer: NodeJS.Timeout | undefined
}

type Verified = {
  readonly issuer: Issuer
  readonly kid: string
  readonly partnerId: string
  readonly tenant: string
  readonly scopes: readonly string[]
  /** Milliseconds since the epoch, of the system's clock. */
  readonly expiresAt: number
  partner: Partner | undefined
  known: Authentication
}

const OTHER_ISSUER: Authentication = { kind: 'refused', refusal: tokenInvalid('otherIssuer') }
const UNKNOWN_KEY: Authentication = { kind: 'refused', refusal: tokenInvalid('unknownKey') }
const OTHER_CLAIMS: Authentication = { kind: 'refused', refusal: tokenInvalid('otherClaims') }
const GONE: Authentication = { kind: 'refused', refusal: tokenInvalid('revoked') }
const EXPIRED: Authentication = { kind: 'refused', refusal: tokenExpired() }

/**
 * Takes assertions of gateways in front for what they say. Keys are fetched off the path of a request: one with a key
 * that is not known is refused, and the key is there a moment later.
 */
export function createTrustedIssuers(options: TrustedIssuersOptions): TrustedIssuers {
  const { audiences, clock } = options
  const cache = createGrowingCache<Verified>(10_000)
  const issuers = new Map(options.issuers.map((each) => [issuerOf(each), asIssuer(each)]))
  let checks = whilePending(check)
  for (const issuer of issuers.values()) refresh(issuer)

  function refresh(issuer: Issuer): void {
    const { jwksUri } = issuer
    if (jwksUri === undefined || performance.now() - issuer.askedAt < REFRESH_MS) return
    void ask(issuer, jwksUri)
  }

  async function ask(issuer: Issuer, url: string): Promise<void> {
    issuer.askedAt = performance.now()
    clearTimeout(issuer.timer)
    try {
      issuer.keys = readKeys(await options.fetchKeys(url))
      issuer.retryMs = FIRST_RETRY_MS
      cache.clear()
      checks = whilePending(check)
      options.onKeys(issuer.issuer, undefined)
    } catch (error) {
      options.onKeys(issuer.issuer, error instanceof Error ? error.message : 'unknown')
      // Keys that are there stay good; without any, nobody can be let in until there are.
      if (issuer.keys.size > 0) return
      issuer.timer = setTimeout(() => void ask(issuer, url), issuer.retryMs).unref()
      issuer.retryMs = Math.min(issuer.retryMs * 2, REFRESH_MS)
    }
  }

  async function check(token: string): Promise<Verified | Authentication> {
    try {
      const { kid = '' } = decodeProtectedHeader(token)
      const issuer = issuers.get(claimedIssuer(token))
      if (!issuer) return OTHER_ISSUER
      const key = issuer.keys.get(kid)
      if (!key) {
        refresh(issuer)
        return UNKNOWN_KEY
      }
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['RS256'],
        typ: ASSERTION_TYPE,
        issuer: issuer.issuer,
        audience: [...audiences()],
        currentDate: new Date(clock.now()),
        maxTokenAge: ASSERTION_SECONDS,
        clockTolerance: TOLERANCE_SECONDS,
        requiredClaims: ['exp', 'iat', 'jti'],
      })
      return readClaims(payload, issuer, kid) ?? OTHER_CLAIMS
    } catch (error) {
      if (error instanceof errors.JWTExpired) return EXPIRED
      return { kind: 'refused', refusal: tokenInvalid(faultOf(error, token, '')) }
    }
  }

  async function verify(token: string, registry: Registry): Promise<Authentication> {
    const startedWith = checks
    const checked = await checks(token)
    if ('kind' in checked) return checked
    const authentication = judge(checked, registry, clock.now())
    if (authentication.kind === 'known' && checks === startedWith) cache.set(token, checked)
    return authentication
  }

  return {
    isAssertion: (token) => cache.has(token) || saysAssertion(token),
    authenticate: (token, registry) => {
      const verified = cache.get(token)
      return verified ? judge(verified, registry, clock.now()) : verify(token, registry)
    },
    stop: () => {
      for (const { timer } of issuers.values()) clearTimeout(timer)
    },
  }
}

/** What is left to judge of a good assertion, on every request: the partner as it is configured now, and time. */
function judge(verified: Verified, registry: Registry, now: number): Authentication {
  if (now >= verified.expiresAt) return EXPIRED
  const { partnerId, tenant, scopes, issuer, expiresAt } = verified
  const partner = registry.partner(partnerId)
  if (partner === undefined || partner.tenant !== tenant) return GONE
  if (partner !== verified.partner) {
    const held = new Set<string>(partner.scopes.filter((scope) => scopes.includes(scope)))
    const principal: Principal = {
      ...{ partner, keyId: partner.id, tenant, scopes: held, expiresAt },
      assertedBy: { issuer: issuer.issuer, isUnlimited: issuer.isUnlimited },
    }
    verified.partner = partner
    verified.known = { kind: 'known', principal }
  }
  return verified.known
}

function readClaims(payload: JWTPayload, issuer: Issuer, kid: string): Verified | undefined {
  const { sub, tenant, scope, exp, iat } = payload
  if (typeof sub !== 'string' || typeof tenant !== 'string' || typeof scope !== 'string') return undefined
  if (!Number.isSafeInteger(exp) || exp === undefined || iat === undefined) return undefined
  const expiresAt = Math.min(exp, iat + ASSERTION_SECONDS) * 1000
  const scopes = scope.split(' ')
  return { issuer, kid, partnerId: sub, tenant, scopes, expiresAt, partner: undefined, known: GONE }
}

function saysAssertion(token: string): boolean {
  try {
    return decodeProtectedHeader(token).typ === ASSERTION_TYPE
  } catch {
    return false
  }
}

/** Not checked yet: it only says whose key is to be tried, and the signature covers it. */
function claimedIssuer(token: string): string {
  const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const { iss } = payload as { iss?: unknown }
  return typeof iss === 'string' ? iss : ''
}

const issuerOf = (each: string | TrustedIssuerConfig): string =>
  typeof each === 'string' ? each : each.issuer

function asIssuer(each: string | TrustedIssuerConfig): Issuer {
  const {
    issuer,
    jwksUri,
    keys,
    skipLimits = false,
  } = typeof each === 'string'
    ? ({ issuer: each } as Pick<TrustedIssuerConfig, 'issuer'> & Partial<TrustedIssuerConfig>)
    : each
  return {
    issuer,
    isUnlimited: skipLimits,
    jwksUri: keys ? undefined : (jwksUri ?? `${issuer}${JWKS_PATH}`),
    keys: keys ? importKeys(keys) : new Map(),
    askedAt: Number.NEGATIVE_INFINITY,
    retryMs: FIRST_RETRY_MS,
    timer: undefined,
  }
}

/** @throws when it is no JWKS, or has no key that can be used. */
function readKeys(text: string): ReadonlyMap<string, KeyObject> {
  const { keys } = JSON.parse(text) as { keys?: unknown }
  if (!Array.isArray(keys)) throw new Error('there is no JWKS')
  const found = importKeys(keys.filter((key) => key?.kty === 'RSA' && typeof key.kid === 'string'))
  if (found.size === 0) throw new Error('the JWKS has no RSA key')
  return found
}

function importKeys(
  keys: readonly { readonly kty: string; readonly kid: string; readonly n: string; readonly e: string }[],
): Map<string, KeyObject> {
  return new Map(
    keys.map(({ kty, kid, n, e }) => [kid, createPublicKey({ key: { kty, n, e }, format: 'jwk' })]),
  )
}
