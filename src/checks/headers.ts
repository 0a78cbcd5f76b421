import { type Refusal, refuse } from '../errors/refusal.ts'

/**
 * The headers that decide who is asking and what is executed. Each may come once, under its own name: what
 * stands before or behind the gateway might take the other line, or read an alias such as X_Tenant_Id.
 * Idempotency-Key sent twice has a code of its own and is judged with the key.
 */
const ONCE = new Set([
  'authorization',
  'x-tenant-id',
  'host',
  'content-type',
  'content-length',
  'expect',
  'transfer-encoding',
])
const GUARDED = new Set(['authorization', 'x-tenant-id', 'idempotency-key', 'x-sandbox-outcome'])

/** Judges the raw header lines of a request: `[name, value, name, value, …]` as they came. */
export function judgeHeaders(rawHeaders: readonly string[], httpVersionMinor: number): Refusal | undefined {
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i] ?? ''
    // Only the lengths of the names above are worth lower-casing: this runs over every header of every request.
    const length = raw.length
    if (length > 17 || length < 4) continue
    const name = raw.toLowerCase()
    const bit = ONCE_BITS.get(name)
    if (bit !== undefined) {
      if (seen & bit) return refuse('BAD_REQUEST', `The header ${name} was sent more than once.`)
      seen |= bit
      const refusal = judgeValue(name, rawHeaders[i + 1] ?? '', httpVersionMinor)
      if (refusal) return refusal
    } else if (name === 'connection') {
      const nominated = nominatedHeader(rawHeaders[i + 1] ?? '')
      if (nominated) return refuse('BAD_REQUEST', `Connection must not name the header ${nominated}.`)
    } else if (name.includes('_') && GUARDED.has(name.replaceAll('_', '-'))) {
      return refuse(
        'BAD_REQUEST',
        `A header is an alias of ${name.replaceAll('_', '-')}; send it under its own name.`,
      )
    }
  }
  // RFC 9112 section 3.2: exactly one Host line, except in HTTP/1.0.
  if (!(seen & HOST_BIT) && httpVersionMinor !== 0)
    return refuse('BAD_REQUEST', 'The Host header is missing.')
  return undefined
}

/** More lines than a request may have are refused before any of them is read. */
export function judgeHeaderLines(rawHeaders: readonly string[], limit: number): Refusal | undefined {
  if (rawHeaders.length / 2 <= limit) return undefined
  return refuse('HEADERS_TOO_LARGE', `The request has more than ${limit} header lines.`)
}

/** One host and perhaps a port: RFC 3986 without user information, lists and what no host name holds. */
const HOST = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/

function judgeValue(name: string, value: string, httpVersionMinor: number): Refusal | undefined {
  if (name === 'host' && !HOST.test(value))
    return refuse('BAD_REQUEST', 'The Host header is not one host name or address with an optional port.')
  // RFC 9112 section 6.1: any other coding, or one in HTTP/1.0, may be framed differently by whoever stands before us.
  if (name === 'transfer-encoding' && (httpVersionMinor === 0 || value.trim().toLowerCase() !== 'chunked'))
    return refuse('BAD_REQUEST', 'The only Transfer-Encoding that is taken is chunked, in HTTP/1.1.')
  return undefined
}

const ONCE_BITS = new Map([...ONCE].map((name, index) => [name, 1 << index]))
const HOST_BIT = ONCE_BITS.get('host') ?? 0

/** A hop-by-hop nomination would make a proxy strip the header (CVE-2024-45410). */
function nominatedHeader(connection: string): string | undefined {
  if (connection.length < 11) return undefined
  return connection
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .find((name) => GUARDED.has(name))
}
