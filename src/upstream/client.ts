import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { buildConnector, type Dispatcher, Pool } from 'undici'
import { type HeaderLine, linesOf } from '../http/header-lines.ts'
import { overSee, type ReadableGate } from './connection.ts'
import { createTlsFiles, type TlsFiles } from './tls-files.ts'

const CONNECT_MS = 10_000
/** Shorter than the keep-alive of most servers (Node has 5 s): a pooled connection is then rarely a closed one. */
const KEEP_ALIVE_MS = 2_000
/** A name may get another address: no connection is given new requests for longer than this. */
const CONNECTION_AGE_MS = 60_000
const HEADER_BYTES = 64 * 1024

export type UpstreamRequest = {
  readonly method: string
  readonly target: string
  readonly lines: readonly HeaderLine[]
  readonly body: Readable | Uint8Array | null
}

export type AnswerHead = {
  readonly status: number
  readonly statusMessage: string
  readonly lines: readonly HeaderLine[]
}

export type Flow = { readonly pause: () => void; readonly resume: () => void }

/** Told of what comes: `started`, then `head`, `data`, `end`; or `error` at any time, as the last. */
export type Receiver = {
  /** From here on something may have been sent; before it, nothing was. */
  readonly started: () => void
  readonly head: (head: AnswerHead, flow: Flow) => void
  readonly data: (chunk: Buffer) => void
  readonly end: (trailers: readonly HeaderLine[]) => void
  readonly error: (error: Error) => void
}

export type ClientOptions = {
  /** By default as many as are needed. */
  readonly connections?: number
  readonly connectMs?: number
  /** How long an answer may take to begin; by default for whoever asks to say. */
  readonly headersMs?: number
  readonly tls?: TlsFiles
  /** In place of the system's own. */
  readonly lookup?: LookupFunction
}

export type HttpClient = {
  /** One request. Returns what ends it at any time: one that has not started then never will. */
  readonly dispatch: (request: UpstreamRequest, receiver: Receiver) => (reason: Error) => void
  /** Ends what is under way. */
  readonly close: () => Promise<void>
  /** Lets what is under way end first. */
  readonly retire: () => Promise<void>
}

/**
 * The one HTTP client: of the recorder, of the forwarder, and of whatever fetches keys and tokens. Header lines go out
 * and come in as octets, redirects are not followed, bodies are not decoded, interim answers are passed over, and a
 * certificate must be trusted (NODE_EXTRA_CA_CERTS adds an authority).
 */
export function createClient(origin: string, options: ClientOptions = {}): HttpClient {
  /** Takes the connection of the request that begins: undici starts one and writes its head in one go. */
  let starting: ((connection: ReadableGate) => void) | undefined
  const pool = new Pool(origin, {
    connect: createConnector(options, (socket) => starting?.(socket)),
    connections: options.connections ?? null,
    headersTimeout: options.headersMs ?? 0,
    // A stream of events may be silent for as long as it likes; whoever asks decides when they have had enough.
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    clientTtl: CONNECTION_AGE_MS,
    maxHeaderSize: HEADER_BYTES,
    pipelining: 1,
    allowH2: false,
  })
  return {
    dispatch: ({ method, target, lines, body }, receiver) => {
      const { handler, abort } = createHandler(receiver, (take) => {
        starting = take
      })
      const headers = lines.flat()
      pool.dispatch({ path: target, method: method as Dispatcher.HttpMethod, headers, body }, handler)
      return abort
    },
    close: () => pool.destroy(),
    retire: () => pool.close(),
  }
}

function createConnector(
  { connectMs = CONNECT_MS, lookup, tls }: ClientOptions,
  onRequest: (gate: ReadableGate) => void,
): buildConnector.connector {
  const files = tls && createTlsFiles(tls)
  // A session that is taken up again would show no certificate.
  const shared = { rejectUnauthorized: true, timeout: connectMs, maxCachedSessions: 0, allowH2: false }
  const build = () => {
    const certificates = files?.().contents
    return buildConnector({ ...shared, ...(lookup && { lookup }), ...certificates })
  }
  let connector = build()
  return (target, done) => {
    if (files?.().isNew) connector = build()
    connector(target, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error) done(error, null)
      else done(null, overSee(socket, onRequest) as typeof socket)
    })
  }
}

function createHandler(
  receiver: Receiver,
  onStart: (take: (gate: ReadableGate) => void) => void,
): {
  readonly handler: Dispatcher.DispatchHandler
  readonly abort: (reason: Error) => void
} {
  let controller: Dispatcher.DispatchController | undefined
  let isOver = false
  let reason: Error | undefined
  let gate: ReadableGate | undefined
  // Not undici's own pause: a connection that ends while its parser is paused ends the process with a failed assertion.
  const flow: Flow = { pause: () => gate?.close(), resume: () => gate?.open() }
  const abort = (why: Error) => {
    reason = why
    if (!isOver) controller?.abort(why)
  }
  return {
    abort,
    handler: {
      // Again when a request that has not been sent yet moves to another connection.
      onRequestStart: (current) => {
        controller = current
        onStart((opened) => {
          gate = opened
        })
        if (reason) current.abort(reason)
        else receiver.started()
      },
      onResponseStart: (current, status, _headers, statusMessage = '') => {
        // An interim answer; the real one follows.
        if (status < 200) return
        receiver.head({ status, statusMessage, lines: rawLines(current.rawHeaders) }, flow)
      },
      onResponseData: (_current, chunk) => receiver.data(chunk),
      onResponseEnd: (current) => {
        isOver = true
        // An idle connection has to notice that its peer has closed it.
        gate?.open()
        receiver.end(rawLines(current.rawTrailers))
      },
      onResponseError: (_current, error) => {
        isOver = true
        receiver.error(error)
      },
    },
  }
}

/** As the parser saw them; undici hands them over decoded as well, but then as UTF-8. */
function rawLines(raw: Dispatcher.DispatchController['rawHeaders']): readonly HeaderLine[] {
  return Array.isArray(raw) ? linesOf(raw) : []
}
