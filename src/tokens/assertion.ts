import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import type { Awaitable } from '../store/store.ts'
import type { SigningKeys } from './signing-keys.ts'

/** Of its own, so that no access token passes for an assertion, and no assertion for an access token. */
export const ASSERTION_TYPE = 'sandgate-assertion+jwt'
export const ASSERTION_SECONDS = 60
/** The same caller is asserted again with the same text for a while: a signature costs a millisecond of CPU. */
const REUSED_MS = 20_000

/** Who a request comes from, as the gateway in front has found out. */
export type Asserted = {
  readonly partner: string
  readonly tenant: string
  /** Space-separated. */
  readonly scope: string
}

/** A short-lived statement, signed with the gateway's own key, about whom a request is passed on for. */
export function createAssertions(options: {
  readonly signingKeys: SigningKeys
  readonly issuer: () => string
  readonly audience: string
  /** The system's own: whoever checks it knows no other. */
  readonly clock: Clock
}): (asserted: Asserted) => Awaitable<string> {
  const { signingKeys, issuer, audience, clock } = options
  const made = new LRUCache<string, { readonly until: number; text: Awaitable<string> }>({ max: 1000 })

  async function sign({ partner, tenant, scope }: Asserted, now: number): Promise<string> {
    const { kid, privateKey } = await signingKeys.active()
    const issuedAt = Math.floor(now / 1000)
    return new SignJWT({
      iss: issuer(),
      aud: audience,
      sub: partner,
      tenant,
      scope,
      iat: issuedAt,
      exp: issuedAt + ASSERTION_SECONDS,
      jti: randomBytes(16).toString('base64url'),
    })
      .setProtectedHeader({ alg: 'RS256', kid, typ: ASSERTION_TYPE })
      .sign(privateKey)
  }

  return (asserted) => {
    const now = clock.now()
    // A key that has been rotated away may be gone from the JWKS before its last assertion is.
    const name = `${signingKeys.generation()} ${asserted.partner} ${asserted.tenant} ${asserted.scope}`
    const known = made.get(name)
    if (known && now < known.until && known.until - now <= REUSED_MS) return known.text
    const text = sign(asserted, now)
    const one: { readonly until: number; text: Awaitable<string> } = { until: now + REUSED_MS, text }
    made.set(name, one)
    text.then(
      (signed) => {
        one.text = signed
      },
      () => made.delete(name),
    )
    return text
  }
}
