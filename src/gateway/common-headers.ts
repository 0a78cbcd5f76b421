import type { RateWindow, WindowState } from '../store/store.ts'
import type { Gateway } from './context.ts'

/** Header names are case-insensitive; people read them in the spelling of the documentation. */
export const SPELLING: Readonly<Record<string, string>> = {
  allow: 'Allow',
  'cache-control': 'Cache-Control',
  'content-encoding': 'Content-Encoding',
  'content-language': 'Content-Language',
  'content-security-policy': 'Content-Security-Policy',
  'content-type': 'Content-Type',
  etag: 'ETag',
  'idempotency-replayed': 'Idempotency-Replayed',
  location: 'Location',
  pragma: 'Pragma',
  'referrer-policy': 'Referrer-Policy',
  'retry-after': 'Retry-After',
  'set-cookie': 'Set-Cookie',
  vary: 'Vary',
  'www-authenticate': 'WWW-Authenticate',
  'x-robots-tag': 'X-Robots-Tag',
  'x-sandbox-rule': 'X-Sandbox-Rule',
}

/**
 * The headers that every response of the partner listener carries, whatever produced it. `requestId`: undefined for an
 * answer that has one already.
 */
export function pushCommonHeaders(
  headers: string[],
  requestId: string | undefined,
  window: RateWindow,
  state: WindowState,
  gateway: Pick<Gateway, 'settings'>,
  now: number,
): void {
  // The window may have begun a moment after the request arrived: never more than its whole length.
  const untilReset = Math.ceil((state.resetAt - now) / 1000)
  const secondsLeft = Math.min(Math.max(1, untilReset), Math.ceil(window.windowMs / 1000))
  const inSeconds = gateway.settings().config.rateLimits.reset === 'seconds'
  const reset = inSeconds ? secondsLeft : Math.ceil(state.resetAt / 1000)
  if (requestId !== undefined) headers.push('X-Request-Id', requestId)
  headers.push(
    'X-RateLimit-Limit',
    String(state.limit),
    'X-RateLimit-Remaining',
    String(state.remaining),
    'X-RateLimit-Reset',
    String(reset),
    'RateLimit-Policy',
    policyOf(window, state.limit),
    'RateLimit',
    `"${window.group}";r=${state.remaining};t=${secondsLeft}`,
    'X-Content-Type-Options',
    'nosniff',
  )
}

let lastPolicy = { group: '', limit: 0, windowMs: 0, text: '' }

/** Mostly the same text as for the request before. */
function policyOf({ group, windowMs }: RateWindow, limit: number): string {
  if (group !== lastPolicy.group || limit !== lastPolicy.limit || windowMs !== lastPolicy.windowMs) {
    lastPolicy = { group, limit, windowMs, text: `"${group}";q=${limit};w=${windowMs / 1000}` }
  }
  return lastPolicy.text
}
