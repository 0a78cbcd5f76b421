import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import httpProxy from '@fastify/http-proxy'
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type RawServerBase,
  type RouteGenericInterface,
} from 'fastify'
import { judgeHeaderLines } from '../checks/headers.ts'
import { problem } from '../errors/problem.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import { HEADER_LINES, keepEveryHeaderLine } from '../http/header-lines.ts'
import { languageHeaders, preferredLanguage } from '../http/language.ts'
import { closeAfterUpgrade } from '../http/upgrade.ts'
import { WITHOUT_SCHEMAS } from '../http/without-schemas.ts'
import { type Failure, failureOf, mayRetry } from '../upstream/failure.ts'
import type { UpstreamReply } from '../upstream/send.ts'
import type { Passage, TakePassage } from './passage.ts'
import { shownRequest } from './shown-request.ts'

const HEADER_BYTES = 64 * 1024
/** CONNECT is no request to pass on: Node does not hand it to a router. */
const PASSED = METHODS.filter((method) => method !== 'CONNECT')

/** Carries the passage through the proxy to where the request is sent; it is no header and never on a wire. */
const PASSAGE = Symbol('passage')
type Carrier = { readonly [PASSAGE]?: Passage }

export type ServerOptions = {
  readonly take: TakePassage
  readonly origin: string
  /** An exchange that failed, for the person who watches. */
  readonly onFailure: (request: string, failure: Failure) => void
}

/**
 * The listener: @fastify/http-proxy takes every request to the upstream, sends it again where that is safe, and
 * reports errors. Our own code sends and answers (upstream/send.ts, answer.ts), because the client that the proxy
 * brings changes header lines and targets, and takes any certificate.
 */
export function createServer({ take, origin, onFailure }: ServerOptions): FastifyInstance {
  const passages = new WeakMap<object, Passage>()
  const passageOf = (req: object): Passage => {
    const passage = passages.get(req)
    if (!passage) throw new TypeError('every request has a passage')
    return passage
  }
  const replies = new WeakMap<object, UpstreamReply>()
  const app = listener()
  app.addHook('onRequest', async (request, reply) => {
    const refusal = judgeHeaderLines(request.raw.rawHeaders, HEADER_LINES)
    if (refusal) return sendProblem(reply.header('connection', 'close'), refusal, origin)
    passages.set(request.raw, take(request.raw, reply.raw, request.originalUrl))
  })

  const request = (
    { headers }: { readonly headers: Carrier },
    done: (error: Error | null, reply?: object) => void,
  ) => {
    headers[PASSAGE]?.send((error, reply) => {
      if (!reply) return done(error)
      replies.set(reply.body, reply)
      // The head goes out as raw lines; none of it is copied through Fastify.
      done(null, { statusCode: 200, headers: {}, body: reply.body })
    })
  }

  app.register(httpProxy, {
    upstream: origin,
    httpMethods: [...PASSED],
    disableRequestLogging: true,
    internalRewriteLocationHeader: false,
    undici: { request: request as never },
    replyOptions: {
      rewriteRequestHeaders: ({ raw }) => ({ [PASSAGE]: passageOf(raw) }) as Record<never, never>,
      retryDelay: ({ err, req, attempt }) => {
        const passage = (req.headers as Carrier)[PASSAGE]
        if (!err || !passage || attempt > 0 || passage.isAborted()) return null
        return mayRetry(req.method, passage.hasBody, err) ? 1 : null
      },
      onResponse: ({ raw }, reply, { stream }) => {
        reply.hijack()
        const answer = replies.get(stream)
        if (answer) passageOf(raw).answer(answer)
      },
      onError: (reply, { error }) => {
        const { raw, originalUrl } = reply.request
        passageOf(raw).fail()
        if (reply.raw.destroyed) return void reply.hijack()
        const failure = failureOf(error.cause ?? error)
        onFailure(shownRequest(raw.method ?? '', originalUrl), failure)
        void sendProblem(reply, refuse(failure.code, failure.detail), origin)
      },
    },
  })
  return app
}

/** A server that neither routes nor parses: every target and every body passes. */
function listener(): FastifyInstance {
  const app = fastify({
    schemaController: WITHOUT_SCHEMAS,
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    requestTimeout: 0,
    http: { maxHeaderSize: HEADER_BYTES, requireHostHeader: false },
    // The router sees one path for all.
    rewriteUrl: () => '/',
  })
  // None has a body as far as Fastify is concerned, so that none is parsed or refused for its type.
  for (const method of PASSED) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  keepEveryHeaderLine(app.server)
  closeAfterUpgrade(app.server)
  return app
}

type Reply = FastifyReply<RouteGenericInterface, RawServerBase>

/** What the recorder itself has to say, in the form of the API. */
function sendProblem(reply: Reply, refusal: Refusal, origin: string): Reply {
  const id = randomUUID()
  const language = preferredLanguage(reply.request.headers['accept-language'], 'en')
  const body = problem(refusal, id, origin, language)
  return reply
    .code(body.status)
    .headers({ 'content-type': 'application/problem+json', 'x-request-id': id, ...languageHeaders(language) })
    .send(Buffer.from(JSON.stringify(body)))
}
