import { decodeJwt } from 'jose'
import { isKeyId } from './client-id.ts'

/** The client id that a token claims. Nothing is verified: it is a name to tell clients apart by, and proves nothing. */
export function claimedClientId(token: string): string | undefined {
  try {
    const { client_id: clientId } = decodeJwt(token)
    return typeof clientId === 'string' ? clientId : undefined
  } catch {
    return undefined
  }
}

/** The same, where only the id of a key is taken for a name: a client id may also be a sandbox key, which is a secret. */
export function claimedKeyId(token: string): string | undefined {
  const client = claimedClientId(token)
  return client !== undefined && isKeyId(client) ? client : undefined
}
