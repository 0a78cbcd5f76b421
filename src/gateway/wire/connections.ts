import type { Server, Socket } from 'node:net'
import { createTally } from '../tally.ts'

export type ConnectionBounds = {
  readonly perAddress: number
  /** Whom a connection from this address belongs to. */
  readonly ownerOf: (address: string) => string
  /** A proxy brings the connections of many, and has its own bounds for each. */
  readonly isProxy: (address: string) => boolean
}

export type Connections = { readonly count: () => number; readonly refused: () => number }

/** Closes, without a word, what one address opens beyond its bound, so that nobody can fill the listener alone. */
export function boundConnections(server: Server, bounds: ConnectionBounds): Connections {
  const tally = createTally(bounds.perAddress)
  let count = 0
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
    count++
    socket.once('close', () => {
      count--
      if (owner !== undefined) tally.giveBack(owner)
    })
  })
  return { count: () => count, refused: () => refused }
}
