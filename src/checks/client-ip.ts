import { BlockList, isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { createGrowingCache } from '../growing-cache.ts'

/** Whom a request without a partner is counted against. */
export type ClientSubject = {
  /** The address itself, in one spelling. For the log, where the operator wants it, and for nothing else. */
  readonly address: string
  /** `ip:192.0.2.1`, or for IPv6 the /64 that one host may rotate through: `ip:2001:db8:1:2::/64`. */
  readonly subject: string
  /** The /24 or /48 that new addresses share when there are too many of them. */
  readonly shared: string
}

const UNKNOWN: ClientSubject = { address: 'unknown', subject: 'ip:unknown', shared: 'net:unknown' }
const REMEMBERED = 20_000

/**
 * Finds the client of a connection. X-Forwarded-For is believed only as far as a chain of trusted proxies
 * reaches, read from the right: the first address that is not a trusted proxy is the client, so a forged entry
 * on the left changes nothing.
 */
export function createClientIp(trustedProxies: readonly string[]) {
  const trusted = blockList(trustedProxies)
  const subjects = createGrowingCache<ClientSubject>(REMEMBERED)

  const subjectOf = (address: string): ClientSubject => {
    const known = subjects.get(address)
    if (known) return known
    const subject = describe(address)
    subjects.set(address, subject)
    return subject
  }

  return (socketAddress: string | undefined, forwardedFor: string | undefined): ClientSubject => {
    if (socketAddress === undefined) return UNKNOWN
    if (forwardedFor === undefined || trusted === undefined) return subjectOf(socketAddress)
    return subjectOf(lastUntrusted(socketAddress, forwardedFor, trusted))
  }
}

/** Whether an address is one of the trusted proxies, which carry the connections of many clients. */
export function createProxyCheck(trustedProxies: readonly string[]): (address: string) => boolean {
  const trusted = blockList(trustedProxies)
  return (address) =>
    trusted !== undefined && ipaddr.isValid(withoutZone(address)) && isTrusted(address, trusted)
}

/** What a log may say of a client: all of its address, the network that it shares with others, or nothing. */
export function shownAddress(client: ClientSubject, how: 'full' | 'prefix' | 'off'): string | undefined {
  if (how === 'off') return undefined
  return how === 'full' ? client.address : client.shared.replace('net:', '')
}

function lastUntrusted(socketAddress: string, forwardedFor: string, trusted: BlockList): string {
  let client = socketAddress
  const entries = forwardedFor.split(',')
  for (let i = entries.length - 1; i >= 0 && isTrusted(client, trusted); i--) {
    const entry = bareAddress(entries[i] ?? '')
    // What a trusted proxy did not write as an address ends the chain at that proxy.
    if (entry === undefined) return client
    client = entry
  }
  return client
}

/** An entry may be bracketed and carry a port: `[2001:db8::1]:443`, `192.0.2.1:443`. */
function bareAddress(entry: string): string | undefined {
  const text = entry.trim()
  const bracketed = /^\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?$/.exec(text)?.[1]
  const candidate = bracketed ?? /^([0-9.]+):[0-9]{1,5}$/.exec(text)?.[1] ?? text
  return isIPv4(candidate) || isIPv6(candidate) ? candidate : undefined
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const parsed = ipaddr.process(withoutZone(address))
  return trusted.check(parsed.toString(), parsed.kind())
}

function describe(address: string): ClientSubject {
  const bare = withoutZone(address)
  if (!ipaddr.isValid(bare)) return UNKNOWN
  // `process` turns an IPv4-mapped address, in whichever spelling, into the IPv4 address.
  const parsed = ipaddr.process(bare)
  if (parsed.kind() === 'ipv4') {
    const [a, b, c] = parsed.toByteArray()
    return {
      address: parsed.toString(),
      subject: `ip:${parsed.toString()}`,
      shared: `net:${a}.${b}.${c}.0/24`,
    }
  }
  const bytes = parsed.toByteArray()
  return {
    address: parsed.toString(),
    subject: `ip:${network(bytes, 8)}/64`,
    shared: `net:${network(bytes, 6)}/48`,
  }
}

function network(bytes: readonly number[], kept: number): string {
  return ipaddr.fromByteArray(bytes.map((byte, index) => (index < kept ? byte : 0))).toString()
}

function withoutZone(address: string): string {
  const zone = address.indexOf('%')
  return zone === -1 ? address : address.slice(0, zone)
}

function blockList(cidrs: readonly string[]): BlockList | undefined {
  if (cidrs.length === 0) return undefined
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address, bits] = ipaddr.parseCIDR(cidr)
    list.addSubnet(address.toString(), bits, address.kind())
  }
  return list
}
