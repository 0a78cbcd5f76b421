import type { Duplex } from 'node:stream'
import type { ClientSubject } from '../checks/client-ip.ts'
import { createTokenMemo, type TokenMemo } from '../tokens/verify.ts'
import type { Exchange } from './exchange.ts'

/** What is remembered of a connection from one request to the next. */
export type Connection = {
  /** Its requests in order, from the oldest whose response has not been written. */
  readonly exchanges: Exchange[]
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
  const connection = { exchanges: [], token: createTokenMemo(), client: undefined, forwardedFor: undefined }
  socket[CONNECTION] = connection
  return connection
}

/** Adds an exchange to its connection; returns how many of the connection have no response yet, itself included. */
export function track(exchange: Exchange): number {
  const { exchanges } = exchange.connection
  // A response is over in the order of its request, so those that are stand in front.
  while (exchanges[0]?.res.closed) exchanges.shift()
  return exchanges.push(exchange)
}

/** The last exchange whose response has not been written, if there is one. */
export function lastUnanswered({ exchanges }: Connection): Exchange | undefined {
  const last = exchanges.at(-1)
  return last === undefined || last.res.closed ? undefined : last
}
