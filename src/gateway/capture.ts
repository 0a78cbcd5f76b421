import type { CapturedRequest, HeaderLine, Origin } from '../cassettes/interaction.ts'
import type { Exchange } from './exchange.ts'

/** A request as it was on the wire, for the recorder and for the tape. Its body is what was read of it. */
export function capturedRequest({ req, query, path, body }: Exchange): CapturedRequest {
  return {
    method: req.method ?? '',
    target: `${path ?? '/'}${query === '' ? '' : `?${query}`}`,
    httpVersion: req.httpVersionMinor === 0 ? '1.0' : '1.1',
    headers: headerLines(req.rawHeaders),
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
  const payload = /^bearer +[\w-]+\.([\w-]+)\./i.exec(authorization ?? '')?.[1]
  if (payload === undefined) return undefined
  const claims = Buffer.from(payload, 'base64url').toString('latin1')
  return /"client_id":"(key_[A-Za-z0-9_-]{1,60})"/.exec(claims)?.[1]
}

/** Who made a reply: the edge by a code, or a rule of the simulator. */
export function originOf(code: string | undefined, rule: string | undefined): Origin {
  return code === undefined ? `simulator:${rule ?? 'default'}` : `edge:${code}`
}

/** `[name, value, name, value, …]` as lines. */
export function headerLines(raw: readonly string[]): HeaderLine[] {
  const lines: HeaderLine[] = []
  for (let i = 0; i < raw.length; i += 2) lines.push([raw[i] ?? '', raw[i + 1] ?? ''])
  return lines
}
