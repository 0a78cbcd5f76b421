import { createHash } from 'node:crypto'
import type { UpstreamConfig } from '../../config/upstream.ts'
import type { HeaderLine } from '../../http/header-lines.ts'
import { childOf, readTraceparent } from '../../http/traceparent.ts'
import type { Call } from '../../operations/operation.ts'
import type { PageRequest } from '../decide.ts'

/** What of a partner's request is for whoever answers it. Everything else is kept back. */
const PASSED = [
  'accept',
  'accept-language',
  'content-type',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-unmodified-since',
  'user-agent',
  'x-sandbox-outcome',
]

export type RequestLines = (call: Call, key: string | undefined) => HeaderLine[]

/** The header lines that the upstream gets, but for credentials. `publicUrl`: what the partner has typed. */
export function createRequestLines(
  { headers, tenantHeader }: Pick<UpstreamConfig, 'headers' | 'tenantHeader'>,
  host: string,
  publicUrl: () => string,
): RequestLines {
  const passed = [...PASSED, ...headers.map((name) => name.toLowerCase())]
  return (call, key) => {
    const { request, requestId, tenant, scopes } = call
    const trace = readTraceparent(request.headers.traceparent)
    const lines: HeaderLine[] = [
      ['Host', host],
      ['X-Request-Id', requestId],
      ['Forwarded', forwarded(request.client, publicUrl())],
      ['traceparent', childOf(trace)],
      ['Accept-Encoding', 'identity'],
    ]
    if (tenantHeader && scopes !== undefined) lines.push(['X-Tenant-Id', tenant])
    if (key !== undefined) lines.push(['Idempotency-Key', key])
    const { tracestate } = request.headers
    if (typeof tracestate === 'string' && trace) lines.push(['tracestate', tracestate])
    for (const name of passed) {
      const value = request.headers[name]
      if (typeof value === 'string') lines.push([name, value])
      else for (const each of value ?? []) lines.push([name, each])
    }
    return lines
  }
}

/** What a page needs to know of the browser in front of it; its visitor has no token. */
const PASSED_TO_PAGES = [
  'accept',
  'accept-language',
  'content-type',
  'cookie',
  'origin',
  'referer',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
  'user-agent',
]

export function pageLines(request: PageRequest, host: string, publicUrl: string): HeaderLine[] {
  const lines: HeaderLine[] = [
    ['Host', host],
    ['X-Request-Id', request.requestId],
    ['Forwarded', forwarded(request.client, publicUrl)],
    ['Accept-Encoding', 'identity'],
  ]
  for (const name of PASSED_TO_PAGES) {
    const value = request.headers[name]
    if (typeof value === 'string') lines.push([name, value])
  }
  return lines
}

/** RFC 7239. A network stands for an IPv6 client, as it does for its rate limits. */
function forwarded(client: string, publicUrl: string): string {
  const address = client.replace(/^ip:/, '').replace(/\/64$/, '')
  const node = address.includes(':') ? `"[${address}]"` : address
  if (publicUrl !== typed.url) typed = typedAt(publicUrl)
  return `for=${node}${typed.parameters}`
}

/** What partners type is the same for every request. */
let typed = { url: '', parameters: '' }

function typedAt(url: string): typeof typed {
  const { host, protocol } = new URL(url)
  return { url, parameters: `;host="${host}";proto=${protocol.slice(0, -1)}` }
}

/** The path and query, each character one that a request line may hold. */
export function targetOf({ path, query }: { readonly path: string; readonly query: string }): string {
  if (query === '') return path
  return `${path}?${query.replaceAll(/[^!-~]|["<>\\^`{|}#]/g, encoded)}`
}

/** The octets of a target are characters one to one. */
function encoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/**
 * A key for an upstream that does not see whose it is: another one for every partner, the same one at every start, in
 * the form of a UUID v4.
 */
export function derivedKey(...parts: readonly string[]): string {
  const hex = createHash('sha256').update(parts.join('\0')).digest('hex')
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) & 3)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
