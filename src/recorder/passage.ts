import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough, pipeline, type Readable } from 'node:stream'
import { operationOf } from '../cassettes/import.ts'
import type { CapturedReply, HeaderLine } from '../cassettes/interaction.ts'
import type { Writer } from '../cassettes/writer.ts'
import { takeLane } from '../checks/path.ts'
import type { Clock } from '../clock.ts'
import type { CaptureRoom } from './capture.ts'
import { endToEnd, forwardedLines, headerLines, headerValue } from './headers.ts'
import type { createLanes } from './lane.ts'
import type { Upstream, UpstreamReply, UpstreamRequest } from './upstream.ts'

/** What every exchange that passes needs. */
export type Route = {
  readonly upstream: Upstream
  readonly writer: Writer
  readonly room: CaptureRoom
  readonly lane: ReturnType<typeof createLanes>
  readonly clock: Clock
  /** `host:port` of the upstream. */
  readonly host: string
  /** What the upstream's paths begin with; empty for most. */
  readonly base: string
}

/** One exchange on its way through the recorder. */
export type Passage = {
  readonly hasBody: boolean
  /** Whether the client has gone. */
  readonly isAborted: () => boolean
  /** Sends the request; once more after an error that allows it. */
  readonly send: (done: (error: Error | null, reply?: UpstreamReply) => void) => void
  /** Sends the reply to the client. */
  readonly answer: (reply: UpstreamReply) => void
  /** There will be no reply of the upstream's. */
  readonly fail: () => void
}

/**
 * Lets one exchange pass and hands a copy to the recording: the request when it is complete, the reply when it is.
 * The two ends set the pace; the recording never does.
 */
export function createPassage(route: Route, req: IncomingMessage, res: ServerResponse, url: string): Passage {
  const { writer, clock } = route
  const startedAt = clock.now()
  const started = performance.now()
  const lines = headerLines(req.rawHeaders)
  const { lane: prefix, target } = takeLane(originForm(url))
  const forwarded = forwardedLines(lines, route.host)
  const upload = hasBody(req) ? createUpload(req, route.room) : undefined
  const isGone = () => res.destroyed && !res.writableFinished
  let release = () => {}
  let ticket: number | undefined
  let end: (() => void) | undefined

  const requestDone = () => {
    if (ticket !== undefined) return
    const method = req.method ?? ''
    const operation = operationOf(method, target)
    const httpVersion = req.httpVersionMinor === 0 ? '1.0' : '1.1'
    const body = upload?.take() ?? new Uint8Array(0)
    const request = { method, target, httpVersion, headers: forwarded, body } as const
    const named = headerValue(lines, 'x-sandgate-lane') ?? prefix
    const lane = route.lane({ request, named, operation })
    ticket = writer.open({ startedAt, lane, operation, request })
    end?.()
  }
  // An upstream that answers early ends an exchange whose request is still arriving.
  const replyDone = (reply: CapturedReply | undefined) => {
    if (end) return
    const durationMs = performance.now() - started
    end = () => {
      if (ticket !== undefined) writer.end(ticket, { durationMs, origin: 'upstream', reply })
    }
    if (ticket !== undefined) end()
  }

  if (upload) {
    req.once('end', requestDone)
    req.once('close', requestDone)
  } else {
    req.resume()
    requestDone()
  }
  res.once('close', () => {
    if (res.writableFinished) return
    release()
    replyDone(undefined)
  })

  return {
    hasBody: upload !== undefined,
    isAborted: isGone,
    send: (done) => {
      if (isGone()) return
      const request: UpstreamRequest = {
        method: req.method ?? '',
        target: route.base + target,
        lines: forwarded,
        body: upload?.stream ?? null,
      }
      release = route.upstream.send(request, done)
    },
    answer: (reply) => answer(res, reply, route.room, replyDone),
    fail: () => replyDone(undefined),
  }
}

function answer(
  res: ServerResponse,
  { status, statusMessage, lines, body, trailers }: UpstreamReply,
  room: CaptureRoom,
  done: (reply: CapturedReply | undefined) => void,
): void {
  const headers = endToEnd(lines)
  const copy = room.capture()
  // A reply without a date stays without.
  res.sendDate = false
  try {
    writeHead(res, status, statusMessage, headers)
  } catch {
    // What Node's parser takes is not always what its writer takes; the client sees the connection break.
    body.destroy()
    res.destroy()
    return
  }
  body.on('data', copy.add)
  body.once('end', () => {
    const last = endToEnd(trailers())
    if (last.length > 0) res.addTrailers(last.map(([name, value]): [string, string] => [name, value]))
  })
  pipeline(body, res, (error) => {
    const bytes = copy.take()
    done(error ? undefined : { status, headers, body: bytes })
  })
  // The head does not wait for a body that is slow to begin; that of a quick one leaves in the same packet.
  setImmediate(() => {
    if (!res.writableEnded && !res.destroyed) res.flushHeaders()
  })
}

function writeHead(res: ServerResponse, status: number, message: string, lines: readonly HeaderLine[]): void {
  res.writeHead(status, message, lines.flat())
}

type Upload = { readonly stream: Readable; readonly take: () => Uint8Array }

/**
 * The body for the upstream, and the copy. When the upstream has answered and wants no more, the rest is still read:
 * the client's next request on this connection follows it.
 */
function createUpload(req: IncomingMessage, room: CaptureRoom): Upload {
  const stream = new PassThrough()
  const copy = room.capture()
  req.on('data', (chunk: Buffer) => {
    copy.add(chunk)
    if (!stream.destroyed && !stream.write(chunk)) req.pause()
  })
  stream.on('drain', () => req.resume())
  stream.on('close', () => req.resume())
  // The exchange hears of it from the upstream.
  stream.on('error', () => {})
  req.once('end', () => stream.end())
  req.once('close', () => {
    if (!req.complete) stream.destroy(new Error('the client went away'))
  })
  return { stream, take: copy.take }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** RFC 9112 section 3.2.2: a client that takes the recorder for its proxy sends the whole URL. */
function originForm(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]+/i, '')
  return path.startsWith('?') || path === '' ? `/${path}` : path
}
