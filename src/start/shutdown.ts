import type { FastifyInstance } from 'fastify'
import type { Lifecycle } from '../gateway/lifecycle.ts'
import type { Store } from '../store/store.ts'

export type Stoppable = {
  readonly partner: FastifyInstance
  readonly operator: { readonly end: () => Promise<void> }
  readonly store: Store
  readonly lifecycle: Lifecycle
  readonly recordings: { readonly close: () => Promise<void> }
  readonly deciders: { readonly close: () => Promise<void> }
  readonly history: { readonly stop: () => Promise<void> }
  readonly sweeping: { readonly stop: () => Promise<void> }
  readonly backups: { readonly ended: () => Promise<unknown> }
  readonly lameDuckMs: number
  readonly drainMs: number
}

const LAST_BYTES_MS = 250

/**
 * Not ready at once, while everything is served for `lameDuckMs`, so that balancers and clients go elsewhere. Then new
 * connections are refused and new requests on open ones are told 503; what is in flight finishes within `drainMs`; then
 * every connection is closed and the store flushed. Operators are answered to the very end. Safe to call twice.
 */
export async function stop({
  partner,
  operator,
  store,
  lifecycle,
  recordings,
  deciders,
  history,
  sweeping,
  backups,
  lameDuckMs,
  drainMs,
}: Stoppable): Promise<void> {
  lifecycle.leaveSoon()
  if (lameDuckMs > 0) await elapsed(lameDuckMs)
  const drained = lifecycle.drain()
  const { server } = partner
  server.close()
  server.closeIdleConnections()
  await Promise.race([drained, elapsed(drainMs)])
  // Answers that have been written may still be on their way out of the socket buffers.
  server.closeIdleConnections()
  await Promise.race([closed(partner), elapsed(LAST_BYTES_MS)])
  server.closeAllConnections()
  await partner.close()
  // What an upstream has not answered by now is unknown, and its keys say so when the store closes.
  await deciders.close()
  await recordings.close()
  await sweeping.stop()
  await history.stop()
  await backups.ended()
  await store.close()
  await operator.end()
  lifecycle.close()
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

function closed({ server }: FastifyInstance): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) resolve()
    else server.once('close', resolve)
  })
}
