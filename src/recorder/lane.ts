import type { CapturedRequest } from '../cassettes/interaction.ts'
import { isPublicClientId } from '../cassettes/secrets.ts'
import { headerValue } from './headers.ts'

type Facts = {
  readonly request: CapturedRequest
  /** Of the header X-Sandgate-Lane, else of the path's prefix. */
  readonly named: string | undefined
  readonly operation: string | undefined
}

/** Beyond so many clients that are known by a secret name, further ones share a lane. */
const MAX_CLIENTS = 10_000

/**
 * Tells the clients under test apart: by the lane that they name, else by the client id of the token exchange or of
 * the token. A lane is written as it is, so a client id that is no public name is replaced by `client-1`, `client-2`
 * and so on, in the order of appearance.
 */
export function createLanes(): (facts: Facts) => string {
  const clients = new Map<string, string>()
  return ({ request, named, operation }) => {
    if (named !== undefined) return named
    const client = operation === 'auth.token' ? exchangingClient(request) : tokenClient(request)
    if (client === undefined || client === '') return ''
    if (isPublicClientId(client)) return client
    const known = clients.get(client)
    if (known !== undefined || clients.size >= MAX_CLIENTS) return known ?? ''
    const lane = `client-${clients.size + 1}`
    clients.set(client, lane)
    return lane
  }
}

function exchangingClient({ headers, body }: CapturedRequest): string | undefined {
  const basic = /^basic +(\S+)/i.exec(headerValue(headers, 'authorization') ?? '')?.[1]
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString('utf8').split(':', 1)[0]
  const text = Buffer.from(body).toString('utf8')
  const isJson = (headerValue(headers, 'content-type') ?? '').toLowerCase().includes('json')
  if (!isJson) return new URLSearchParams(text).get('client_id') ?? undefined
  return clientIdIn(text)
}

/** The claims are only a name here; whether they are true is for the upstream to say. */
function tokenClient({ headers }: CapturedRequest): string | undefined {
  const payload = /^bearer +[\w-]+\.([\w-]+)\./i.exec(headerValue(headers, 'authorization') ?? '')?.[1]
  return payload === undefined ? undefined : clientIdIn(Buffer.from(payload, 'base64url').toString('utf8'))
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
