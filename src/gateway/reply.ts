import type { Readable } from 'node:stream'
import { instant } from '../clock.ts'
import { errorEntry } from '../errors/catalogue.ts'
import { problem } from '../errors/problem.ts'
import type { Refusal } from '../errors/refusal.ts'
import { prefersHtml } from '../http/accept.ts'
import type { HeaderLine } from '../http/header-lines.ts'
import { languageHeaders, preferredLanguage } from '../http/language.ts'
import { browserRefusal } from '../portal/browser-refusal.ts'
import type { Page, Viewer, Visitor } from '../portal/page.ts'
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
  // Too many header lines are told as too many bytes of them are, which nobody knows the endpoint of.
  if (exchange.endpoint?.kind === 'token' && refusal.code !== 'HEADERS_TOO_LARGE') {
    return {
      status,
      code: refusal.code,
      headers: { ...headersOf(refusal), 'content-type': 'application/json', pragma: 'no-cache' },
      body: JSON.stringify(tokenProblem(refusal, exchange.requestId)),
    }
  }
  const render = refusalPage(exchange, refusal)
  if (!render) return problemReply(exchange, refusal, publicUrl)
  const { headers, body } = render(refusal, visitorOf(exchange))
  return { status, code: refusal.code, headers: { ...headersOf(refusal), ...headers }, body }
}

export function problemReply({ requestId, req }: Exchange, refusal: Refusal, publicUrl: string): Reply {
  const language = preferredLanguage(req.headers['accept-language'], 'en')
  const contentType = { 'content-type': 'application/problem+json' }
  return {
    status: errorEntry(refusal.code).status,
    code: refusal.code,
    headers: { ...headersOf(refusal), ...contentType, ...languageHeaders(language) },
    body: JSON.stringify(problem(refusal, requestId, publicUrl, language)),
  }
}

function headersOf({ headers, retryAfterSeconds }: Refusal): Record<string, string> {
  return { ...headers, ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }) }
}

/** How a refusal reads in a browser: its page's own way; and whoever opens an address of the API has a page too. */
export function refusalPage({ endpoint, req }: Exchange, { code }: Refusal): Page['renderRefusal'] {
  if (!prefersHtml(req.headers.accept)) return undefined
  if (endpoint?.kind === 'page' && endpoint.row.renderRefusal) return endpoint.row.renderRefusal
  const { status } = errorEntry(code)
  const isOpened = req.method === 'GET' || req.method === 'HEAD'
  return isOpened && (status === 401 || status === 404) ? browserRefusal : undefined
}

/** What a page may know of its visitor before the body is read. */
export function visitorOf(exchange: Exchange): Visitor {
  const { params, query, req, requestId } = exchange
  return { params, query, headers: req.headers, requestId, viewer: viewerOf(exchange) }
}

function viewerOf({ principal, signedIn }: Exchange): Viewer | undefined {
  if (signedIn) return { ...signedIn.session.proven, session: signedIn.session }
  return principal
}

/** 429 for a full window: when it ends, in the detail and in Retry-After (at least 1). */
export function rateLimited(window: RateWindow, state: WindowState, now: number): Refusal {
  return {
    code: 'RATE_LIMITED',
    detail: `The window of ${state.limit} requests in the group ${window.group} is full until ${instant(state.resetAt)}.`,
    retryAfterSeconds: Math.max(1, Math.ceil((state.resetAt - now) / 1000)),
  }
}
