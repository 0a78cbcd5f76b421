import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { judgeHeaderLines, judgeHeaders } from '../checks/headers.ts'
import { isLoopbackHost } from '../http/loopback.ts'
import { operatorCredentials } from './operator-credentials.ts'
import { refuse } from './operator-reply.ts'
import { createTokenFailures, type TokenFailureParts } from './operator-token-failures.ts'

const OPEN = new Set(['/livez', '/readyz'])
/** One page with everything in it: style, script and pictures are its own text. */
export const OVERVIEW = '/'
const BROWSER_CHALLENGE = ['Basic realm="Sandgate operator", charset="UTF-8"', 'Bearer']

/**
 * Who may ask what. On loopback a web page in the operator's browser must not be able to drive the listener, so the Host
 * has to be loopback (DNS rebinding) and an Origin is refused; beyond loopback it needs its token. `isTrusted`: a
 * connection through the socket of the data directory, where nobody comes but who may read the signing keys there.
 */
export function guardOperator(
  app: FastifyInstance,
  parts: TokenFailureParts,
  isTrusted: (socket: Socket) => boolean,
): void {
  const { config } = parts
  const onLoopback = isLoopbackHost(config.operator.host)
  const { token } = config.operator
  const credentials = token === null ? undefined : operatorCredentials(token)
  const failures = createTokenFailures(parts)
  app.addHook('onRequest', async (request, reply) => {
    const { rawHeaders, httpVersionMinor } = request.raw
    if (judgeHeaderLines(rawHeaders, config.server.headerLines))
      return refuse(reply, 431, 'The request has too many header lines.')
    const malformed = judgeHeaders(rawHeaders, httpVersionMinor)
    if (malformed) return refuse(reply, 400, malformed.detail)
    const path = request.routeOptions.url ?? ''
    if (isTrusted(request.raw.socket)) return undefined
    if (onLoopback && !isLoopbackHost(hostname(request.headers.host ?? ''))) {
      return refuse(reply, 403, 'The Host header must name a loopback address.')
    }
    if (request.headers.origin !== undefined)
      return refuse(reply, 403, 'Requests from web pages are refused.')
    if (OPEN.has(path) || (path === '/metrics' && config.operator.metricsOpen)) return undefined
    // On loopback the token is needed only where one is configured.
    const { authorization } = request.headers
    if (credentials === undefined) return undefined
    const waitSeconds = onLoopback ? undefined : failures.waitSeconds(request)
    if (waitSeconds !== undefined) {
      reply.header('retry-after', String(waitSeconds))
      return refuse(reply, 429, 'Too many wrong operator tokens came from this address.')
    }
    if (credentials.bears(authorization)) return undefined
    // A browser can show a page only with what it asks its reader for; nothing that acts or tells more takes that.
    const isOverview = path === OVERVIEW
    if (isOverview && credentials.hasPassword(authorization)) return undefined
    if (authorization !== undefined) failures.note(request)
    reply.header('www-authenticate', isOverview ? BROWSER_CHALLENGE : 'Bearer')
    return refuse(reply, 401, 'Send Authorization: Bearer with the operator token.')
  })
}

/** The host of a Host header, without its port and the brackets of an IPv6 address. */
function hostname(host: string): string {
  const bracketed = /^\[([^\]]+)\](?::[0-9]+)?$/.exec(host)?.[1]
  return bracketed ?? host.replace(/:[0-9]+$/, '')
}
