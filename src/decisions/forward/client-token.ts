import type { UpstreamConfig } from '../../config/upstream.ts'
import { mediaTypeOf } from '../../http/media-type.ts'
import type { HttpClient } from '../../upstream/client.ts'
import { exchange } from '../../upstream/exchange.ts'
import { failureOf } from '../../upstream/failure.ts'

export type ClientToken = {
  /** The token of today, got once for all who wait. @throws ClientTokenError */
  readonly current: () => Promise<string>
  /** This one has been refused: the next one is got anew. */
  readonly forget: (token: string) => void
}

/** The upstream gives no token. The message has no secret, no address. */
export class ClientTokenError extends Error {
  override readonly name = 'ClientTokenError'
}

/** A token is not used when it is about to expire on the way. */
const MARGIN_MS = 10_000
/** Of a token that does not say how long it lives (RFC 6749 section 5.1). */
const DEFAULT_SECONDS = 300
const ANSWER_BYTES = 65_536

type Granted = { readonly token: string; readonly until: number }

/** `now`: milliseconds of a clock that only goes forward. */
export function createClientToken(
  auth: UpstreamConfig['auth'],
  secret: string,
  client: HttpClient,
  { timeoutMs, connectTimeoutMs }: Pick<UpstreamConfig, 'timeoutMs' | 'connectTimeoutMs'>,
  now: () => number,
): ClientToken {
  const { host, pathname } = new URL(auth.tokenUrl ?? '')
  let granted: Granted | undefined
  let coming: Promise<Granted> | undefined

  async function ask(): Promise<Granted> {
    const askedAt = now()
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: auth.clientId ?? '',
      client_secret: secret,
      ...(auth.scope !== null && { scope: auth.scope }),
    })
    const exchanged = await exchange(
      client,
      {
        method: 'POST',
        target: pathname,
        lines: [
          ['Host', host],
          ['Content-Type', 'application/x-www-form-urlencoded'],
          ['Accept', 'application/json'],
        ],
        body: Buffer.from(form.toString()),
      },
      { connectMs: connectTimeoutMs, answerMs: timeoutMs, holdBytes: ANSWER_BYTES },
    )
    if (exchanged.kind === 'failed') {
      throw new ClientTokenError(`the token exchange failed (${failureOf(exchanged.error).cause}).`)
    }
    const { head, body } = exchanged
    const answer = mediaTypeOf(head.lines) === 'application/json' ? readGrant(String(body)) : undefined
    if (head.status !== 200 || answer === undefined) {
      throw new ClientTokenError(`the token exchange was refused (${head.status}).`)
    }
    const lifeMs = answer.seconds * 1000
    return { token: answer.token, until: askedAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 2) }
  }

  return {
    current: async () => {
      if (granted && now() < granted.until) return granted.token
      coming ??= ask().finally(() => {
        coming = undefined
      })
      granted = await coming
      return granted.token
    },
    forget: (token) => {
      if (granted?.token === token) granted = undefined
    },
  }
}

function readGrant(text: string): { readonly token: string; readonly seconds: number } | undefined {
  try {
    const { access_token: token, expires_in: seconds } = JSON.parse(text) as Record<string, unknown>
    if (typeof token !== 'string' || !/^[!-~]{1,16384}$/.test(token)) return undefined
    const life = Number(seconds)
    return { token, seconds: Number.isFinite(life) && life > 0 ? life : DEFAULT_SECONDS }
  } catch {
    return undefined
  }
}
