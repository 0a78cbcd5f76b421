import { Readable } from 'node:stream'
import { type Dispatcher, Pool } from 'undici'
import { type HeaderLine, linesOf } from '../http/header-lines.ts'

const CONNECT_MS = 10_000
export const HEADERS_MS = 300_000
/** Shorter than the keep-alive of most servers (Node has 5 s): a pooled connection is then rarely a closed one. */
const KEEP_ALIVE_MS = 2_000
const HEADER_BYTES = 64 * 1024

export type UpstreamRequest = {
  readonly method: string
  readonly target: string
  readonly lines: readonly HeaderLine[]
  readonly body: Readable | Uint8Array | null
}

export type UpstreamReply = {
  readonly status: number
  readonly statusMessage: string
  readonly lines: readonly HeaderLine[]
  /** Destroying it lets go of the upstream. */
  readonly body: Readable
  /** Complete when the body has ended. */
  readonly trailers: () => readonly HeaderLine[]
}

export type Upstream = {
  /** One request; `done` is called once. Returns what ends it at any time. */
  readonly send: (
    request: UpstreamRequest,
    done: (error: Error | null, reply?: UpstreamReply) => void,
  ) => () => void
  readonly close: () => Promise<void>
}

/**
 * Talks to the sandbox. Header lines go out and come in as octets, redirects are not followed, bodies are not
 * decoded, and a certificate must be trusted (NODE_EXTRA_CA_CERTS adds an authority). `headersMs`: how long it may take
 * to begin its answer.
 */
export function createUpstream(origin: string, headersMs = HEADERS_MS): Upstream {
  const pool = new Pool(origin, {
    connect: { rejectUnauthorized: true, timeout: CONNECT_MS },
    headersTimeout: headersMs,
    // A stream of events may be silent for as long as it likes; the client decides when it has had enough.
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: HEADER_BYTES,
    pipelining: 1,
    allowH2: false,
  })
  return {
    send: (request, done) => {
      const handler = createHandler(done)
      const { method, target, lines, body } = request
      pool.dispatch(
        { path: target, method: method as Dispatcher.HttpMethod, headers: lines.flat(), body },
        handler.dispatch,
      )
      return handler.abort
    },
    close: () => pool.destroy(),
  }
}

/** As a promise; `onSent` is given what ends it. */
export function sendTo(
  upstream: Upstream,
  request: UpstreamRequest,
  onSent: (abort: () => void) => void = () => {},
): Promise<UpstreamReply> {
  return new Promise((resolve, reject) => {
    onSent(upstream.send(request, (error, reply) => (reply ? resolve(reply) : reject(error))))
  })
}

function createHandler(done: (error: Error | null, reply?: UpstreamReply) => void): {
  readonly dispatch: Dispatcher.DispatchHandler
  readonly abort: () => void
} {
  let controller: Dispatcher.DispatchController | undefined
  let body: Readable | undefined
  let trailers: readonly HeaderLine[] = []
  let isOver = false
  let isAborted = false
  const abort = () => {
    isAborted = true
    if (!isOver) controller?.abort(new Error('the client went away'))
  }
  return {
    abort,
    dispatch: {
      // Again when a request that has not been sent yet moves to another connection.
      onRequestStart: (current) => {
        controller = current
        if (isAborted) abort()
      },
      onResponseStart: (current, status, _headers, statusMessage = '') => {
        // An interim answer; the real one follows.
        if (status < 200) return
        body = new Readable({
          read: () => current.resume(),
          destroy: (error, callback) => {
            abort()
            callback(error)
          },
        })
        const reply = { status, statusMessage, lines: rawLines(current.rawHeaders), body }
        done(null, { ...reply, trailers: () => trailers })
      },
      onResponseData: (current, chunk) => {
        if (body?.push(chunk) === false) current.pause()
      },
      onResponseEnd: (current) => {
        isOver = true
        trailers = rawLines(current.rawTrailers)
        body?.push(null)
      },
      onResponseError: (_current, error) => {
        isOver = true
        if (body) body.destroy(error)
        else done(error)
      },
    },
  }
}

/** As the parser saw them; undici hands them over decoded as well, but then as UTF-8. */
function rawLines(raw: Dispatcher.DispatchController['rawHeaders']): readonly HeaderLine[] {
  return Array.isArray(raw) ? linesOf(raw) : []
}
