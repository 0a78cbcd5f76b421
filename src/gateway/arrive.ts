import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientSubject } from '../checks/client-ip.ts'
import { readTarget } from '../http/target.ts'
import type { Gateway } from './context.ts'
import { groupOf } from './endpoint.ts'
import type { Exchange } from './exchange.ts'
import { type Connection, connectionOf } from './wire/connection.ts'

const NO_BODY = Buffer.alloc(0)

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
  const parts = readTarget(target)
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
    waitedMs: 0,
    decisionMs: 0,
    arrivedAt: gateway.clock.now(),
    standing: 'outside',
    principal: undefined,
    signedIn: undefined,
    provenPartner: undefined,
    provenClient: undefined,
    namedClient: undefined,
    body: NO_BODY,
    window: settings.clientWindow(client, groupOf(route.endpoint)),
    windowState: undefined,
    fail: undefined,
    broken: undefined,
    isOver: false,
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
