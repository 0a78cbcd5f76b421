import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Clock } from '../clock.ts'
import type { ProvenKey } from './registry.ts'
import type { SigningKeys } from './signing-keys.ts'

/** RFC 9068: keeps every other kind of JWT, whoever signs it, from passing for an access token. */
export const TOKEN_TYPE = 'at+jwt'

export type IssuedToken = {
  readonly token: string
  /** Whole seconds. Every exchange makes a new token, so this is always its full life. */
  readonly expiresIn: number
  readonly scopes: readonly string[]
}

/** A new access token for a proven key. Rejects (SigningKeysError) while there is no key to sign with. */
export async function issueToken(options: {
  readonly proven: ProvenKey
  readonly scopes: readonly string[]
  readonly issuer: string
  readonly audience: string
  readonly lifetimeSeconds: number
  readonly signingKeys: SigningKeys
  readonly clock: Clock
}): Promise<IssuedToken> {
  const { proven, scopes, lifetimeSeconds } = options
  // Read before the key is taken: a rotation that comes between keeps the old key long enough for this token.
  const issuedAt = Math.floor(options.clock.now() / 1000)
  const { kid, privateKey } = await options.signingKeys.active()
  const token = await new SignJWT({
    iss: options.issuer,
    aud: options.audience,
    sub: proven.partner.id,
    client_id: proven.keyId,
    tenant: proven.partner.tenant,
    scope: scopes.join(' '),
    iat: issuedAt,
    exp: issuedAt + lifetimeSeconds,
    jti: randomBytes(16).toString('base64url'),
  })
    .setProtectedHeader({ alg: 'RS256', kid, typ: TOKEN_TYPE })
    .sign(privateKey)
  return { token, expiresIn: lifetimeSeconds, scopes }
}
