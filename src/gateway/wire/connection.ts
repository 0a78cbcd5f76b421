import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ClientSubject } from '../../checks/client-ip.ts'
import type { Refusal } from '../../errors/refusal.ts'
import { createTokenMemo, type TokenMemo } from '../../tokens/verify.ts'

/** What a connection knows of a request that it carries. */
export type Pending = {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Set while its body is awaited: ends the waiting. */
  fail: ((refusal: Refusal) => void) | undefined
  /** Why its body will never be whole. */
  broken: Refusal | undefined
  /** Its reply has left, and nobody but its connection looks at it any more. */
  isOver: boolean
}

/** What is remembered of a connection from one request to the next. */
export type Connection = {
  /** Its requests in order, from the oldest whose response has not been written. */
  readonly pending: Pending[]
  /** The last token that was sent and found good. */
  readonly token: TokenMemo
  /** Whom its last request counted against, and the X-Forwarded-For of that one. */
  client: ClientSubject | undefined
  forwardedFor: string | undefined
}

const CONNECTION = Symbol('connection')

type Owner = Duplex & { [CONNECTION]?: Connection }

/** Kept on the socket itself: a look-up for each request would cost more than the rest of what is done with it. */
export function connectionOf(socket: Owner): Connection {
  const known = socket[CONNECTION]
  if (known !== undefined) return known
  const connection = { pending: [], token: createTokenMemo(), client: undefined, forwardedFor: undefined }
  socket[CONNECTION] = connection
  return connection
}

/** Adds a request to its connection; returns how many of the connection have no response yet, itself included. */
export function track(request: Pending, { pending }: Connection): number {
  // A response is over in the order of its request, so those that are stand in front.
  for (let first = pending[0]; first?.res.closed; first = pending[0]) {
    pending.shift()
    if (first.isOver) letGo(first)
  }
  return pending.push(request)
}

/**
 * What became old in memory keeps what it leads to until the next full collection, dead or not, and each of these led
 * to later ones: 2.3 MB of payments became old with each scavenge, and 1.1 MB once they were let go of (decision 69).
 */
function letGo(gone: { req: unknown; res: unknown }): void {
  gone.req = undefined
  gone.res = undefined
}

/** The last request whose response has not been written, if there is one. */
export function lastUnanswered({ pending }: Connection): Pending | undefined {
  const last = pending.at(-1)
  return last === undefined || last.res.closed ? undefined : last
}
