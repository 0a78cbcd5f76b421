import { refuse } from '../errors/refusal.ts'
import { issueToken } from '../tokens/issue.ts'
import { SigningKeysError } from '../tokens/key-file.ts'
import type { ProvenKey } from '../tokens/registry.ts'
import { tokenResponse } from '../tokens/token-request.ts'
import type { Outcome } from './answerer.ts'
import type { Edge } from './context.ts'
import type { Exchange } from './exchange.ts'

const KEY_RETRY_SECONDS = 5

export type GrantOptions = {
  /** The scopes that the client is told, where a recording has told it others than those that it gets here. */
  readonly shown?: readonly string[]
  readonly onIssued?: (token: string) => void
}

/** A fresh token with these scopes, for the key that was proven. */
export async function grantToken(
  edge: Edge,
  exchange: Exchange,
  proven: ProvenKey,
  scopes: readonly string[],
  { shown, onIssued = () => {} }: GrantOptions = {},
): Promise<Outcome> {
  const { tokens } = exchange.settings.config
  try {
    const issued = await issueToken({
      proven,
      scopes,
      issuer: edge.issuer(),
      audience: tokens.audience,
      lifetimeSeconds: tokens.lifetimeSeconds,
      signingKeys: edge.signingKeys,
      clock: edge.clock,
    })
    onIssued(issued.token)
    return {
      status: 200,
      headers: { 'content-type': 'application/json', pragma: 'no-cache' },
      body: JSON.stringify(tokenResponse(shown ? { ...issued, scopes: shown } : issued)),
    }
  } catch (error) {
    if (!(error instanceof SigningKeysError)) throw error
    edge.logger.error({ err: error, requestId: exchange.requestId }, 'no signing key')
    return refuse('STORE_UNAVAILABLE', 'There is no signing key at the moment.', {
      retryAfterSeconds: KEY_RETRY_SECONDS,
    })
  }
}
