import { decodeJwt } from 'jose'

/** The client id that a token claims. Nothing is verified: it is a name to tell clients apart by, and proves nothing. */
export function claimedClientId(token: string): string | undefined {
  try {
    const { client_id: clientId } = decodeJwt(token)
    return typeof clientId === 'string' ? clientId : undefined
  } catch {
    return undefined
  }
}
