import type { CapturedRequest } from '../cassettes/interaction.ts'
import { type Callers, exchangingToken, tenantFact } from '../cassettes/matching/callers.ts'
import { type CallerFacts, cookiesAmong, tokenFactOf } from '../cassettes/message/caller-facts.ts'
import { createLaneNames } from '../cassettes/message/lane-names.ts'
import { moveRequest } from '../cassettes/message/urls.ts'
import type { LiveRequest } from '../cassettes/tape/live-request.ts'
import { headerOf } from '../http/header-lines.ts'
import { capturedRequest, laneOf } from './capture.ts'
import type { Edge } from './context.ts'
import { isDocument } from './endpoint.ts'
import type { Exchange } from './exchange.ts'
import type { GrantBook } from './grant-book.ts'

type LiveParts = {
  readonly edge: Pick<Edge, 'publicUrl'>
  readonly callers: Callers
  readonly grants: GrantBook
  /** The name of a lane as the recording has it and reports show it. */
  readonly laneName: (lane: string) => string
  /** The origin of the cassettes' URLs: one of ours in a request stands for it. Undefined without a cassette. */
  readonly recordedOrigin: string | undefined
}

/** Makes of an exchange what a tape is asked: its request as the recording would have it, and who is asking. */
export function createLiveRequests({
  edge,
  callers,
  grants,
  laneName,
  recordedOrigin,
}: LiveParts): (exchange: Exchange, now: number) => LiveRequest {
  const lanes = createLaneNames()

  /** The client of an exchange that was refused unread is known by the name that a recorder reads in it. */
  const laneNameOf = (exchange: Exchange, request: LiveRequest['request']): string => {
    const lane = laneOf(exchange)
    const isUnread = lane === '' && exchange.endpoint?.kind === 'token'
    const operation = operationOf(exchange)
    return laneName(isUnread ? lanes.of({ request, named: undefined, operation }) : lane)
  }

  /** Who is asking, as the edge has found out. */
  const callerOf = (exchange: Exchange, request: LiveRequest['request'], lane: string): CallerFacts => {
    const { headers } = request
    const { principal, provenClient, endpoint } = exchange
    const tenant = headerOf(headers, 'x-tenant-id')
    const isExchange = endpoint?.kind === 'token'
    const token = isExchange
      ? exchangingToken(headers, provenClient ?? 'unnamed')
      : tokenFactOf(headers, (value) => grants.factOf(value, principal))
    const client = isExchange ? provenClient : token.kind === 'granted' ? token.client : undefined
    const tenants = callers.tenantsOf(client ?? lane)
    return { token, tenant: tenantFact(tenant, tenants), cookies: cookiesAmong(headers, callers.cookies) }
  }

  return (exchange, now) => {
    const request = recordedRequest(exchange, edge.publicUrl(), recordedOrigin)
    const lane = laneNameOf(exchange, request)
    return {
      lane,
      operation: operationOf(exchange),
      request,
      now,
      caller: callerOf(exchange, request, lane),
      requestId: exchange.requestId,
      origin: edge.publicUrl(),
    }
  }
}

/** A request as the recording would have it: URLs that lead here led to the recorded sandbox. */
function recordedRequest(exchange: Exchange, own: string, recorded: string | undefined): CapturedRequest {
  const request = capturedRequest(exchange)
  return recorded === undefined ? request : moveRequest(request, { from: own, to: recorded })
}

/** To a recorder, a page about the gateway is a path that the interface does not know. */
function operationOf({ endpoint }: Exchange): string | undefined {
  return endpoint && !isDocument(endpoint) ? endpoint.row.id : undefined
}
