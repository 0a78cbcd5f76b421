import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { systemClock } from '../clock.ts'
import { type ErrorCode, errorEntry } from '../errors/catalogue.ts'
import { problem } from '../errors/problem.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import { pushCommonHeaders, SPELLING } from './common-headers.ts'
import type { Gateway } from './context.ts'
import { connectionOf, lastUnanswered } from './wire/connection.ts'

/**
 * What the parser refuses is still answered by us, with the headers of every response. A response that is under
 * way is finished first: garbage behind a valid request never takes its place.
 */
export function answerParserError(gateway: Gateway, error: NodeJS.ErrnoException, socket: Duplex): void {
  // Who has said nothing is told nothing, and nobody's window pays for it.
  if (socket instanceof Socket && socket.bytesRead === 0) {
    socket.destroy()
    return
  }
  const refusal = parserRefusal(error.code)
  const current = lastUnanswered(connectionOf(socket))
  if (!refusal || !socket.writable) socket.destroy()
  else if (current && !current.req.complete) {
    // The body of a request that we know is what broke: it is refused by its own exchange.
    current.broken = refusal
    current.fail?.(refusal)
  } else writeInTurn(gateway, socket, refusal)
}

/** CONNECT has no path and leaves the HTTP parser behind. */
export function answerConnect(gateway: Gateway, socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  const headers = { allow: 'DELETE, GET, HEAD, POST' }
  writeInTurn(gateway, socket, refuse('METHOD_NOT_ALLOWED', 'CONNECT is not offered.', { headers }))
}

/** Behind the responses that are under way, the last of which ends last. */
function writeInTurn(gateway: Gateway, socket: Duplex, refusal: Refusal): void {
  const current = lastUnanswered(connectionOf(socket))
  if (current) current.res.once('close', () => writeRefusal(gateway, socket, refusal))
  else writeRefusal(gateway, socket, refusal)
}

function parserRefusal(code: string | undefined): Refusal | undefined {
  if (code === 'HPE_HEADER_OVERFLOW')
    return refuse('HEADERS_TOO_LARGE', 'The request line and headers are too large.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return refuse('REQUEST_TIMEOUT', 'The request did not arrive in time.')
  // The rest of the parser's own codes; ECONNRESET and the like mean that nobody is listening.
  return code?.startsWith('HPE_') ? refuse('BAD_REQUEST', 'The request is not well-formed HTTP.') : undefined
}

/** Writes a whole response to a socket that has no request to answer, and closes it. */
function writeRefusal(gateway: Gateway, socket: Duplex, refusal: Refusal): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const now = gateway.clock.now()
  const settings = gateway.settings()
  const address = socket instanceof Socket ? socket.remoteAddress : undefined
  const window = settings.clientWindow(gateway.clientOf(address, undefined), 'other')
  const requestId = gateway.ids.request()
  const { status } = errorEntry(refusal.code)
  void Promise.resolve(gateway.store.take(window, now)).then((state) => {
    const body = JSON.stringify(problem(refusal, requestId, gateway.publicUrl()))
    const headers = [
      'Content-Type',
      'application/problem+json',
      'Content-Length',
      String(Buffer.byteLength(body)),
      // What was asked for has not been read.
      'Content-Language',
      'en',
      'Vary',
      'Accept-Language',
    ]
    for (const [name, value] of Object.entries(refusal.headers ?? {}))
      headers.push(SPELLING[name] ?? name, value)
    pushCommonHeaders(headers, requestId, window, state, gateway, now)
    // The wall clock's time, like the Date that Node writes, also when the gateway's own clock has been moved.
    headers.push(
      'Cache-Control',
      'no-store',
      'Date',
      new Date(systemClock.now()).toUTCString(),
      'Connection',
      'close',
    )
    let text = `HTTP/1.1 ${status} ${REASONS[refusal.code] ?? 'Error'}\r\n`
    for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`
    socket.end(`${text}\r\n${body}`)
    // A peer that never reads or never closes does not keep the socket.
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
    const { code } = refusal
    gateway.metrics.answered({
      operation: 'none',
      partner: undefined,
      status,
      code,
      group: window.group,
      gatewaySeconds: 0,
    })
    gateway.answerer.dropped?.(code)
    gateway.logger.logRequest({
      requestId,
      partner: undefined,
      operation: 'none',
      method: '',
      status,
      code: refusal.code,
      durationMs: 0,
    })
  })
}

const LINGER_MS = 1000

const REASONS: Partial<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'Bad Request',
  METHOD_NOT_ALLOWED: 'Method Not Allowed',
  REQUEST_TIMEOUT: 'Request Timeout',
  HEADERS_TOO_LARGE: 'Request Header Fields Too Large',
}
