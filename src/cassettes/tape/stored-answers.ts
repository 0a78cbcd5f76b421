import { headerOf } from '../../http/header-lines.ts'
import type { CapturedReply, CapturedRequest, Interaction } from '../interaction.ts'
import { compact } from '../matching/canonical-key.ts'
import { isStored } from '../matching/edge-answers.ts'
import type { Lane, StoredReply } from '../matching/lanes.ts'
import { bufferOf } from '../message/bytes.ts'
import type { RequestFacts } from '../message/request-facts.ts'

/** What a request says about repeating an answer: undefined for one that names no key, or cannot. */
export type KeyedRequest = { readonly key: string; readonly fingerprint: string }

export function keyedRequest(
  request: CapturedRequest,
  { method, idempotencyKey }: RequestFacts,
): KeyedRequest | undefined {
  if (method !== 'POST' || idempotencyKey === undefined) return undefined
  return { key: idempotencyKey, fingerprint: fingerprint(request) }
}

/** Keeps an answer under its Idempotency-Key, when it is one that a gateway keeps. */
export function storeAnswer(
  { stored }: Lane,
  { key, fingerprint }: KeyedRequest,
  interaction: Interaction,
  reply: CapturedReply,
): void {
  if (isStored(interaction)) stored.set(key, { fingerprint, interaction, reply })
}

/** The answer once more, marked as one. */
export function repeatedReply({ reply }: StoredReply): CapturedReply {
  return { ...reply, headers: [...reply.headers, ['Idempotency-Replayed', 'true']] }
}

/** What makes two requests the same request to an Idempotency-Key: every byte of the body. */
function fingerprint({ method, target, headers, body }: CapturedRequest): string {
  const type = headerOf(headers, 'content-type') ?? ''
  const outcome = headerOf(headers, 'x-sandbox-outcome') ?? ''
  return compact(`${method} ${target}\n${type}\n${outcome}\n${bufferOf(body).toString('latin1')}`)
}
