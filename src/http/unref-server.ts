type Unrefable = { readonly unref: () => unknown }

/**
 * Neither the listener nor a connection to it keeps the process alive. Whoever waits for an answer in this process does
 * that by waiting.
 */
export function unrefServer(
  server: Unrefable & {
    readonly on: (event: 'connection', listener: (socket: Unrefable) => void) => unknown
  },
): void {
  server.unref()
  server.on('connection', (socket) => socket.unref())
}
