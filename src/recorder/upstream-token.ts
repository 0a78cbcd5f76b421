import type { CapturedExchange, CapturedReply, CapturedRequest } from '../cassettes/interaction.ts'
import { bearerOf, grantOf, tokenHash } from '../cassettes/message/granted-token.ts'
import { readableBody } from '../cassettes/message/readable-body.ts'
import { secretsOfFields } from '../cassettes/redaction/body.ts'
import { CONTRACT_FIELDS } from '../cassettes/redaction/contract.ts'
import { secretsOfHeaders } from '../cassettes/redaction/headers.ts'
import { createFieldLookup } from '../cassettes/redaction/stand-ins/field-rules.ts'
import type { Writer } from '../cassettes/writer/writer.ts'
import type { Clock } from '../clock.ts'
import { createGrowingCache } from '../growing-cache.ts'
import { type HeaderLine, headerOf } from '../http/header-lines.ts'
import { failureOf } from '../upstream/failure.ts'

/** A token exchange as its client sent it: the credentials are in memory only, until the recorder ends. */
export type Asked = {
  readonly lane: string
  readonly operation: string
  readonly request: CapturedRequest
  /** It is not on the tape. */
  readonly isNew: boolean
}

export type UpstreamTokens = {
  /** The tape has granted a token, which means nothing to the upstream. */
  readonly granted: (asked: Asked, reply: CapturedReply) => void
  /**
   * The headers of a request with a token of the upstream's in place of the one that the tape has granted.
   * @throws UpstreamTokenError
   */
  readonly authorize: (headers: readonly HeaderLine[], startedAt: number) => Promise<readonly HeaderLine[]>
}

export class UpstreamTokenError extends Error {
  override readonly name = 'UpstreamTokenError'
}

export type UpstreamTokensOptions = {
  /** Asks the upstream. */
  readonly send: (request: CapturedRequest) => Promise<CapturedReply>
  readonly writer: Pick<Writer, 'learn' | 'record'>
  readonly clock: Clock
}

type Grant = { readonly token: string; readonly until: number }
type Client = { grant: Promise<Grant> | undefined; isRecorded: boolean }

const MAX_TOKENS = 10_000
/** A token is not used when it is about to expire on the way. */
const MARGIN_MS = 10_000
const FIELDS = createFieldLookup(CONTRACT_FIELDS)

/**
 * Tokens for requests that are passed on. The upstream is asked when the first such request of a client comes, with
 * what the client had sent; an exchange that the tape does not have is then recorded.
 */
export function createUpstreamTokens({ send, writer, clock }: UpstreamTokensOptions): UpstreamTokens {
  const askedFor = createGrowingCache<Asked>(MAX_TOKENS)
  const clients = createGrowingCache<Client>(MAX_TOKENS)

  const exchange = async (asked: Asked, client: Client, startedAt: number): Promise<Grant> => {
    const { lane, operation, request } = asked
    for (const secret of secretsOf(request)) writer.learn(secret)
    const started = performance.now()
    const reply = await send(request).catch((error: unknown) => {
      throw new UpstreamTokenError(`the token exchange with the upstream failed (${failureOf(error).cause}).`)
    })
    for (const secret of secretsOf(reply)) writer.learn(secret)
    const grant = grantOf(reply)
    if (!grant) throw new UpstreamTokenError(`the upstream has refused the token exchange (${reply.status}).`)
    if (asked.isNew && !client.isRecorded) {
      client.isRecorded = true
      const durationMs = performance.now() - started
      writer.record({ ...PASSED_ON, operation, startedAt, durationMs, lane, request, reply })
    }
    const lifetimeMs = grant.seconds === undefined ? Number.POSITIVE_INFINITY : grant.seconds * 1000
    return { token: grant.token, until: clock.now() + lifetimeMs - MARGIN_MS }
  }

  const tokenOf = async (asked: Asked, startedAt: number): Promise<string> => {
    const key = credentialsOf(asked)
    const client = clients.get(key) ?? { grant: undefined, isRecorded: false }
    clients.set(key, client)
    const known = await client.grant
    if (known && known.until > clock.now()) return known.token
    client.grant = exchange(asked, client, startedAt)
    try {
      return (await client.grant).token
    } catch (error) {
      client.grant = undefined
      throw error
    }
  }

  return {
    granted: (asked, reply) => {
      const grant = grantOf(reply)
      if (grant) askedFor.set(tokenHash(grant.token), asked)
    },
    authorize: async (headers, startedAt) => {
      const token = bearerOf(headers)
      const asked = token === undefined ? undefined : askedFor.get(tokenHash(token))
      if (!asked) return headers
      const authorization = `Bearer ${await tokenOf(asked, startedAt)}`
      return headers.map(
        ([name, value]): HeaderLine => [name, name.toLowerCase() === 'authorization' ? authorization : value],
      )
    },
  }
}

const PASSED_ON = {
  partner: undefined,
  origin: 'upstream',
} as const satisfies Partial<CapturedExchange>

/** The same client asks for the same token again and again, under new Idempotency-Keys and with new tokens of ours. */
function credentialsOf({ lane, request: { headers, body } }: Asked): string {
  const text = Buffer.from(body).toString('latin1')
  return tokenHash(`${lane}\n${headerOf(headers, 'authorization') ?? ''}\n${text}`)
}

function secretsOf(message: CapturedRequest | CapturedReply): string[] {
  return [...secretsOfHeaders(message.headers), ...secretsOfFields(readableBody(message).fields, FIELDS)]
}
