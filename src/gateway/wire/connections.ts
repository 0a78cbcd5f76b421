import type { Server, Socket } from 'node:net'
import { createTally } from '../tally.ts'

export type ConnectionBounds = {
  readonly perAddress: number
  /** Whom a connection from this address belongs to. */
  readonly ownerOf: (address: string) => string
  /** A proxy brings the connections of many, and has its own bounds for each. */
  readonly isProxy: (address: string) => boolean
}

/** `refused`: connections that were closed at once, by this bound or by that of the whole listener. */
export type Connections = { readonly refused: () => number }

/** Closes, without a word, what one address opens beyond its bound, so that nobody can fill the listener alone. */
export function boundConnections(server: Server, bounds: ConnectionBounds): Connections {
  const tally = createTally(bounds.perAddress)
  let refused = 0
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    // It has gone again already.
    if (address === undefined) return
    const owner = bounds.isProxy(address) ? undefined : bounds.ownerOf(address)
    if (owner !== undefined && !tally.take(owner)) {
      refused++
      socket.destroy()
      return
    }
    if (owner !== undefined) socket.once('close', () => tally.giveBack(owner))
  })
  server.on('drop', () => {
    refused++
  })
  return { refused: () => refused }
}
