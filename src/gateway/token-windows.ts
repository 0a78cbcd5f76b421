import { createHmac } from 'node:crypto'
import type { ClientSubject } from '../checks/client-ip.ts'
import type { RateWindow } from '../store/store.ts'
import type { Settings } from './settings.ts'

/** A right secret counts only against the key that it proves, whichever identifier named it. */
export function keyWindow(settings: Settings, keyId: string): RateWindow {
  const { groups, windowSeconds } = settings.config.rateLimits
  return { group: 'token', subject: `key:${keyId}`, limit: groups.token, windowMs: windowSeconds * 1000 }
}

/**
 * A wrong secret counts against the pair of named client and address, and against the address. The name is
 * digested: it may be a sandbox key that was sent in the wrong place, and it comes from outside in any length.
 */
export function failureWindows(
  settings: Settings,
  secret: Buffer,
  client: ClientSubject,
  namedClient: string,
): { readonly pair: RateWindow; readonly address: RateWindow } {
  const { groups, windowSeconds } = settings.config.rateLimits
  const windowMs = windowSeconds * 1000
  const name = createHmac('sha256', secret).update(namedClient).digest('base64url').slice(0, 22)
  const { subject, shared } = client
  return {
    pair: { group: 'token', subject: `${name}@${subject}`, shared, limit: groups.token, windowMs },
    address: {
      group: 'token',
      subject: `failures@${subject}`,
      shared: `failures@${shared}`,
      limit: settings.config.tokens.failuresPerIp,
      windowMs,
    },
  }
}
