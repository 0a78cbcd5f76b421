import type { IncomingMessage } from 'node:http'
import { type Refusal, refuse } from '../../errors/refusal.ts'
import type { Exchange } from '../exchange.ts'

export type BodyRead =
  | { readonly bytes: Buffer; readonly refusal?: never }
  | { readonly bytes?: never; readonly refusal: Refusal }

const EMPTY = Buffer.alloc(0)

/**
 * Reads the body as bytes, once, up to `limit`. A body that is announced or turns out to be larger is refused
 * and left unread; the reply then closes the connection instead of draining it.
 */
export function readBody(exchange: Exchange, limit: number): BodyRead | Promise<BodyRead> {
  const { req, res } = exchange
  if (exchange.broken) return { refusal: exchange.broken }
  const announced = req.headers['content-length']
  if (!announcesBody(req)) return { bytes: EMPTY }
  if (Number(announced) > limit) return { refusal: tooLarge(limit) }
  // The client waits for this before it sends the body; every check of the headers has passed.
  if (req.headers.expect !== undefined) res.writeContinue()
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const finish = (read: BodyRead): void => {
      exchange.fail = undefined
      req.off('data', onData)
      req.off('end', onEnd)
      req.off('close', onClose)
      resolve(read)
    }
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else {
        req.pause()
        finish({ refusal: tooLarge(limit) })
      }
    }
    const onEnd = (): void =>
      finish({ bytes: chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks) })
    // The client went away in the middle of its body: nobody reads the answer, but the pipeline ends in order.
    const onClose = (): void =>
      finish({ refusal: refuse('BAD_REQUEST', 'The body ended before it was complete.') })
    exchange.fail = (refusal) => finish({ refusal })
    req.on('data', onData)
    req.on('end', onEnd)
    req.on('close', onClose)
  })
}

/** Without either header there is no body: RFC 9112 section 6.3. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

function tooLarge(limit: number): Refusal {
  return refuse('BODY_TOO_LARGE', `The body is larger than ${limit} bytes.`)
}

/**
 * Whether so much of the request may still be on its way when the reply is sent that the connection is better
 * closed. What is left of a small announced body is read and dropped, and the connection lives on.
 */
export function isUnread(req: IncomingMessage, limit: number): boolean {
  if (req.complete) return false
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > limit
}
