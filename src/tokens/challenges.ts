import { type Refusal, refuse } from '../errors/refusal.ts'

/**
 * The 401s and the 403 of RFC 6750 section 3. They are made once: refusing a request allocates nothing, and no
 * detail depends on what was sent, so that probing tokens teaches nothing.
 */
const missing = refuse('TOKEN_MISSING', 'The request carries no bearer token.', {
  headers: { 'www-authenticate': 'Bearer' },
})

const invalidToken = (description: string) => ({
  headers: { 'www-authenticate': `Bearer error="invalid_token", error_description="${description}"` },
})

const invalid = refuse(
  'TOKEN_INVALID',
  'The access token is not valid.',
  invalidToken('The access token is not valid'),
)

const expired = refuse(
  'TOKEN_EXPIRED',
  'The access token has expired.',
  invalidToken('The access token has expired'),
)

/** No bearer token at all: section 3.1 asks for a challenge without an error code. */
export const tokenMissing = (): Refusal => missing
export const tokenInvalid = (): Refusal => invalid
export const tokenExpired = (): Refusal => expired

/** `scope` is one of the contract's, from the operation's row. */
export function insufficientScope(scope: string): Refusal {
  return refuse('INSUFFICIENT_SCOPE', `This operation needs a token with the scope ${scope}.`, {
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  })
}
