import { decodeJwt, errors } from 'jose'
import type { TokenFault } from './challenges.ts'

/**
 * Why jose has not taken a token. It looks at form, kind, key, signature and claims, in that order. A token of another
 * service has a key that nobody knows here, too; where it comes from says more.
 */
export function faultOf(error: unknown, token: string, issuer: string): TokenFault {
  if (error instanceof errors.JWKSNoMatchingKey)
    return claimsIssuer(token, issuer) ? 'unknownKey' : 'otherIssuer'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'badSignature'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'otherKind'
  if (!(error instanceof errors.JWTClaimValidationFailed)) return 'malformed'
  return FAULT_OF_CLAIM[error.claim] ?? 'otherClaims'
}

const FAULT_OF_CLAIM: Readonly<Record<string, TokenFault>> = {
  typ: 'otherKind',
  iss: 'otherIssuer',
  aud: 'otherAudience',
}

/** Nothing is proven yet: it only says which answer helps. */
function claimsIssuer(token: string, issuer: string): boolean {
  try {
    return decodeJwt(token).iss === issuer
  } catch {
    return true
  }
}
