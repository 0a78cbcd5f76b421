import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Backups } from '../backup/backups.ts'
import { CassetteError } from '../cassettes/cassette-error.ts'
import type { ClientSubject } from '../checks/client-ip.ts'
import { judgeHeaderLines, judgeHeaders } from '../checks/headers.ts'
import { parseJson } from '../checks/json.ts'
import type { ControllableClock } from '../clock.ts'
import { instant } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import { prefersHtml } from '../http/accept.ts'
import { keepEveryHeaderLine } from '../http/header-lines.ts'
import { isLoopbackHost } from '../http/loopback.ts'
import { WITHOUT_SCHEMAS } from '../http/without-schemas.ts'
import { CONTENT_TYPE } from '../observe/exposition.ts'
import type { Logger } from '../observe/logger.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { WholeUsage } from '../operations/usage-view.ts'
import type { Overview } from '../portal/overview/facts.ts'
import { overviewPage } from '../portal/overview/page.ts'
import type { HistoryResolution, StoreHealth } from '../store/store.ts'
import type { Rotation, SigningKeys } from '../tokens/signing-keys.ts'
import { addBackupRoute } from './operator-backup.ts'
import { addConfigurationRoutes, type ConfigurationControl } from './operator-configuration.ts'
import { operatorCredentials } from './operator-credentials.ts'
import { addDataRoutes, type DataParts } from './operator-data.ts'
import { createTokenFailures } from './operator-token-failures.ts'
import { RECORDING_NAME, type Recordings } from './recordings.ts'

/** What the operator listener shows and moves. */
export type OperatorParts = {
  readonly config: Config
  readonly metrics: Metrics
  /** Present when the configuration lets the clock be moved. */
  readonly clock: ControllableClock | undefined
  readonly ready: () => Readiness
  readonly signingKeys: SigningKeys
  readonly recordings: Recordings
  readonly data: DataParts
  readonly clientOf: (socketAddress: string | undefined, forwardedFor: string | undefined) => ClientSubject
  readonly logger: Pick<Logger, 'warn'>
  /** What a partner has used; undefined for one that is not configured. */
  readonly usage: (partner: string, resolution: HistoryResolution) => Promise<WholeUsage | undefined>
  readonly overview: () => Promise<Overview>
  readonly control: ConfigurationControl
  readonly backups: Pick<Backups, 'run'>
}

export type Readiness = {
  readonly ready: boolean
  readonly draining: boolean
  /** New requests are refused at the moment. It is not ready only when that goes on without anybody being let in. */
  readonly overloaded: boolean
  readonly store: StoreHealth
  /** Where there is one; the gateway is ready whatever its state. */
  readonly upstream?: { readonly breaker: string }
  readonly configuration: {
    readonly ok: boolean
    readonly errors?: readonly string[]
    readonly needsRestart?: readonly string[]
  }
}

/** The operator listener, and the way in through the socket of the data directory. */
export type OperatorServer = FastifyInstance & {
  /** Serves a connection of somebody who may use the data directory, and so may do everything. */
  readonly take: (socket: Socket) => void
  /** Closes every connection, also one on which nothing was asked yet, and the listener. */
  readonly end: () => Promise<void>
}

const MAX_ADVANCE_SECONDS = 10 * 365 * 86_400
const OPEN = new Set(['/livez', '/readyz'])
/** One page with everything in it: style, script and pictures are its own text. */
const OVERVIEW = '/'
const BROWSER_CHALLENGE = ['Basic realm="Sandgate operator", charset="UTF-8"', 'Bearer']

/**
 * The operator listener: health, metrics and what an operator does. Nothing here is reachable from the partner
 * port. On loopback a web page in the operator's browser must not be able to drive it, so the Host has to be
 * loopback (DNS rebinding), an Origin is refused and bodies are JSON; beyond loopback it needs its token. Through the
 * socket of the data directory nobody comes but who may read the signing keys there.
 */
export function createOperatorServer(parts: OperatorParts): OperatorServer {
  const { config, metrics } = parts
  const trusted = new WeakSet<Socket>()
  const app = fastify({
    schemaController: WITHOUT_SCHEMAS,
    logger: false,
    bodyLimit: 65_536,
    requestTimeout: config.server.requestTimeoutMs,
    forceCloseConnections: true,
  })
  const onLoopback = isLoopbackHost(config.operator.host)
  const { token } = config.operator
  const credentials = token === null ? undefined : operatorCredentials(token)
  const failures = createTokenFailures(parts)
  keepEveryHeaderLine(app.server)

  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => {
      const parsed = parseJson(body)
      if (!parsed.ok) throw Object.assign(new Error(parsed.refusal.detail), { statusCode: 400 })
      return parsed.value.value
    },
  )
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500
    return refuse(reply, status, status === 415 ? 'Send application/json.' : error.message)
  })
  app.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'The operator listener has no such path.'))

  app.addHook('onRequest', async (request, reply) => {
    const { rawHeaders, httpVersionMinor } = request.raw
    if (judgeHeaderLines(rawHeaders, config.server.headerLines))
      return refuse(reply, 431, 'The request has too many header lines.')
    const malformed = judgeHeaders(rawHeaders, httpVersionMinor)
    if (malformed) return refuse(reply, 400, malformed.detail)
    const path = request.routeOptions.url ?? ''
    if (trusted.has(request.raw.socket)) return undefined
    if (onLoopback && !isLoopbackHost(hostname(request.headers.host ?? ''))) {
      return refuse(reply, 403, 'The Host header must name a loopback address.')
    }
    if (request.headers.origin !== undefined)
      return refuse(reply, 403, 'Requests from web pages are refused.')
    if (OPEN.has(path) || (path === '/metrics' && config.operator.metricsOpen)) return undefined
    // On loopback the token is needed only where one is configured.
    const { authorization } = request.headers
    if (credentials === undefined) return undefined
    const waitSeconds = onLoopback ? undefined : failures.waitSeconds(request)
    if (waitSeconds !== undefined) {
      reply.header('retry-after', String(waitSeconds))
      return refuse(reply, 429, 'Too many wrong operator tokens came from this address.')
    }
    if (credentials.bears(authorization)) return undefined
    // A browser can show a page only with what it asks its reader for; nothing that acts or tells more takes that.
    const isOverview = path === OVERVIEW
    if (isOverview && credentials.hasPassword(authorization)) return undefined
    if (authorization !== undefined) failures.note(request)
    reply.header('www-authenticate', isOverview ? BROWSER_CHALLENGE : 'Bearer')
    return refuse(reply, 401, 'Send Authorization: Bearer with the operator token.')
  })

  app.get(OVERVIEW, async (request, reply) => {
    const overview = await parts.overview()
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    if (!prefersHtml(request.headers.accept)) return overview
    const { headers, body } = overviewPage(overview)
    return reply.headers(headers).send(body)
  })
  app.get('/livez', async () => ({ live: true }))
  app.get('/readyz', async (_request, reply) => {
    const readiness = parts.ready()
    return reply.status(readiness.ready ? 200 : 503).send(readiness)
  })
  app.get('/metrics', async (_request, reply) => {
    reply.header('content-type', CONTENT_TYPE)
    return metrics.expose()
  })
  app.get<{ Params: { partner: string }; Querystring: { history?: unknown } }>(
    '/usage/:partner',
    async ({ params, query }, reply) => {
      const { history = 'hours' } = query
      if (history !== 'hours' && history !== 'days') return refuse(reply, 400, 'history is hours or days.')
      const usage = await parts.usage(params.partner, history)
      return usage ?? refuse(reply, 404, 'There is no such partner.')
    },
  )
  app.get('/signing-keys', async () => ({ keys: await parts.signingKeys.list() }))
  app.post('/signing-keys/rotate', async (request, reply) => {
    const how = rotationOf(request.body)
    if (how === undefined) return refuse(reply, 400, 'Send {}, or {"how": "published", "now" or "leaked"}.')
    await parts.signingKeys.rotate(how)
    return { keys: await parts.signingKeys.list() }
  })
  addDataRoutes(app, parts.data)
  app.get('/recordings', async () => ({ recordings: parts.recordings.list() }))
  app.post('/recordings', async (request, reply) => {
    const wanted = recordingOf(request.body, parts.data.config())
    if (typeof wanted === 'string') return refuse(reply, 400, wanted)
    try {
      return reply.status(201).send(await parts.recordings.start(wanted.name, wanted.partner))
    } catch (error) {
      return refuseRecording(reply, error)
    }
  })
  app.delete<{ Params: { name: string } }>('/recordings/:name', async (request, reply) => {
    try {
      const finished = await parts.recordings.stop(request.params.name)
      return finished ?? refuse(reply, 404, 'There is no recording of this name.')
    } catch (error) {
      return refuseRecording(reply, error)
    }
  })
  app.post('/clock', async (request, reply) => {
    const { clock } = parts
    if (!clock) return refuse(reply, 409, 'The clock is not controllable; start with --controllable-clock.')
    const seconds = advanceSeconds(request.body)
    if (seconds === undefined) {
      return refuse(reply, 400, `Send {"advanceSeconds": N} with N from 0 to ${MAX_ADVANCE_SECONDS}.`)
    }
    clock.advance(seconds * 1000)
    return { now: instant(clock.now()) }
  })
  addConfigurationRoutes(app, parts.control, refuse)
  addBackupRoute(app, parts.backups, ({ raw }) => trusted.has(raw.socket), refuse)
  const open = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return Object.assign(app, {
    end: async () => {
      const closed = app.close()
      for (const socket of open) socket.destroy()
      await closed
    },
    take: (socket: Socket) => {
      trusted.add(socket)
      app.server.emit('connection', socket)
    },
  })
}

/** What a recording is asked for, or what is wrong about it. */
function recordingOf(body: unknown, config: Config): { name: string; partner: string | null } | string {
  const {
    name,
    partner = null,
    ...rest
  } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  if (typeof name !== 'string' || !RECORDING_NAME.test(name) || Object.keys(rest).length > 0) {
    return 'Send {"name": NAME, "partner": ID} with a name of a-z 0-9 . _ - (the partner may be left out).'
  }
  if (partner !== null && !config.partners.some(({ id }) => id === partner))
    return 'There is no such partner.'
  return { name, partner: partner as string | null }
}

/** 507 where the disk has failed; everything else is about what stands under the name, or in the recording. */
function refuseRecording(reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof CassetteError)) throw error
  const hasDiskFailed = error.reason === 'unwritable' || error.reason === 'incomplete-recording'
  return refuse(reply, hasDiskFailed ? 507 : 409, error.message)
}

function rotationOf(body: unknown): Rotation | undefined {
  const { how = 'published' } = (typeof body === 'object' && body !== null ? body : {}) as { how?: unknown }
  return how === 'published' || how === 'now' || how === 'leaked' ? how : undefined
}

function advanceSeconds(body: unknown): number | undefined {
  if (typeof body !== 'object' || body === null || Object.keys(body).length !== 1) return undefined
  const seconds = 'advanceSeconds' in body ? body.advanceSeconds : undefined
  return typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_ADVANCE_SECONDS ? seconds : undefined
}

function refuse(reply: FastifyReply, status: number, detail: string): FastifyReply {
  return reply.status(status).send({ status, detail })
}

/** The host of a Host header, without its port and the brackets of an IPv6 address. */
function hostname(host: string): string {
  const bracketed = /^\[([^\]]+)\](?::[0-9]+)?$/.exec(host)?.[1]
  return bracketed ?? host.replace(/:[0-9]+$/, '')
}
