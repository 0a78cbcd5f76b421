import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Says what is wrong with a text, or nothing. */
export type Format = (text: string) => string | undefined

/** The `format`s of the schema. They are here and not in TypeBox's registry, which is global to the process. */
export const FORMATS: Readonly<Record<string, Format>> = {
  host,
  'http-origin': httpOrigin,
  'http-url': httpUrl,
  cidr,
  'proxy-cidr': (text) =>
    text.endsWith('/0')
      ? 'must not be /0: that believes X-Forwarded-For from any client, so list the CIDR blocks of your proxies'
      : cidr(text),
}

function host(text: string): string | undefined {
  if (isIPv4(text) || isIPv6(text)) return undefined
  if (/^[0-9.]+$/.test(text)) return 'must be a whole IP address such as 127.0.0.1'
  if (/^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text))
    return undefined
  return 'must be an IP address or a host name, without scheme, brackets or port'
}

function httpOrigin(text: string): string | undefined {
  const wanted = 'must be an absolute http or https URL with only a scheme, a host and a port'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(text)) {
    return `${wanted}, such as https://sandbox.example.com`
  }
  return text === url.origin ? undefined : `${wanted}, written as ${url.origin}`
}

/** An origin with or without a path, in the one spelling of the URL parser. */
function httpUrl(text: string): string | undefined {
  const wanted = 'must be an absolute http or https URL without user, query and fragment'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:\/\/[^\\]+$/i.test(text)) {
    return `${wanted}, such as https://sandbox.example.com`
  }
  const bare = `${url.origin}${url.pathname === '/' ? '' : url.pathname}`
  return text === bare || text === `${url.origin}/` ? undefined : `${wanted}, written as ${bare}`
}

/** Strict CIDR: the length is written out, no host bits are set, and IPv4 is not hidden in IPv6. */
function cidr(text: string): string | undefined {
  const wanted = 'must be a CIDR block such as 10.0.0.0/8 or 2001:db8::/32'
  const [address = '', bits, ...rest] = text.split('/')
  const v4 = isIPv4(address)
  if (rest.length > 0 || (!v4 && !isIPv6(address)) || address.includes('%')) return wanted
  if (bits === undefined) return `${wanted}; for this one address write ${text}/${v4 ? 32 : 128}`
  if (!/^(0|[1-9][0-9]{0,2})$/.test(bits) || Number(bits) > (v4 ? 32 : 128)) {
    return `${wanted}, with a length from 0 to ${v4 ? 32 : 128}`
  }
  // Client addresses are compared as IPv4 when they are IPv4-mapped, so such a block would never match.
  if (!v4 && ipaddr.IPv6.parse(address).isIPv4MappedAddress())
    return `${wanted}; write an IPv4-mapped block as IPv4`
  const first = (v4 ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(text)
  const same =
    first.toNormalizedString() === (v4 ? ipaddr.IPv4 : ipaddr.IPv6).parse(address).toNormalizedString()
  return same ? undefined : `${wanted}; this block is written as ${first.toString()}/${bits}`
}
