import { Readable } from 'node:stream'
import { systemClock } from '../../clock.ts'
import type { UpstreamConfig } from '../../config/upstream.ts'
import { type HeaderLine, headerOf } from '../../http/header-lines.ts'
import type { Awaitable } from '../../store/store.ts'
import type { HttpClient } from '../../upstream/client.ts'
import { codingsOf, decodeStream, decodeWhole } from '../../upstream/decode.ts'
import { type Exchanged, exchange } from '../../upstream/exchange.ts'
import { mayRetry, UpstreamFault } from '../../upstream/failure.ts'
import type { Circumstances, Happening } from '../../upstream/verdict.ts'
import { answerLines, NOTHING_SAID, readAnswer, type Said } from './answer.ts'

/** Where requests go, and within which bounds. */
export type DeliveryRoute = {
  readonly client: HttpClient
  readonly config: UpstreamConfig
  /** By which URLs in an answer are told from others. */
  readonly origins: Parameters<typeof answerLines>[1]
}

/** What has come back, with its body as it is without any coding. */
export type Answer = {
  readonly status: number
  readonly lines: readonly HeaderLine[]
  readonly body: Buffer | Readable
  readonly contentLength: string | undefined
  readonly said: Said
}

/** What has become of it. */
export type Delivered = {
  readonly happening: Happening
  readonly answer?: Answer
}

/** A request as it is to be delivered. */
export type Sending = {
  /** Whose share of the connections it takes. */
  readonly owner: string
  readonly operation: string
  readonly requestId: string
  readonly method: string
  readonly target: string
  readonly body: Buffer | null
  readonly lines: () => Awaitable<readonly HeaderLine[]>
  /** Whether other credentials can be had after these have been refused. */
  readonly renew: (lines: readonly HeaderLine[]) => boolean
  readonly circumstances: Circumstances
}

/**
 * Sends a request until something stands: once more where a connection broke that took nothing, and once more with other
 * credentials. `deadline`: of performance.now(). It throws nothing: what fails is a happening.
 */
export async function deliver(route: DeliveryRoute, sending: Sending, deadline: number): Promise<Delivered> {
  let mayRenew = true
  let maySendAgain = true
  for (;;) {
    let lines: readonly HeaderLine[]
    try {
      const coming = sending.lines()
      lines = coming instanceof Promise ? await within(coming, deadline) : coming
    } catch (error) {
      return { happening: { kind: 'failed', error, wasSent: false } }
    }
    const exchanged = await sendOnce(route, sending, lines, deadline)
    if (
      exchanged.kind === 'failed' &&
      maySendAgain &&
      mayRetry(sending.method, sending.body !== null, exchanged.error)
    ) {
      maySendAgain = false
      continue
    }
    const delivered = await read(route, exchanged, sending.circumstances.isSafe)
    const { happening } = delivered
    const isRefused = happening.kind === 'answered' && happening.status === 401
    if (isRefused && mayRenew && sending.renew(lines)) {
      mayRenew = false
      if (delivered.answer?.body instanceof Readable) delivered.answer.body.destroy()
      continue
    }
    return delivered
  }
}

function sendOnce(
  { client, config }: DeliveryRoute,
  { method, target, body }: Sending,
  lines: readonly HeaderLine[],
  deadline: number,
): Promise<Exchanged> {
  return exchange(
    client,
    { method, target, lines, body },
    {
      connectMs: config.connectTimeoutMs,
      answerMs: config.timeoutMs,
      deadline,
      holdBytes: body === null ? undefined : config.maxAnswerBytes,
    },
  )
}

async function read(
  { config, origins }: DeliveryRoute,
  exchanged: Exchanged,
  isSafe: boolean,
): Promise<Delivered> {
  if (exchanged.kind === 'failed') return { happening: exchanged }
  const { status, lines } = exchanged.head
  const codings = codingsOf(lines)
  let body = exchanged.body
  try {
    if (codings.length > 0 && !(body instanceof Readable)) {
      body = isSafe
        ? decodeStream(codings, Readable.from([body]))
        : await decodeWhole(codings, body, config.maxAnswerBytes)
    } else if (body instanceof Readable && codings.length > 0) body = decodeStream(codings, body)
  } catch (error) {
    if (exchanged.body instanceof Readable) exchanged.body.destroy()
    return { happening: { kind: 'failed', error, wasSent: true } }
  }
  const said = body instanceof Readable ? NOTHING_SAID : readAnswer(lines, body)
  const length = codings.length === 0 ? headerOf(lines, 'content-length') : undefined
  return {
    happening: {
      kind: 'answered',
      status,
      code: said.code,
      challenges: lines.some(isBearerChallenge),
      retryAfterSeconds: secondsOf(headerOf(lines, 'retry-after')),
    },
    answer: {
      status,
      lines: answerLines(lines, origins, codings.length > 0),
      body,
      contentLength: length,
      said,
    },
  }
}

function isBearerChallenge([name, value]: HeaderLine): boolean {
  return name.toLowerCase() === 'www-authenticate' && /(?:^|,)\s*bearer\b/i.test(value)
}

/** Some eleven days: more is written nowhere in earnest. */
const MOST_SECONDS = 999_999

/** Seconds, or an HTTP date (RFC 9110 section 10.2.3), by the clock of this machine; undefined for anything else. */
function secondsOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined
  const isSeconds = /^[0-9]+$/.test(retryAfter)
  const seconds = isSeconds ? Number(retryAfter) : (Date.parse(retryAfter) - systemClock.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(MOST_SECONDS, Math.max(1, Math.ceil(seconds)))
}

/** What is not there by the deadline, of performance.now(), has failed. */
async function within<T>(coming: Promise<T>, deadline: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new UpstreamFault('CONNECTION_WAIT')), deadline - performance.now())
  })
  try {
    return await Promise.race([coming, late])
  } finally {
    clearTimeout(timer)
  }
}
