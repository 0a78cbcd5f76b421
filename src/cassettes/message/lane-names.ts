import { createGrowingCache } from '../../growing-cache.ts'
import { headerOf } from '../../http/header-lines.ts'
import { grantsToken } from '../../operations/operations.ts'
import { claimedClientId } from '../../tokens/claimed-client.ts'
import { isPublicClientId } from '../../tokens/client-id.ts'
import type { CapturedReply, CapturedRequest } from '../interaction.ts'
import { bearerOf, grantOf, tokenHash } from './granted-token.ts'

type Facts = {
  readonly request: CapturedRequest
  /** Of the header X-Sandgate-Lane, else of the path's prefix. */
  readonly named: string | undefined
  readonly operation: string | undefined
}

/** Beyond so many clients that are known by a secret name, further ones share a lane. */
const MAX_CLIENTS = 10_000
/** Beyond so many tokens the one that was not used for longest is forgotten. */
const MAX_TOKENS = 10_000

export type LaneNames = {
  readonly of: (facts: Facts) => string
  /** The answer of a token exchange: what comes with its token is of the client that has asked for it. */
  readonly granted: (request: CapturedRequest, reply: CapturedReply) => void
}

/**
 * Tells the clients under test apart: by the lane that they name, else by the client of the token exchange, also for
 * what comes with the token that it returned, else by the client id in the token. A lane is written as it is, so a
 * client id that is no public name is replaced by `client-1`, `client-2` and so on, in the order of appearance.
 */
export function createLaneNames(): LaneNames {
  const clients = new Map<string, string>()
  const tokens = createGrowingCache<string>(MAX_TOKENS)

  const laneOfClient = (client: string | undefined): string => {
    if (client === undefined || client === '') return ''
    if (isPublicClientId(client)) return client
    const known = clients.get(client)
    if (known !== undefined || clients.size >= MAX_CLIENTS) return known ?? ''
    const lane = `client-${clients.size + 1}`
    clients.set(client, lane)
    return lane
  }
  const laneOfToken = (token: string | undefined): string => {
    if (token === undefined) return ''
    return tokens.get(tokenHash(token)) ?? laneOfClient(claimedClientId(token))
  }

  return {
    of: ({ request, named, operation }) => {
      if (named !== undefined) return named
      return grantsToken(operation)
        ? laneOfClient(exchangingClient(request))
        : laneOfToken(bearerOf(request.headers))
    },
    granted: (request, reply) => {
      const grant = grantOf(reply)
      if (grant) tokens.set(tokenHash(grant.token), laneOfClient(exchangingClient(request)))
    },
  }
}

function exchangingClient({ headers, body }: CapturedRequest): string | undefined {
  const basic = /^basic +(\S+)/i.exec(headerOf(headers, 'authorization') ?? '')?.[1]
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString('utf8').split(':', 1)[0]
  const text = Buffer.from(body).toString('utf8')
  const isJson = (headerOf(headers, 'content-type') ?? '').toLowerCase().includes('json')
  if (!isJson) return new URLSearchParams(text).get('client_id') ?? undefined
  return clientIdIn(text)
}

function clientIdIn(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value !== 'object' || value === null || !('client_id' in value)) return undefined
    return typeof value.client_id === 'string' ? value.client_id : undefined
  } catch {
    return undefined
  }
}
