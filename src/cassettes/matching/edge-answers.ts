import type { ErrorCode } from '../../errors/catalogue.ts'
import { headerOf } from '../../http/header-lines.ts'
import { idempotencyKey } from '../../http/idempotency-key.ts'
import { grantsToken, ROWS } from '../../operations/operations.ts'
import type { Interaction } from '../interaction.ts'
import { bufferOf } from '../message/bytes.ts'
import { readJson } from '../message/json-tree.ts'
import { comparedTarget } from '../message/target.ts'

/**
 * Refusals that follow from the request alone (and from the live store of keys): the gateway judges them itself at
 * replay, and a recorded one with the same code counts as used.
 */
const JUDGED_LIVE: ReadonlySet<string> = new Set<ErrorCode>([
  'BAD_REQUEST',
  'BODY_TOO_LARGE',
  'EXPECTATION_FAILED',
  'HEADERS_TOO_LARGE',
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_KEY_REQUIRED',
  'IDEMPOTENCY_KEY_REUSED',
  'INSUFFICIENT_SCOPE',
  'MALFORMED_BODY',
  'METHOD_NOT_ALLOWED',
  'NOT_FOUND',
  'PARTNER_MISMATCH',
  'REQUEST_TIMEOUT',
  'TOKEN_INVALID',
  'TOKEN_MISSING',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_FAILED',
])

/** Refusals that leave their key free, so that the same request may be answered otherwise the next time. */
const NOT_STORED: ReadonlySet<string> = new Set<ErrorCode>([
  'PARTNER_LIMIT_EXCEEDED',
  ...ROWS.flatMap(({ momentary = [] }) => momentary),
])

/** The code of a refusal of the edge; undefined for every other answer. */
export function edgeCode({ origin }: Pick<Interaction, 'origin'>): string | undefined {
  return origin.startsWith('edge:') ? origin.slice(5) : undefined
}

/** Whether the gateway gives this answer by itself, without looking at the tape. */
export function isJudgedLive(interaction: Interaction): boolean {
  const code = edgeCode(interaction)
  return code !== undefined && !isTokenExchange(interaction) && JUDGED_LIVE.has(code)
}

export function isTokenExchange({ operation }: Interaction): boolean {
  return grantsToken(operation)
}

/** Whether an answer is kept under its Idempotency-Key. */
export function isStored({ reply, origin }: Interaction): boolean {
  if (!reply || reply.status >= 500 || reply.status === 409 || reply.status === 429) return false
  const code = edgeCode({ origin }) ?? problemCode(reply.body)
  if (code === undefined) return true
  return !NOT_STORED.has(code) && !JUDGED_LIVE.has(code) && code !== 'TOKEN_EXPIRED'
}

function problemCode(body: Uint8Array): string | undefined {
  // Most answers have none, and need not be parsed to see it.
  const bytes = bufferOf(body)
  if (!bytes.includes('"code"') && !bytes.includes('\\')) return undefined
  const root = readJson(body)?.root
  if (root?.kind !== 'object') return undefined
  const node = root.members.find(({ name }) => name === 'code')?.node
  return node?.kind === 'string' ? node.value : undefined
}

/** The granted scopes of a recorded token exchange. The token itself is no longer there. */
export function scopesOf({ reply }: Interaction): readonly string[] {
  const root = reply && readJson(reply.body)?.root
  if (root?.kind !== 'object') return []
  const node = root.members.find(({ name }) => name === 'scope')?.node
  return node?.kind === 'string' ? node.value.split(' ').filter((scope) => scope !== '') : []
}

/**
 * Recorded retries: the answers that the recording gateway had repeated from its store. They count as used with
 * their original. One whose original was not recorded is an original here.
 */
export function recordedRetries(interactions: readonly Interaction[]): ReadonlyMap<Interaction, Interaction> {
  const originals = new Map<string, Interaction>()
  const retries = new Map<Interaction, Interaction>()
  for (const interaction of interactions) {
    const key = headerOf(interaction.request.headers, 'idempotency-key')
    if (key === undefined || !interaction.reply) continue
    const name = `${interaction.lane}\n${idempotencyKey(key)}\n${comparedTarget(interaction.request.target).path}`
    const original = originals.get(name)
    const isRetry = headerOf(interaction.reply.headers, 'idempotency-replayed') === 'true'
    if (isRetry && original) retries.set(interaction, original)
    else if (isStored(interaction)) originals.set(name, interaction)
  }
  return retries
}
