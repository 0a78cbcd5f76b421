import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import fastify, { type FastifyInstance } from 'fastify'
import { judgeHeaderLines } from '../checks/headers.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import { keepEveryHeaderLine } from '../http/header-lines.ts'
import { takeLane } from '../http/lane.ts'
import { readTarget } from '../http/target.ts'
import { closeAfterUpgrade } from '../http/upgrade.ts'
import { WITHOUT_SCHEMAS } from '../http/without-schemas.ts'
import { arrive } from './arrive.ts'
import { type Gateway, isTaped } from './context.ts'
import { createMethodsOf, type Endpoint, negotiated, routePath } from './endpoint.ts'
import { serve } from './pipeline.ts'
import { answerConnect, answerParserError } from './raw-replies.ts'
import { track } from './wire/connection.ts'
import { closeStalled } from './wire/stalled.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint
  }
}

const CHECK_CONNECTIONS_MS = 1000
const NO_QUERY = {}

/**
 * The partner listener. Fastify routes and owns the sockets; every request, matched or not, is taken over in
 * its first hook and goes through the pipeline, so nothing of Fastify parses, validates or answers.
 */
export function createPartnerServer(gateway: Gateway, endpoints: readonly Endpoint[]): FastifyInstance {
  const bounds = gateway.settings().config.server
  const app = fastify({
    schemaController: WITHOUT_SCHEMAS,
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    // A query is read by the schema of its operation.
    routerOptions: { maxParamLength: 256, querystringParser: () => NO_QUERY },
    serverFactory: (handler) => createHttpServer(gateway, handler),
    clientErrorHandler: (error, socket) => answerParserError(gateway, error, socket),
    rewriteUrl: ({ url = '' }) => {
      if (!isTaped(gateway) && url.startsWith('/')) return url
      const target = readTarget(withoutLane(url).target)
      return target ? `${target.path}${target.query === '' ? '' : `?${target.query}`}` : '/'
    },
    frameworkErrors: (_error, request, reply) =>
      take(request.raw, reply.raw, request.originalUrl, undefined, {}),
  })
  const methodsOf = createMethodsOf(endpoints)
  /** Paths have lanes in front of them where something is recorded or replayed; anywhere else they lead nowhere. */
  const withoutLane = (target: string) => (isTaped(gateway) ? takeLane(target) : { target, lane: undefined })

  function take(
    req: IncomingMessage,
    res: ServerResponse,
    target: string,
    endpoint: Endpoint | undefined,
    params: Readonly<Record<string, string>>,
  ): void {
    const { lane, target: rest } = withoutLane(target)
    const allowed = endpoint ? undefined : methodsOf(readTarget(rest)?.path ?? '', req.method)
    const exchange = arrive(gateway, req, res, rest, { endpoint, allowed, params, lane })
    exchange.broken = judgeHeaderLines(req.rawHeaders, bounds.headerLines) ?? judgeExpectation(req)
    serve(gateway, exchange, track(exchange, exchange.connection))
  }

  app.addHook('onRequest', (request, reply) => {
    reply.hijack()
    const params = request.params as Record<string, string>
    const routed = !request.is404 && !hasEmpty(params)
    const { endpoint: route } = request.routeOptions.config
    const endpoint = routed ? negotiated(route, request.raw.headers.accept) : undefined
    take(request.raw, reply.raw, request.originalUrl, endpoint, params)
  })
  const unreachable = () => {
    throw new TypeError('the pipeline answers every request')
  }
  for (const endpoint of endpoints) {
    const { method, path } = endpoint.row
    // One route of two methods: Fastify makes HEAD by registering all of it once more.
    const methods = method === 'GET' ? ['GET', 'HEAD'] : method
    app.route({ method: methods, url: routePath(path), config: { endpoint }, handler: unreachable })
  }
  app.setNotFoundHandler(unreachable)
  app.server.on('connect', (_req, socket) => answerConnect(gateway, socket))
  // Node would send 100 Continue, or 417, before any of our checks.
  app.server.on('checkContinue', (req, res) => app.routing(req, res))
  app.server.on('checkExpectation', (req, res) => app.routing(req, res))
  closeAfterUpgrade(app.server)
  app.server.maxConnections = bounds.maxConnections
  return app
}

function createHttpServer(gateway: Gateway, handler: http.RequestListener): http.Server {
  const { server: bounds } = gateway.settings().config
  const server = http.createServer(
    {
      maxHeaderSize: bounds.headerBytes,
      headersTimeout: bounds.headersTimeoutMs,
      requestTimeout: bounds.requestTimeoutMs,
      keepAliveTimeout: bounds.keepAliveTimeoutMs,
      connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
      // A missing Host is refused by the pipeline, with the headers of every response.
      requireHostHeader: false,
      noDelay: true,
    },
    handler,
  )
  keepEveryHeaderLine(server)
  closeStalled(server)
  // A client that has sent everything may close its side and still wants the answer.
  return Object.assign(server, { httpAllowHalfOpen: true })
}

/** The router lets a parameter be empty; no identifier is, so such a path leads nowhere. */
function hasEmpty(params: Readonly<Record<string, string>>): boolean {
  for (const name in params) if (params[name] === '') return true
  return false
}

function judgeExpectation({ headers: { expect } }: IncomingMessage): Refusal | undefined {
  if (expect === undefined || expect.toLowerCase() === '100-continue') return undefined
  return refuse('EXPECTATION_FAILED', 'The only expectation that is met is 100-continue.')
}
