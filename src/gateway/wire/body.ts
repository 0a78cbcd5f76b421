import type { IncomingMessage } from 'node:http'
import { bufferOf } from '../../cassettes/message/bytes.ts'
import { type Refusal, refuse } from '../../errors/refusal.ts'
import type { Exchange } from '../exchange.ts'

export type BodyRead =
  | { readonly bytes: Buffer; readonly refusal?: never }
  /** `bytes`: it is longer than the edge takes, and was read for whoever compares it. */
  | { readonly bytes?: Buffer; readonly refusal: Refusal }

export type BodyBounds = { readonly bodyBytes: number; readonly bodyTimeoutMs: number }

/** Whether a body that is not there at once may be waited for; `leave` is called when the wait is over. */
export type Wait = { readonly leave: () => void } | { readonly refusal: Refusal }

/** A body that is longer than the edge takes, for whoever compares it. */
export type LongBody = {
  readonly add: (chunk: Uint8Array) => void
  /** What has passed, or stands for it; the memory belongs to the caller from here on. */
  readonly take: () => Uint8Array
  /** Gives up what has passed. */
  readonly drop: () => void
  /** Whether it was dropped for want of room. */
  readonly isLost: () => boolean
}

const EMPTY = Buffer.alloc(0)

/**
 * Reads the body as bytes, once, up to the bound. A body that is announced or turns out to be larger is refused and
 * left unread; the reply then closes the connection instead of draining it. With `openLong` it is read to its end.
 * What has come with the head is read at once; for the rest `wait` is asked.
 */
export async function readBody(
  exchange: Exchange,
  bounds: BodyBounds,
  wait: () => Promise<Wait>,
  openLong?: () => LongBody,
): Promise<BodyRead> {
  const { req, res } = exchange
  if (exchange.broken) return { refusal: exchange.broken }
  if (!announcesBody(req)) return { bytes: EMPTY }
  if (Number(req.headers['content-length']) > bounds.bodyBytes && !openLong)
    return { refusal: tooLarge(bounds.bodyBytes) }
  const reading = startReading(exchange, bounds.bodyBytes, openLong)
  const isAwaiting = awaitsContinue(req)
  const atOnce = isAwaiting ? undefined : await reading.thisTurn()
  if (atOnce) return atOnce
  const waiting = await wait()
  if ('refusal' in waiting) {
    reading.stop({ refusal: waiting.refusal })
    return reading.whole
  }
  const since = performance.now()
  // The client waits for this before it sends the body; every check of the headers has passed.
  if (isAwaiting) res.writeContinue()
  const timer = setTimeout(() => {
    exchange.broken = refuse('REQUEST_TIMEOUT', 'The body did not arrive in time.')
    reading.stop({ refusal: exchange.broken })
  }, bounds.bodyTimeoutMs)
  try {
    return await reading.whole
  } finally {
    clearTimeout(timer)
    exchange.waitedMs += performance.now() - since
    waiting.leave()
  }
}

type Reading = {
  readonly whole: Promise<BodyRead>
  /** The body, if it is whole before the loop goes back to the sockets: it has come with its head. */
  readonly thisTurn: () => Promise<BodyRead | undefined>
  /** Ends the reading with this, unless it has ended. */
  readonly stop: (read: BodyRead) => void
}

function startReading(exchange: Exchange, limit: number, openLong?: () => LongBody): Reading {
  const { req } = exchange
  let stop: (read: BodyRead) => void = () => {}
  const whole = new Promise<BodyRead>((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    let long: LongBody | undefined
    stop = (read) => {
      long?.drop()
      exchange.fail = undefined
      req.off('data', onData)
      req.off('end', onEnd)
      req.off('close', onClose)
      resolve(read)
    }
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else if (openLong) {
        long ??= opened(openLong, chunks)
        long.add(chunk)
      } else {
        req.pause()
        stop({ refusal: tooLarge(limit) })
      }
    }
    const onEnd = (): void => {
      const ended = long
      long = undefined
      if (ended) stop(longRead(ended, limit))
      else stop({ bytes: chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks) })
    }
    // The client went away in the middle of its body: nobody reads the answer, but the pipeline ends in order.
    const onClose = (): void =>
      stop({ refusal: refuse('BAD_REQUEST', 'The body ended before it was complete.') })
    exchange.fail = (refusal) => stop({ refusal })
    req.on('data', onData)
    req.on('end', onEnd)
    req.on('close', onClose)
  })
  const thisTurn = () =>
    new Promise<BodyRead | undefined>((resolve) => {
      const immediate = setImmediate(() => resolve(undefined))
      void whole.then((read) => {
        clearImmediate(immediate)
        resolve(read)
      })
    })
  return { whole, thisTurn, stop }
}

/** What has come so far is no longer held twice. */
function opened(openLong: () => LongBody, chunks: Buffer[]): LongBody {
  const long = openLong()
  for (const chunk of chunks) long.add(chunk)
  chunks.length = 0
  return long
}

function longRead(long: LongBody, limit: number): BodyRead {
  const body = long.take()
  if (!long.isLost()) return { bytes: bufferOf(body), refusal: tooLarge(limit) }
  const refusal = refuse('OVERLOADED', 'The long bodies that are here at once are more than can be held.', {
    retryAfterSeconds: 1,
  })
  return { refusal }
}

/** RFC 9110 section 10.1.1: a client of HTTP/1.0 knows no interim answer, and would take it for the answer. */
function awaitsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersionMinor >= 1
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
