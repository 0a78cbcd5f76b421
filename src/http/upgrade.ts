import type { IncomingMessage, ServerResponse } from 'node:http'

type Emitter = {
  readonly prependListener: (
    event: string,
    listener: (req: IncomingMessage, res: ServerResponse) => void,
  ) => unknown
  readonly listenerCount: (event: string) => number
}

/** What a request is emitted as; a listener for the last two makes their answers ours, so there must be one already. */
const REQUESTS = ['request', 'checkContinue', 'checkExpectation'] as const

/**
 * Nothing is upgraded here, so a request that asks for it is answered like any other, and its connection is closed:
 * Node's parser drops what came in one piece with such a request. Whoever has pipelined the next one behind it would
 * take the answer to a later request for that of the dropped one (decision 42). To be called when the server has its
 * listeners.
 */
export function closeAfterUpgrade(server: Emitter): void {
  for (const event of REQUESTS)
    if (event === 'request' || server.listenerCount(event) > 0) server.prependListener(event, closeIfUpgrade)
}

function closeIfUpgrade({ headers }: IncomingMessage, res: ServerResponse): void {
  if (headers.upgrade !== undefined) res.shouldKeepAlive = false
}
