import type { ErrorCode } from '../../errors/catalogue.ts'
import type { Interaction } from '../interaction.ts'
import { edgeCode } from '../matching/edge-answers.ts'
import { placeKey } from '../message/place.ts'
import { valuesOf } from '../message/values.ts'
import { UNREADABLE } from '../redaction/stored-body.ts'

/** Refusals that follow from what had happened before or from the hour; a fresh run cannot bring them about. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set<ErrorCode>([
  'IDEMPOTENCY_IN_PROGRESS',
  'KYC_SESSION_EXPIRED',
  'PARTNER_LIMIT_EXCEEDED',
  'RATE_LIMITED',
  'REQUEST_TIMEOUT',
  'TOKEN_EXPIRED',
])

/** Refusals of headers that a cassette does not keep. */
const OF_LOST_HEADERS: ReadonlySet<string> = new Set<ErrorCode>(['EXPECTATION_FAILED', 'HEADERS_TOO_LARGE'])

const CODE = placeKey({ part: 'reply-body', pointer: '/code' })

/** The error code of a recorded refusal. */
export function refusalCode(interaction: Interaction): string | undefined {
  return edgeCode(interaction) ?? valuesOf(interaction).get(CODE)
}

/** Why an entry says nothing about today's sandbox; undefined when it does. */
export function reasonToSkip(interaction: Interaction): string | undefined {
  const { reply, redactions } = interaction
  if (reply === undefined) return 'it has no recorded reply'
  const code = refusalCode(interaction)
  if (code !== undefined && OF_THE_MOMENT.has(code)) return `${code} depends on what had happened before`
  if (code !== undefined && OF_LOST_HEADERS.has(code)) return `${code} was about a header that is not kept`
  if (reply.status === 429 || reply.status >= 500) return `${reply.status} was a fault of that moment`
  if (reply.status === 424) return 'it is a miss of a replay'
  const lost = redactions.some(
    ({ rule, place }) => rule.startsWith(UNREADABLE) && place.part === 'request-header',
  )
  return lost ? 'its body was not kept, because nothing here can read its encoding' : undefined
}
