import type { Readable } from 'node:stream'
import type { HeaderLine } from '../http/header-lines.ts'
import { type Body, createBody } from './body.ts'
import { type AnswerHead, createClient, type UpstreamRequest } from './client.ts'

export type { UpstreamRequest } from './client.ts'

export const HEADERS_MS = 300_000

export type UpstreamReply = AnswerHead & {
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

/** Sends, and hands an answer over at its head. `headersMs`: how long it may take to begin its answer. */
export function createUpstream(origin: string, headersMs = HEADERS_MS): Upstream {
  const client = createClient(origin, { headersMs })
  return {
    send: (request, done) => {
      let body: Body | undefined
      let trailers: readonly HeaderLine[] = []
      const end = client.dispatch(request, {
        started: () => {},
        head: (head, flow) => {
          body = createBody({ flow, letGo: abort })
          done(null, { ...head, body: body.stream, trailers: () => trailers })
        },
        data: (chunk) => body?.push(chunk),
        end: (last) => {
          trailers = last
          body?.end()
        },
        error: (error) => (body ? body.stream.destroy(error) : done(error)),
      })
      const abort = () => end(new Error('the client went away'))
      return abort
    },
    close: client.close,
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
