import type { IncomingMessage } from 'node:http'
import type { CapturedRequest } from '../cassettes/interaction.ts'
import { hasValues, type Move, moveRequest } from '../cassettes/message/urls.ts'
import type { Clock } from '../clock.ts'
import { headerOf, linesOf } from '../http/header-lines.ts'
import { LANE_HEADER, takeLane } from '../http/lane.ts'
import { originForm } from '../http/target.ts'
import { operationOf } from '../operations/operations.ts'
import { forwardedLines } from '../upstream/hop-headers.ts'
import { readableCodings } from './accepted-codings.ts'
import type { Urls } from './urls.ts'

/** What the head of a request says. */
export type Arrival = {
  readonly startedAt: number
  /** Milliseconds since it arrived. */
  readonly age: () => number
  readonly operation: string | undefined
  /** The lane that it names, in a header or before its path. */
  readonly named: string | undefined
  readonly hasBody: boolean
  /** As the upstream gets it, with its body. */
  readonly request: (body: Uint8Array) => CapturedRequest
  /** As it is recorded, and compared with what was. */
  readonly recorded: (body: Uint8Array) => CapturedRequest
  /** Its body may hold URLs that are moved, and is sent when it is whole. */
  readonly isHeld: boolean
}

/** `urls`: undefined where they are left as they are. */
export type ArrivalContext = {
  /** `host:port` of the upstream. */
  readonly host: string
  readonly clock: Clock
  readonly urls: () => Urls | undefined
}

const NOTHING = new Uint8Array(0)

export function readArrival(
  req: IncomingMessage,
  url: string,
  { host, clock, urls }: ArrivalContext,
): Arrival {
  const moves = urls()
  const started = performance.now()
  const lines = linesOf(req.rawHeaders)
  // A client that takes the recorder for its proxy sends the whole URL.
  const { lane, target } = takeLane(originForm(url))
  const method = req.method ?? ''
  const httpVersion = req.httpVersionMinor === 0 ? '1.0' : '1.1'
  const headers = readableCodings(forwardedLines(lines, host))
  const head = { method, target, httpVersion, headers, body: NOTHING } as const
  return {
    startedAt: clock.now(),
    age: () => performance.now() - started,
    operation: operationOf(method, target),
    named: headerOf(lines, LANE_HEADER) ?? lane,
    hasBody: hasBody(req),
    request: (body) => moved({ ...head, body }, moves?.toUpstream),
    recorded: (body) => moved({ ...head, body }, moves?.recordedRequest),
    isHeld: moves !== undefined && hasValues(headers),
  }
}

function moved(request: CapturedRequest, move: Move | undefined): CapturedRequest {
  return move ? moveRequest(request, move) : request
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
