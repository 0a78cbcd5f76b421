import type { CapturedRequest, Origin } from '../cassettes/interaction.ts'
import { linesOf } from '../http/header-lines.ts'
import { claimedClientId } from '../tokens/claimed-client.ts'
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
export function laneOf({ req, lane, principal, provenClient }: Exchange): string {
  const named = req.headers['x-sandgate-lane']
  if (typeof named === 'string') return named
  return lane ?? principal?.keyId ?? provenClient ?? claimedClient(req.headers.authorization) ?? ''
}

/**
 * The client id in a token that was refused, an expired one above all: its client is still in its lane. It is a name
 * here and proves nothing; only what looks like a key id is one.
 */
function claimedClient(authorization: string | undefined): string | undefined {
  const token = /^bearer +(\S+)/i.exec(authorization ?? '')?.[1]
  const client = token === undefined ? undefined : claimedClientId(token)
  return client !== undefined && /^key_[A-Za-z0-9_-]{1,60}$/.test(client) ? client : undefined
}

/** Who made a reply: the edge by a code, or a rule of the simulator. */
export function originOf(code: string | undefined, rule: string | undefined): Origin {
  return code === undefined ? `simulator:${rule ?? 'default'}` : `edge:${code}`
}
