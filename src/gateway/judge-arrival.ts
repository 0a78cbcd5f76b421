import { judgeHeaders } from '../checks/headers.ts'
import { isCanonicalPath } from '../checks/path.ts'
import { type Refusal, refuse } from '../errors/refusal.ts'
import type { Exchange } from './exchange.ts'
import { nearestOperation } from './nearest-operation.ts'

/** Why a request is not for one endpoint. `doubled`: it may have two sets of credentials, and neither counts. */
export type Arrival = { readonly refusal: Refusal; readonly doubled: boolean }

/** Whether a request is one well-formed request for one endpoint: 400, then 404, then 405. */
export function judgeArrival(exchange: Exchange): Arrival | undefined {
  const { req, path, endpoint, allowed } = exchange
  if (exchange.broken) {
    // Of too many lines none is read.
    const isUnread = exchange.broken.code === 'HEADERS_TOO_LARGE'
    return { refusal: exchange.broken, doubled: isUnread || isDoubled(req.rawHeaders, 'authorization') }
  }
  const refusal = judgeHeaders(req.rawHeaders, req.httpVersionMinor)
  if (refusal) return { refusal, doubled: isDoubled(req.rawHeaders, 'authorization') }
  // A path that is spelled as its template is canonical; most are.
  if (path === undefined || (path !== endpoint?.row.path && !isCanonicalPath(path))) {
    const detail = 'The path is not canonical: one slash between segments, nothing encoded needlessly.'
    return { refusal: refuse('BAD_REQUEST', detail), doubled: false }
  }
  if (endpoint) return undefined
  const unrouted =
    allowed === undefined
      ? notFound(req.method ?? '', path)
      : refuse('METHOD_NOT_ALLOWED', `This path takes ${allowed}.`, { headers: { allow: allowed } })
  return { refusal: unrouted, doubled: false }
}

/** Of the path itself nothing is repeated: it may hold an identifier. */
function notFound(method: string, path: string): Refusal {
  const nearest = nearestOperation(method, path)
  const hint = nearest === undefined ? '/docs lists them all' : `the nearest is ${nearest}`
  return refuse('NOT_FOUND', `No operation has this path; ${hint}.`)
}

function isDoubled(rawHeaders: readonly string[], name: string): boolean {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length > 1
}
