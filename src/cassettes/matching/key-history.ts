import { headerOf } from '../../http/header-lines.ts'
import { idempotencyKey } from '../../http/idempotency-key.ts'
import type { Interaction } from '../interaction.ts'
import { comparedTarget } from '../message/target.ts'
import { isStored, isTokenExchange } from './edge-answers.ts'

/** What the Idempotency-Keys of a recording say of its interactions. */
export type KeyHistory = {
  /**
   * Recorded retries, each with its original: the answers that the recording gateway had repeated from its store. They
   * count as used with their original. One whose original was not recorded is an original here.
   */
  readonly retries: ReadonlyMap<Interaction, Interaction>
  /** Those whose key belonged to another kept answer by then, and that were answered otherwise all the same. */
  readonly repeated: ReadonlySet<Interaction>
}

export function keyHistory(interactions: readonly Interaction[]): KeyHistory {
  const retries = new Map<Interaction, Interaction>()
  const repeated = new Set<Interaction>()
  /** What a gateway has kept: under a key, and under a key and a path. */
  const originals = new Map<string, Interaction>()
  for (const interaction of interactions) {
    const { request, reply, lane } = interaction
    const key = headerOf(request.headers, 'idempotency-key')
    if (key === undefined || !reply || request.method === 'GET' || request.method === 'HEAD') continue
    if (isTokenExchange(interaction)) continue
    const name = `${lane}\n${idempotencyKey(key)}`
    const pathName = `${name}\n${comparedTarget(request.target).path}`
    if (isReplayed(interaction)) {
      const original = originals.get(pathName)
      if (original) retries.set(interaction, original)
      continue
    }
    if (originals.has(name)) repeated.add(interaction)
    if (!isStored(interaction)) continue
    if (!originals.has(name)) originals.set(name, interaction)
    if (!originals.has(pathName)) originals.set(pathName, interaction)
  }
  return { retries, repeated }
}

function isReplayed({ reply }: Interaction): boolean {
  return headerOf(reply?.headers ?? [], 'idempotency-replayed') === 'true'
}
