import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { connectionOf, lastUnanswered } from './connection.ts'

/**
 * Closes connections whose time is over: idle ones, and those of a client that takes nothing of an answer that is
 * there for it. One that waits for the gateway waits as long as the gateway takes.
 */
export function closeStalled(server: Server): void {
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0 || !lastUnanswered(connectionOf(socket))) socket.destroy()
  })
}

/** From here on the client has so long to take some more of what it has asked for; Node looks at what has gone out. */
export function expectReading({ socket }: IncomingMessage, withinMs: number): void {
  if (socket.timeout !== withinMs) socket.setTimeout(withinMs)
}
