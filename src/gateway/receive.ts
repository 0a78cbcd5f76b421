import type { Refusal } from '../errors/refusal.ts'
import { type Gateway, isTaped } from './context.ts'
import type { Exchange } from './exchange.ts'
import { rateLimited } from './reply.ts'
import { type BodyRead, readBody, type Wait } from './wire/body.ts'

/**
 * The body of a request. One that is not there at once has to wait: it spends its window first where its head names
 * whom it counts against, and takes one of the places that its address and its partner have for unfinished requests.
 */
export function receiveBody(
  gateway: Gateway,
  exchange: Exchange,
  isSubjectKnown: boolean,
): Promise<BodyRead> {
  const bounds = exchange.settings.config.server
  const { openLong } = gateway.answerer
  return readBody(exchange, bounds, () => mayWait(gateway, exchange, isSubjectKnown), openLong)
}

async function mayWait(gateway: Gateway, exchange: Exchange, isSubjectKnown: boolean): Promise<Wait> {
  const { window, client, principal } = exchange
  if (isSubjectKnown) {
    const now = gateway.clock.now()
    const state = await gateway.store.take(window, now)
    exchange.windowState = state
    // A recording keeps what was sent of a refused request too.
    if (state.full && !isTaped(gateway)) return { refusal: rateLimited(window, state, now) }
  }
  return gateway.unfinished.enter(client.subject, principal?.partner.id)
}

/** From its last byte on a request is in flight: what stands in the way of that. */
export function enter({ lifecycle }: Gateway, exchange: Exchange): Refusal | undefined {
  if (exchange.standing !== 'arriving') return undefined
  const refusal = lifecycle.enter()
  if (!refusal) exchange.standing = 'in-flight'
  return refusal
}
