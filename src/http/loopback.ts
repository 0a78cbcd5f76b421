import { isIPv4, isIPv6 } from 'node:net'

/**
 * Whether listening on `host` stays on this machine. Only `localhost` and literal loopback addresses do: any
 * other name may resolve to anything, so it counts as beyond loopback, the safe side.
 */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (bare === 'localhost') return true
  if (isIPv4(bare)) return bare.startsWith('127.')
  if (!isIPv6(bare)) return false
  // The URL parser writes an IPv6 address in its one canonical form.
  const canonical = new URL(`http://[${bare.replace(/%.*/, '')}]`).hostname
  return canonical === '[::1]' || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(canonical)
}

/** The same for a URL. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname)
}

/** Whether a listening address cannot stand in a URL: it means every address, or only says where with its zone. */
export function isUnusableHost(host: string): boolean {
  if (isIPv4(host)) return host === '0.0.0.0'
  if (!isIPv6(host)) return false
  if (host.includes('%')) return true
  const canonical = new URL(`http://[${host}]`).hostname
  return canonical === '[::]' || canonical === '[::ffff:0:0]'
}
