import type { Readable } from 'node:stream'
import { instant } from '../clock.ts'
import { errorEntry } from '../errors/catalogue.ts'
import { problem } from '../errors/problem.ts'
import type { Refusal } from '../errors/refusal.ts'
import { prefersHtml } from '../http/accept.ts'
import type { HeaderLine } from '../http/header-lines.ts'
import type { Visitor } from '../portal/page.ts'
import type { RateWindow, WindowState } from '../store/store.ts'
import { tokenProblem } from '../tokens/token-request.ts'
import type { Exchange } from './exchange.ts'

/** What is sent: a status, headers beyond the common ones (lower-case names), and the body's bytes. */
export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** In place of `headers`: every header line of a recorded answer, or of an upstream's. */
  readonly lines?: readonly HeaderLine[]
  /** A stream where the answer passes as it comes in. */
  readonly body: Buffer | string | Readable
  /** In place of the body's own: of a stream, and of an answer to HEAD, whose body is known by its length alone. */
  readonly contentLength?: string
  /** The error code, for the log and the metrics. */
  readonly code?: string
}

/** What is sent for an outcome: a reply as it is, or that of a refusal. */
export function toReply(exchange: Exchange, outcome: Reply | Refusal, publicUrl: string): Reply {
  return 'status' in outcome ? outcome : refusalReply(exchange, outcome, publicUrl)
}

/** The reply of a refusal: a problem document, the OAuth error of the token exchange, or a page for a browser. */
function refusalReply(exchange: Exchange, refusal: Refusal, publicUrl: string): Reply {
  const { status } = errorEntry(refusal.code)
  const headers: Record<string, string> = { ...refusal.headers }
  if (refusal.retryAfterSeconds !== undefined) headers['retry-after'] = String(refusal.retryAfterSeconds)
  if (exchange.endpoint?.kind === 'token') {
    return {
      status,
      code: refusal.code,
      headers: { ...headers, 'content-type': 'application/json', pragma: 'no-cache' },
      body: JSON.stringify(tokenProblem(refusal, exchange.requestId)),
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

/** 429 for a full window: when it ends, in the detail and in Retry-After (at least 1). */
export function rateLimited(window: RateWindow, state: WindowState, now: number): Refusal {
  return {
    code: 'RATE_LIMITED',
    detail: `The window of ${state.limit} requests in the group ${window.group} is full until ${instant(state.resetAt)}.`,
    retryAfterSeconds: Math.max(1, Math.ceil((state.resetAt - now) / 1000)),
  }
}
