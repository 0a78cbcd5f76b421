import type { Refusal } from '../errors/refusal.ts'
import type { Edge } from './context.ts'
import type { Exchange } from './exchange.ts'
import { rateLimited } from './reply.ts'
import { failureWindows } from './token-windows.ts'

/**
 * Counts credentials that proved nothing: the pair of the name they came with and the address first, and the address
 * only with a pair that still has room. The reply shows the tighter of the two. A refusal when one of them is full.
 */
export async function countFailure(
  edge: Edge,
  exchange: Exchange,
  name: string,
): Promise<Refusal | undefined> {
  const now = edge.clock.now()
  const { pair, address } = failureWindows(exchange.settings, edge.store.secret(), exchange.client, name)
  const ofPair = await edge.store.take(pair, now)
  const ofAddress = ofPair.full ? undefined : await edge.store.take(address, now)
  const addressIsTighter =
    ofAddress !== undefined && (ofAddress.full || ofAddress.remaining < ofPair.remaining)
  exchange.window = addressIsTighter ? address : pair
  const state = addressIsTighter && ofAddress ? ofAddress : ofPair
  exchange.windowState = state
  return state.full ? rateLimited(exchange.window, state, now) : undefined
}
