import { type HeaderLine, headerOf, isNamed } from '../../http/header-lines.ts'
import { LANE_HEADER } from '../../http/lane.ts'
import { mediaTypeOf } from '../../http/media-type.ts'
import type { CapturedReply, CapturedRequest } from '../interaction.ts'

/**
 * What an answer's `Vary` may name and is compared as a fact of its own, or never: the negotiated type, who asks, and
 * what is another in every run.
 */
const COMPARED_OTHERWISE: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'access-control-request-headers',
  'access-control-request-method',
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'date',
  'host',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'origin',
  'prefer',
  'proxy-authorization',
  'range',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-request-id',
  'x-sandbox-outcome',
  LANE_HEADER,
  'x-tenant-id',
])

/** The headers of the request that chose this answer, by its `Vary`, lower case. The language chooses pages alone. */
export function varyNames({ headers }: Pick<CapturedReply, 'headers'>): string[] {
  // Most answers have none, and every answer of a cassette is asked.
  if (headerOf(headers, 'vary') === undefined) return []
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'vary')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim())
  const isPage = mediaTypeOf(headers) === 'text/html'
  return [...new Set(named)].filter(
    (name) =>
      /^[a-z0-9!#$%&'+.^_`|~-]+$/.test(name) &&
      !COMPARED_OTHERWISE.has(name) &&
      (name !== 'accept-language' || isPage),
  )
}

/** A header of the request that has chosen an answer; the value is empty where it was not sent. */
export type Choosing = readonly (readonly [name: string, value: string])[]

/** What chose this answer, beside the facts of the canonical key: `Prefer`, and what its `Vary` names. */
export function choosingOf(request: CapturedRequest, reply: CapturedReply | undefined): Choosing {
  return ['prefer', ...(reply ? varyNames(reply) : [])].map((name) => [
    name,
    comparedValue(request.headers, name),
  ])
}

/** The headers under which a sandbox may answer with less than the whole: nothing new, or a part. */
const CONDITIONS = ['if-modified-since', 'if-none-match', 'if-range', 'range'] as const
const IS_CONDITION = /^(?:if-modified-since|if-none-match|if-range|range)$/i

/** The conditions under which an answer was asked for, as one text; undefined for an answer to no condition. */
export function conditionOf(request: Pick<CapturedRequest, 'headers'>): string | undefined {
  if (!request.headers.some(([name]) => IS_CONDITION.test(name))) return undefined
  return JSON.stringify(conditionsOf(request))
}

export function conditionsOf({ headers }: Pick<CapturedRequest, 'headers'>): Choosing {
  return CONDITIONS.flatMap((name) => {
    const value = headerOf(headers, name)
    return value === undefined ? [] : [[name, value] as const]
  })
}

/** Secrets are numbered in the order of first sight, which another run does not share. */
export function comparedValue(lines: readonly HeaderLine[], name: string): string {
  const values = lines.filter(([each]) => isNamed(each, name)).map(([, value]) => value.trim())
  if (values.length === 0) return ''
  return values.join(', ').replace(/redacted-([a-z0-9-]+)-[0-9]+/g, 'redacted-$1')
}
