import type { CapturedExchange, HeaderLine } from '../cassettes/interaction.ts'
import { linesOf } from '../cassettes/raw-headers.ts'
import { instant } from '../clock.ts'
import { errorEntry } from '../errors/catalogue.ts'
import { problem } from '../errors/problem.ts'
import type { Refusal } from '../errors/refusal.ts'
import { prefersHtml } from '../portal/accept.ts'
import type { Visitor } from '../portal/page.ts'
import type { RateWindow, WindowState } from '../store/store.ts'
import { exchangeProblem } from '../tokens/exchange.ts'
import { isUnread } from './body.ts'
import { capturedRequest, laneOf, originOf } from './capture.ts'
import type { Gateway } from './context.ts'
import { isDocument } from './endpoint.ts'
import type { Exchange } from './exchange.ts'
import { lingeringClose } from './linger.ts'

/** What is sent: a status, headers beyond the common ones (lower-case names), and the body's bytes. */
export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** In place of `headers`: every header line of a recorded answer. */
  readonly lines?: readonly HeaderLine[]
  readonly body: Buffer | string
  /** In place of the body's own: of an answer to HEAD, whose body is known by its length alone. */
  readonly contentLength?: string
  /** The error code, for the log and the metrics. */
  readonly code?: string
}

/** The reply of a refusal: a problem document, the OAuth error of the token exchange, or a page for a browser. */
export function refusalReply(exchange: Exchange, refusal: Refusal, publicUrl: string): Reply {
  const { status } = errorEntry(refusal.code)
  const headers: Record<string, string> = { ...refusal.headers }
  if (refusal.retryAfterSeconds !== undefined) headers['retry-after'] = String(refusal.retryAfterSeconds)
  if (exchange.endpoint?.kind === 'token') {
    return {
      status,
      code: refusal.code,
      headers: { ...headers, 'content-type': 'application/json', pragma: 'no-cache' },
      body: JSON.stringify(exchangeProblem(refusal, exchange.requestId)),
    }
  }
  const page = exchange.endpoint?.kind === 'page' ? exchange.endpoint.row : undefined
  if (page?.renderRefusal && prefersHtml(exchange.req.headers.accept)) {
    const content = page.renderRefusal(refusal, visitorOf(exchange))
    return { status, code: refusal.code, headers: { ...headers, ...content.headers }, body: content.body }
  }
  return {
    status,
    code: refusal.code,
    headers: { ...headers, 'content-type': 'application/problem+json' },
    body: JSON.stringify(problem(refusal, exchange.requestId, publicUrl)),
  }
}

/** What a page may know of its visitor before the body is read. */
export function visitorOf({ params, query, req, requestId }: Exchange): Visitor {
  return { params, query, headers: req.headers, requestId }
}

/** Sends the reply with the headers that every response carries, logs it and counts it. */
export function send(gateway: Gateway, exchange: Exchange, reply: Reply): void {
  const { req, res } = exchange
  const state = exchange.windowState
  const { body } = reply
  if (!res.headersSent && !res.destroyed) {
    const headers = reply.lines ? recordedHeaders(reply.lines) : ownHeaders(reply)
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    headers.push('Content-Length', reply.contentLength ?? String(length))
    if (state && !reply.lines?.some(isRateHeader)) {
      pushCommonHeaders(headers, exchange.requestId, exchange.window, state, gateway, exchange.arrivedAt)
    }
    // What is left of a body is not worth reading, and a draining gateway wants its connections back.
    const unread = exchange.broken !== undefined || isUnread(req, exchange.settings.config.server.bodyBytes)
    if (unread || gateway.lifecycle.draining()) headers.push('Connection', 'close')
    if (unread) lingeringClose(req)
    res.writeHead(reply.status, headers)
    // Node sends head and body in one piece when the body is text. As Latin-1 text, bytes stay what they are.
    if (typeof body === 'string') res.end(body)
    else res.end(body.toString('latin1'), 'latin1')
    const isPassing = !exchange.endpoint || !isDocument(exchange.endpoint)
    if (isPassing && gateway.recorder?.isActive()) {
      // Node sends the head alone.
      const sent = req.method === 'HEAD' ? '' : body
      const bytes = typeof sent === 'string' ? Buffer.from(sent) : sent
      gateway.recorder.record(captured(exchange, reply, linesOf(headers), bytes))
    }
  }
  record(gateway, exchange, reply)
}

function ownHeaders(reply: Reply): string[] {
  const headers: string[] = []
  for (const name in reply.headers) headers.push(SPELLING[name] ?? name, reply.headers[name] ?? '')
  if (reply.headers['cache-control'] === undefined) headers.push('Cache-Control', 'no-store')
  return headers
}

/** The lines of a recorded answer, without those that belong to the connection or follow from the body. */
function recordedHeaders(lines: readonly HeaderLine[]): string[] {
  const headers: string[] = []
  for (const [name, value] of lines) if (!isOfTheConnection(name)) headers.push(name, value)
  return headers
}

/** Most names have another length than these four, and lower-casing each of them would cost more than all the rest. */
function isOfTheConnection(name: string): boolean {
  const { length } = name
  return (length === 10 || length === 14 || length === 17) && OF_THE_CONNECTION.has(name.toLowerCase())
}

const OF_THE_CONNECTION = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding'])

function isRateHeader([name]: HeaderLine): boolean {
  return name.length === 17 && name.toLowerCase() === 'x-ratelimit-limit'
}

function captured(
  exchange: Exchange,
  reply: Reply,
  headers: readonly HeaderLine[],
  body: Buffer,
): CapturedExchange {
  return {
    startedAt: exchange.arrivedAt,
    durationMs: performance.now() - exchange.startedAt,
    partner: exchange.principal?.partner.id ?? exchange.provenPartner,
    lane: laneOf(exchange),
    operation: exchange.endpoint?.row.id,
    origin: originOf(reply.code, reply.headers['x-sandbox-rule']),
    request: capturedRequest(exchange),
    reply: { status: reply.status, headers, body },
  }
}

function record(gateway: Gateway, exchange: Exchange, reply: Reply): void {
  const operation = exchange.endpoint?.row.id ?? 'none'
  const partner = exchange.principal?.partner.id ?? exchange.provenPartner
  const durationMs = performance.now() - exchange.startedAt
  gateway.metrics.request(operation, partner ?? 'none', reply.status, reply.code ?? 'none', durationMs / 1000)
  gateway.logger.logRequest({
    requestId: exchange.requestId,
    partner,
    operation,
    method: exchange.req.method ?? '',
    status: reply.status,
    code: reply.code,
    durationMs,
  })
}

/** Header names are case-insensitive; people read them in the spelling of the documentation. */
export const SPELLING: Readonly<Record<string, string>> = {
  allow: 'Allow',
  'cache-control': 'Cache-Control',
  'content-language': 'Content-Language',
  'content-security-policy': 'Content-Security-Policy',
  'content-type': 'Content-Type',
  'idempotency-replayed': 'Idempotency-Replayed',
  location: 'Location',
  pragma: 'Pragma',
  'referrer-policy': 'Referrer-Policy',
  'retry-after': 'Retry-After',
  'www-authenticate': 'WWW-Authenticate',
  'x-robots-tag': 'X-Robots-Tag',
  'x-sandbox-rule': 'X-Sandbox-Rule',
}

/** The headers that every response of the partner listener carries, whatever produced it. */
export function pushCommonHeaders(
  headers: string[],
  requestId: string,
  window: RateWindow,
  state: WindowState,
  gateway: Pick<Gateway, 'settings'>,
  now: number,
): void {
  // The window may have begun a moment after the request arrived: never more than its whole length.
  const untilReset = Math.ceil((state.resetAt - now) / 1000)
  const secondsLeft = Math.min(Math.max(1, untilReset), Math.ceil(window.windowMs / 1000))
  const inSeconds = gateway.settings().config.rateLimits.reset === 'seconds'
  const reset = inSeconds ? secondsLeft : Math.ceil(state.resetAt / 1000)
  headers.push(
    'X-Request-Id',
    requestId,
    'X-RateLimit-Limit',
    String(state.limit),
    'X-RateLimit-Remaining',
    String(state.remaining),
    'X-RateLimit-Reset',
    String(reset),
    'RateLimit-Policy',
    policyOf(window, state.limit),
    'RateLimit',
    `"${window.group}";r=${state.remaining};t=${secondsLeft}`,
    'X-Content-Type-Options',
    'nosniff',
  )
}

let lastPolicy = { group: '', limit: 0, windowMs: 0, text: '' }

/** Mostly the same text as for the request before. */
function policyOf({ group, windowMs }: RateWindow, limit: number): string {
  if (group !== lastPolicy.group || limit !== lastPolicy.limit || windowMs !== lastPolicy.windowMs) {
    lastPolicy = { group, limit, windowMs, text: `"${group}";q=${limit};w=${windowMs / 1000}` }
  }
  return lastPolicy.text
}

/** 429 for a full window: when it ends, in the detail and in Retry-After (at least 1). */
export function rateLimited(window: RateWindow, state: WindowState, now: number): Refusal {
  return {
    code: 'RATE_LIMITED',
    detail: `The window of ${state.limit} requests in the group ${window.group} is full until ${instant(state.resetAt)}.`,
    retryAfterSeconds: Math.max(1, Math.ceil((state.resetAt - now) / 1000)),
  }
}
