import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Backups } from '../backup/backups.ts'
import type { ClientSubject } from '../checks/client-ip.ts'
import { parseJson } from '../checks/json.ts'
import type { ControllableClock } from '../clock.ts'
import { instant } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import { prefersHtml } from '../http/accept.ts'
import { keepEveryHeaderLine } from '../http/header-lines.ts'
import { closeAfterUpgrade } from '../http/upgrade.ts'
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
import { addDataRoutes, type DataParts } from './operator-data.ts'
import { guardOperator, OVERVIEW } from './operator-guard.ts'
import { addRecordingRoutes } from './operator-recordings.ts'
import { fieldsOf, refuse } from './operator-reply.ts'
import type { Recordings } from './recordings.ts'

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

/**
 * The operator listener: health, metrics and what an operator does. Nothing here is reachable from the partner
 * port.
 */
export function createOperatorServer(parts: OperatorParts): OperatorServer {
  const { config } = parts
  const trusted = new WeakSet<Socket>()
  const app = fastify({
    schemaController: WITHOUT_SCHEMAS,
    logger: false,
    bodyLimit: 65_536,
    requestTimeout: config.server.requestTimeoutMs,
    forceCloseConnections: true,
  })
  keepEveryHeaderLine(app.server)
  closeAfterUpgrade(app.server)
  speakJson(app)
  guardOperator(app, parts, (socket) => trusted.has(socket))
  addStateRoutes(app, parts)
  addDataRoutes(app, parts.data)
  addRecordingRoutes(app, parts)
  addClockRoute(app, parts.clock)
  addConfigurationRoutes(app, parts.control)
  addBackupRoute(app, parts.backups, ({ raw }) => trusted.has(raw.socket))
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

/** Bodies are JSON alone, which no form of a web page sends, judged as strictly as a partner's. */
function speakJson(app: FastifyInstance): void {
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
}

function addStateRoutes(app: FastifyInstance, parts: OperatorParts): void {
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
    return parts.metrics.expose()
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
}

function addClockRoute(app: FastifyInstance, clock: ControllableClock | undefined): void {
  app.post('/clock', async (request, reply) => {
    if (!clock) return refuse(reply, 409, 'The clock is not controllable; start with --controllable-clock.')
    const seconds = advanceSeconds(request.body)
    if (seconds === undefined) {
      return refuse(reply, 400, `Send {"advanceSeconds": N} with N from 0 to ${MAX_ADVANCE_SECONDS}.`)
    }
    clock.advance(seconds * 1000)
    return { now: instant(clock.now()) }
  })
}

function rotationOf(body: unknown): Rotation | undefined {
  const { how = 'published' } = fieldsOf(body)
  return how === 'published' || how === 'now' || how === 'leaked' ? how : undefined
}

function advanceSeconds(body: unknown): number | undefined {
  const { advanceSeconds: seconds, ...rest } = fieldsOf(body)
  if (Object.keys(rest).length > 0) return undefined
  return typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_ADVANCE_SECONDS ? seconds : undefined
}
