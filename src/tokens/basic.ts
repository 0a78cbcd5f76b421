import { decodeForm } from '../http/percent.ts'

export type Pair = { readonly clientId: string; readonly clientSecret: string }

export type Basic =
  | { readonly kind: 'absent' }
  | { readonly kind: 'malformed' }
  /** The readings of one header, the likelier first: one or two. */
  | { readonly kind: 'pairs'; readonly pairs: readonly [Pair, ...Pair[]] }

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const CONTROL = /\p{Cc}/u

/**
 * The credentials of HTTP Basic. RFC 6749 section 2.3.1 has both halves form-encoded, and oauth4webapi, Spring
 * and Go do that; curl, Postman and requests send them raw. The two cannot be told apart, so both readings count.
 * Another scheme is absent: SDKs put their last bearer token on every request, this one included.
 */
export function readBasic(authorization: string | undefined): Basic {
  const header = /^basic(?: +(.*))?$/is.exec(authorization ?? '')
  if (header === null) return { kind: 'absent' }
  const text = decodeBase64(header[1] ?? '')
  const colon = text?.indexOf(':') ?? -1
  if (text === undefined || colon < 0 || CONTROL.test(text)) return { kind: 'malformed' }
  const raw = { clientId: text.slice(0, colon), clientSecret: text.slice(colon + 1) }
  const clientId = decodeForm(raw.clientId)
  const clientSecret = decodeForm(raw.clientSecret)
  if (clientId === undefined || clientSecret === undefined) return { kind: 'pairs', pairs: [raw] }
  if (clientId === raw.clientId && clientSecret === raw.clientSecret) return { kind: 'pairs', pairs: [raw] }
  return { kind: 'pairs', pairs: [{ clientId, clientSecret }, raw] }
}

/** Node decodes what it can and drops the rest; here a character that does not belong is a fault. */
function decodeBase64(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  try {
    return utf8.decode(Buffer.from(text, 'base64'))
  } catch {
    return undefined
  }
}
