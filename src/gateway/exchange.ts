import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientSubject } from '../checks/client-ip.ts'
import { splitTarget } from '../checks/path.ts'
import type { RateLimitGroup } from '../config/schema.ts'
import type { Refusal } from '../errors/refusal.ts'
import type { RateWindow, WindowState } from '../store/store.ts'
import type { Principal } from '../tokens/verify.ts'
import { type Connection, connectionOf } from './connection.ts'
import type { Gateway } from './context.ts'
import type { Endpoint } from './endpoint.ts'
import type { Settings } from './settings.ts'

const NO_BODY = Buffer.alloc(0)

/** One request and its reply, on its way through the pipeline. */
export type Exchange = {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly connection: Connection
  readonly endpoint: Endpoint | undefined
  /** The Allow header of a path that exists with other methods. */
  readonly allowed: string | undefined
  readonly params: Readonly<Record<string, string>>
  readonly requestId: string
  readonly settings: Settings
  readonly client: ClientSubject
  /** Of the path prefix `/_lane/NAME`, which a gateway that records or replays takes off. */
  readonly lane: string | undefined
  /** Undefined for a target that is not a path. */
  readonly path: string | undefined
  readonly query: string
  /** performance.now() at arrival; for durations only. */
  readonly startedAt: number
  /** The gateway's clock at arrival: milliseconds since the epoch. */
  readonly arrivedAt: number
  principal: Principal | undefined
  /** The partner and the key that a token exchange has proven, for the log, the metrics and the recorder. */
  provenPartner: string | undefined
  provenClient: string | undefined
  /** The bytes of the body, once they have been read. */
  body: Buffer
  /** What the rate headers of the reply show. */
  window: RateWindow
  windowState: WindowState | undefined
  /** Set when the connection broke while the body was arriving. */
  fail: ((refusal: Refusal) => void) | undefined
  broken: Refusal | undefined
}

export function arrive(
  gateway: Gateway,
  req: IncomingMessage,
  res: ServerResponse,
  target: string,
  route: Pick<Exchange, 'endpoint' | 'allowed' | 'params' | 'lane'>,
): Exchange {
  const settings = gateway.settings()
  const connection = connectionOf(req.socket)
  const client = clientOf(gateway, connection, req)
  const parts = splitTarget(target)
  return {
    req,
    res,
    connection,
    endpoint: route.endpoint,
    allowed: route.allowed,
    params: route.params,
    lane: route.lane,
    requestId: gateway.ids.request(),
    settings,
    client,
    path: parts?.path,
    query: parts?.query ?? '',
    startedAt: performance.now(),
    arrivedAt: gateway.clock.now(),
    principal: undefined,
    provenPartner: undefined,
    provenClient: undefined,
    body: NO_BODY,
    window: settings.clientWindow(client, groupOf(route.endpoint)),
    windowState: undefined,
    fail: undefined,
    broken: undefined,
  }
}

/** Only the header can change from one request of a connection to the next. */
function clientOf(
  gateway: Gateway,
  connection: Connection,
  { socket, headers }: IncomingMessage,
): ClientSubject {
  const header = headers['x-forwarded-for']
  const forwardedFor = Array.isArray(header) ? header.join(',') : header
  if (connection.client === undefined || connection.forwardedFor !== forwardedFor) {
    connection.client = gateway.clientOf(socket.remoteAddress, forwardedFor)
    connection.forwardedFor = forwardedFor
  }
  return connection.client
}

export function groupOf(endpoint: Endpoint | undefined): RateLimitGroup {
  return endpoint?.row.group ?? 'other'
}
