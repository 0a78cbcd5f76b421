import { Readable } from 'node:stream'
import type { CapturedExchange, CapturedReply } from '../cassettes/interaction.ts'
import { type HeaderLine, linesOf } from '../http/header-lines.ts'
import { isPublicClientId } from '../tokens/client-id.ts'
import { capturedRequest, laneOf, originOf } from './capture.ts'
import { pushCommonHeaders, SPELLING } from './common-headers.ts'
import type { Gateway } from './context.ts'
import { countAnswer } from './count.ts'
import { isDocument } from './endpoint.ts'
import type { Exchange } from './exchange.ts'
import type { Reply } from './reply.ts'
import { sendStream } from './send-stream.ts'
import { isUnread } from './wire/body.ts'
import { lingeringClose } from './wire/linger.ts'
import { expectReading } from './wire/stalled.ts'

/**
 * Sends the reply with the headers that every response carries, logs it and counts it. A promise where the reply
 * passes as it comes in; it resolves when all of it is gone, or the client is.
 */
export function send(gateway: Gateway, exchange: Exchange, reply: Reply): Promise<void> | undefined {
  const { req, res } = exchange
  const { server } = exchange.settings.config
  const state = exchange.windowState
  const { body } = reply
  const isStream = body instanceof Readable
  if (!res.headersSent && !res.destroyed) {
    const headers = reply.lines ? recordedHeaders(reply.lines) : ownHeaders(reply)
    const length = isStream ? undefined : String(Buffer.byteLength(body))
    const contentLength = reply.contentLength ?? length
    // RFC 9110 section 8.6: a 204 has none, and that of a 304 would be of another answer.
    const hasLength = reply.status !== 204 && reply.status !== 304
    if (contentLength !== undefined && hasLength) headers.push('Content-Length', contentLength)
    const hasOwnId = reply.lines?.some(isRequestId) === true
    if (state && !reply.lines?.some(isRateHeader)) {
      const id = hasOwnId ? undefined : exchange.requestId
      pushCommonHeaders(headers, id, exchange.window, state, gateway, exchange.arrivedAt)
    } else if (!hasOwnId) headers.push('X-Request-Id', exchange.requestId)
    // What is left of a body is not worth reading. A gateway that is about to stop wants its connections back, but not
    // before the answers to what has been pipelined behind this request.
    const unread = exchange.broken !== undefined || isUnread(req, server.bodyBytes)
    const isLast = exchange.connection.pending.at(-1) === exchange
    if (unread || (isLast && gateway.lifecycle.leaving())) headers.push('Connection', 'close')
    if (unread) lingeringClose(req)
    res.writeHead(reply.status, headers)
    const recorder = isPassing(exchange) && gateway.recorder?.isActive() ? gateway.recorder : undefined
    if (isStream) {
      expectReading(req, server.answerTimeoutMs)
      return sendStream(res, body, recorder !== undefined).then(({ copy, noReply }) => {
        const sent = copy && { status: reply.status, headers: linesOf(headers), body: copy }
        recorder?.record({ ...captured(exchange, reply, sent), ...(noReply && { noReply }) })
        countAnswer(gateway, exchange, reply)
      })
    }
    // Node sends head and body in one piece when the body is text. As Latin-1 text, bytes stay what they are.
    if (typeof body === 'string') res.end(body)
    else res.end(body.toString('latin1'), 'latin1')
    // Behind what has not gone out either, or too long to go out at once.
    if (req.socket.writableLength > 0) expectReading(req, server.answerTimeoutMs)
    if (recorder) {
      // Node sends the head alone.
      const sent = req.method === 'HEAD' ? '' : body
      const bytes = typeof sent === 'string' ? Buffer.from(sent) : sent
      recorder.record(
        captured(exchange, reply, { status: reply.status, headers: linesOf(headers), body: bytes }),
      )
    }
  } else {
    if (isStream) body.destroy()
    // What was asked has happened all the same, and a later answer may show it.
    if (res.destroyed && !res.headersSent && isPassing(exchange) && gateway.recorder?.isActive())
      gateway.recorder.record({ ...captured(exchange, reply, undefined), noReply: 'client-left' })
  }
  countAnswer(gateway, exchange, reply)
  return undefined
}

/** What the gateway says of itself, and what the portal's cookie opened, is no part of what partners integrate. */
function isPassing({ endpoint, signedIn }: Exchange): boolean {
  return signedIn === undefined && (!endpoint || !isDocument(endpoint))
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
  let hasId = false
  for (const line of lines) {
    const [name, value] = line
    // One answer has one id, whatever a proxy in between had added.
    if (isOfTheConnection(name) || (isRequestId(line) && hasId)) continue
    hasId ||= isRequestId(line)
    headers.push(name, value)
  }
  return headers
}

/** Most names have another length than these four, and lower-casing each of them would cost more than all the rest. */
function isOfTheConnection(name: string): boolean {
  const { length } = name
  return (length === 10 || length === 14 || length === 17) && OF_THE_CONNECTION.has(name.toLowerCase())
}

const OF_THE_CONNECTION = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding'])

function isRequestId([name]: HeaderLine): boolean {
  return name.length === 12 && name.toLowerCase() === 'x-request-id'
}

function isRateHeader([name]: HeaderLine): boolean {
  return name.length === 17 && name.toLowerCase() === 'x-ratelimit-limit'
}

function captured(exchange: Exchange, reply: Reply, sent: CapturedReply | undefined): CapturedExchange {
  return {
    startedAt: exchange.arrivedAt,
    durationMs: performance.now() - exchange.startedAt,
    partner: exchange.principal?.partner.id ?? exchange.provenPartner ?? namedPartner(exchange),
    lane: laneOf(exchange),
    operation: exchange.endpoint?.row.id,
    origin: reply.lines ? 'upstream' : originOf(reply.code, reply.headers['x-sandbox-rule']),
    request: capturedRequest(exchange),
    reply: sent,
  }
}

/** A refused token exchange belongs to the recording of the partner that it names. */
function namedPartner({ namedClient, settings }: Exchange): string | undefined {
  if (namedClient === undefined || !isPublicClientId(namedClient)) return undefined
  const { registry } = settings
  const known =
    registry.key(namedClient)?.partner ?? registry.partners.find(({ tenant }) => tenant === namedClient)
  return known?.id
}
