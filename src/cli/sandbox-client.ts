import { Client } from 'undici'
import type { CapturedReply, CapturedRequest } from '../cassettes/interaction.ts'
import { type HeaderLine, linesOf } from '../http/header-lines.ts'
import { shownRequest } from '../recorder/shown-request.ts'

/** The sandbox could not be asked, or its answer did not come. */
export class SendError extends Error {
  override readonly name = 'SendError'
}

const PATIENCE_MS = 30_000
const MAX_REPLY_BYTES = 16 * 1024 * 1024

/**
 * Sends to `base` and to nothing else: the client is bound to its host and port, a recorded target is a path below it
 * whatever it looks like, and redirects are replies, not orders.
 */
export function createSend(base: URL): (request: CapturedRequest) => Promise<CapturedReply> {
  const prefix = base.pathname.replace(/\/+$/, '')
  // A connection for each request: one that was kept may be closed by the server just as a payment goes out on it.
  const client = new Client(base.origin, { pipelining: 0, maxResponseSize: MAX_REPLY_BYTES })
  return async ({ method, target, headers, body }) => {
    try {
      const reply = await client.request({
        // What Node does not know as a method is the sandbox's to refuse.
        method: method as 'GET',
        path: prefix + target,
        headers: headers.flat(),
        body: body.length === 0 && method !== 'POST' ? null : Buffer.from(body),
        signal: AbortSignal.timeout(PATIENCE_MS),
        responseHeaders: 'raw',
      })
      return {
        status: reply.statusCode,
        headers: rawLines(reply.headers),
        body: Buffer.from(await reply.body.arrayBuffer()),
      }
    } catch (cause) {
      const [, path] = shownRequest(method, target).split(' ')
      throw new SendError(`${method} ${base.origin}${prefix}${path}: ${reasonOf(cause)}`, { cause })
    }
  }
}

/** undici types them as a record; asked for raw ones it gives names and values in turn. */
function rawLines(headers: unknown): HeaderLine[] {
  return Array.isArray(headers) ? linesOf(headers) : []
}

function reasonOf(cause: unknown): string {
  const { code, name, message } = cause as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return 'nothing answers there'
  if (name === 'TimeoutError') return `no answer within ${PATIENCE_MS / 1000} seconds`
  return message === '' ? String(code) : message
}
