import type { ErrorCode } from '../../errors/catalogue.ts'
import { grantsToken, ROWS } from '../../operations/operations.ts'
import type { Interaction } from '../interaction.ts'
import { bufferOf } from '../message/bytes.ts'
import { readJson } from '../message/json-tree.ts'

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
  'INVALID_CLIENT',
  'INVALID_REQUEST',
  'INVALID_SCOPE',
  'MALFORMED_BODY',
  'METHOD_NOT_ALLOWED',
  'NOT_FOUND',
  'PARTNER_MISMATCH',
  'REQUEST_TIMEOUT',
  'TOKEN_INVALID',
  'TOKEN_MISSING',
  'UNSUPPORTED_GRANT_TYPE',
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

/** Statuses that say of the request alone that it is not taken, whatever the words of the sandbox are. */
const REFUSING: ReadonlySet<number> = new Set([
  400, 401, 403, 405, 406, 411, 413, 414, 415, 417, 422, 426, 428, 431,
])

/** Refusals with such a status that follow from what had happened before, or that a decision has made. */
const OF_HISTORY: ReadonlySet<string> = new Set<ErrorCode>([
  'TOKEN_EXPIRED',
  'PARTNER_LIMIT_EXCEEDED',
  ...ROWS.flatMap(({ errors }) => errors),
])

/** The code of a recorded refusal, in whatever words; undefined where it has none. */
export function refusalCode(interaction: Interaction): string | undefined {
  const { reply } = interaction
  return edgeCode(interaction) ?? (reply && reply.status >= 400 ? problemCode(reply.body) : undefined)
}

/** Whether the sandbox has refused the request for what it was, so that it always would. */
export function isRefusal(interaction: Interaction): boolean {
  const { reply } = interaction
  if (!reply || reply.status < 400) return false
  const code = refusalCode(interaction)
  if (code !== undefined && JUDGED_LIVE.has(code)) return true
  if (interaction.origin !== 'upstream' || !REFUSING.has(reply.status)) return false
  return code === undefined || !OF_HISTORY.has(code)
}

/** Refusals of a token that was sent. Nothing that a recording has accepted speaks for a token. */
const OF_TOKENS: ReadonlySet<string> = new Set<ErrorCode>([
  'TOKEN_INVALID',
  'TOKEN_EXPIRED',
  'INSUFFICIENT_SCOPE',
])

export function isOfToken(code: string): boolean {
  return OF_TOKENS.has(code)
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
