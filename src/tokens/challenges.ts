import { type Refusal, refuse } from '../errors/refusal.ts'
import { looksLive } from './live-key.ts'

/**
 * The 401s and the 403 of RFC 6750 section 3. They are made once, each with its text: refusing a request allocates
 * nothing. What they tell of a token is what its sender can read in it and in our JWKS; what only we know (that a key
 * was revoked) is told to whoever has a good signature.
 */
const INVALID = {
  malformed: 'The access token is malformed: it has to be the access_token of POST /auth/token, as it is',
  tooLong: 'The access token is longer than any of ours',
  sandboxKey: 'The Authorization header has a sandbox key: exchange it with POST /auth/token for a token',
  liveKey:
    'The Authorization header has what looks like the live key of somebody: take it out of use, and exchange a sandbox key',
  otherKind: 'The access token is of another kind: its header has to say RS256 and at+jwt',
  otherIssuer: 'The access token comes from another issuer than this gateway',
  otherAudience: 'The access token was made for another audience',
  unknownKey: 'The access token is signed with a key that is not in /.well-known/jwks.json',
  badSignature: 'The signature of the access token does not belong to what it says',
  otherClaims: 'The access token lacks claims that every token of this gateway has',
  revoked: 'The sandbox key that the access token was made for has been revoked, or its partner is gone',
} as const

export type TokenFault = keyof typeof INVALID

const MISSING = {
  none: 'The request carries no bearer token.',
  empty: 'The Authorization header says Bearer and carries no token.',
  withoutScheme: 'The Authorization header has a token without its scheme: send Authorization: Bearer TOKEN.',
  basic:
    'The Authorization header has HTTP Basic, which POST /auth/token alone takes: send its token as Bearer.',
  otherScheme: 'The Authorization header has another scheme than Bearer.',
} as const

function invalidToken(description: string) {
  return {
    headers: { 'www-authenticate': `Bearer error="invalid_token", error_description="${description}"` },
  }
}

const invalid = mapped(INVALID, (text) => refuse('TOKEN_INVALID', `${text}.`, invalidToken(text)))

// No bearer token at all: section 3.1 asks for a challenge without an error code.
const missing = mapped(MISSING, (text) =>
  refuse('TOKEN_MISSING', text, { headers: { 'www-authenticate': 'Bearer' } }),
)

const expired = refuse(
  'TOKEN_EXPIRED',
  'The access token has expired.',
  invalidToken('The access token has expired'),
)

export const tokenInvalid = (fault: TokenFault): Refusal => invalid[fault]
export const tokenExpired = (): Refusal => expired

/** `authorization`: the header that has no bearer token. Of it nothing is repeated. */
export function tokenMissing(authorization: string | undefined): Refusal {
  if (authorization === undefined || authorization === '') return missing.none
  if (/^bearer *$/i.test(authorization)) return missing.empty
  if (/^basic(?: |$)/i.test(authorization)) return missing.basic
  // A scheme has something behind it; all of ours that is a credential begins with one of these.
  if (/^(?:eyJ|sk_)\S*$/.test(authorization) || /^[^\s.]+\.[^\s.]+\.[^\s.]*$/.test(authorization))
    return missing.withoutScheme
  return missing.otherScheme
}

/** Why a text cannot be one of our tokens, from its form alone. */
export function malformedToken(token: string): Refusal {
  if (looksLive(token)) return invalid.liveKey
  return token.startsWith('sk_sandbox_') ? invalid.sandboxKey : invalid.malformed
}

/** `scope` is one of the contract's, from the operation's row. */
export function insufficientScope(scope: string): Refusal {
  return refuse('INSUFFICIENT_SCOPE', `This operation needs a token with the scope ${scope}.`, {
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  })
}

function mapped<K extends string>(
  texts: Readonly<Record<K, string>>,
  make: (text: string) => Refusal,
): Readonly<Record<K, Refusal>> {
  const entries = Object.entries<string>(texts).map(([name, text]) => [name, make(text)])
  return Object.fromEntries(entries) as Record<K, Refusal>
}
