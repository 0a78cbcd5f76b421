import type { IncomingMessage } from 'node:http'

const LINGER_MS = 1000
const LINGER_BYTES = 1_048_576

/**
 * Closing a socket whose receive buffer still holds data resets the connection, and the reset can overtake the
 * reply. So after a reply to an unread body the write side is closed, a megabyte of the rest is read and thrown
 * away, and what is more has to wait on the client's side until a second has gone by.
 */
export function lingeringClose(req: IncomingMessage): void {
  const { socket } = req
  const destroySoon = socket.destroySoon.bind(socket)
  // Node calls destroySoon when the last response of a connection has been written.
  socket.destroySoon = () => {
    const startBytes = socket.bytesRead
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    const onData = (): void => {
      if (socket.bytesRead - startBytes <= LINGER_BYTES) return
      // The request as well: while somebody reads it, it makes the socket go on.
      req.pause()
      socket.pause()
    }
    socket.once('close', () => clearTimeout(timer))
    socket.once('end', destroySoon)
    // Not of the request: Node drops the rest of an unread body without telling it.
    socket.on('data', onData)
    req.resume()
    socket.end()
  }
}
