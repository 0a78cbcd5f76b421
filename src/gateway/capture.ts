import type { CapturedRequest, Origin } from '../cassettes/interaction.ts'
import { bearerToken } from '../http/authorization.ts'
import { linesOf } from '../http/header-lines.ts'
import { LANE_HEADER } from '../http/lane.ts'
import { claimedKeyId } from '../tokens/claimed-client.ts'
import { isPublicClientId } from '../tokens/client-id.ts'
import type { Exchange } from './exchange.ts'

/** A request as it was on the wire, for the recorder and for the tape. Its body is what was read of it. */
export function capturedRequest({ req, query, path, body }: Exchange): CapturedRequest {
  return {
    method: req.method ?? '',
    target: `${path ?? '/'}${query === '' ? '' : `?${query}`}`,
    httpVersion: req.httpVersionMinor === 0 ? '1.0' : '1.1',
    headers: linesOf(req.rawHeaders),
    body,
  }
}

/** One client under test: named by a header or by the path, else told apart by its client id. */
export function laneOf({ req, lane, principal, provenClient, namedClient }: Exchange): string {
  const named = req.headers[LANE_HEADER]
  if (typeof named === 'string') return named
  const client = principal?.keyId ?? provenClient ?? laneOfNamed(namedClient)
  return lane ?? client ?? claimedClient(req.headers.authorization) ?? ''
}

/** A client that has proven nothing is in the lane of its public name; any other name may be a secret. */
function laneOfNamed(client: string | undefined): string | undefined {
  if (client === undefined || client === '') return undefined
  return isPublicClientId(client) ? client : 'client-1'
}

/**
 * The client id in a token that was refused, an expired one above all: its client is still in its lane.
 */
function claimedClient(authorization: string | undefined): string | undefined {
  const token = bearerToken(authorization)
  return token === undefined ? undefined : claimedKeyId(token)
}

/** Who made a reply: the edge by a code, or a rule of the simulator. */
export function originOf(code: string | undefined, rule: string | undefined): Origin {
  return code === undefined ? `simulator:${rule ?? 'default'}` : `edge:${code}`
}
