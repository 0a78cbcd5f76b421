import { bearerToken } from '../../http/authorization.ts'
import { type HeaderLine, headerOf } from '../../http/header-lines.ts'

/**
 * What a request says of who is asking. A recorded answer belongs to a caller as much as to the question: with a token
 * or without one, with these scopes and no others, for this tenant.
 *
 * - `granted`: a token of a recorded exchange. A run may renew it as often as it likes, so it counts as its client and
 *   scopes. `isRecorded`: of a live one, whether its exchange is on the tape.
 * - `unknown`: a token that no recorded exchange has granted. `isRefused`: nobody takes it.
 * - `other`: credentials of another scheme.
 */
export type TokenFact =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'granted'
      readonly client: string
      /** Sorted, with spaces between them. */
      readonly scopes: string
      readonly isRecorded: boolean
    }
  | { readonly kind: 'unknown'; readonly value: string; readonly isRefused: boolean }
  | { readonly kind: 'other'; readonly scheme: string; readonly value: string }

/** `own`: the tenant of the client. `=NAME`: a tenant of which nobody knows whether it is the client's. */
export type TenantFact = 'absent' | 'own' | 'another' | `=${string}`

export type CallerFacts = {
  readonly token: TokenFact
  readonly tenant: TenantFact
  /** Cookies that may make a difference, by name. */
  readonly cookies: ReadonlyMap<string, string>
}

export const NO_TOKEN: TokenFact = { kind: 'none' }
export const ANYBODY: CallerFacts = { token: NO_TOKEN, tenant: 'absent', cookies: new Map() }

/** Where the values of a caller that are bound rather than compared have their places: pointers of request headers. */
export const CALLER_PLACES = {
  client: '/authorization/client',
  token: '/authorization/token',
  refused: '/authorization/refused-token',
  credentials: '/authorization/credentials',
} as const

export type CallerPlace = (typeof CALLER_PLACES)[keyof typeof CALLER_PLACES]

export function cookiePlace(name: string): string {
  return `/cookie/${name}`
}

/** The place at which a recorded request holds its credentials; undefined when it has none. */
export function callerPlace({ token }: CallerFacts): CallerPlace | undefined {
  switch (token.kind) {
    case 'none':
      return undefined
    case 'granted':
      return CALLER_PLACES.client
    case 'unknown':
      return token.isRefused ? CALLER_PLACES.refused : CALLER_PLACES.token
    case 'other':
      return CALLER_PLACES.credentials
  }
}

/**
 * What a caller has at one of these places. A token that a live exchange has granted and the tape knows nothing of
 * may be any unknown one of the recording; one of a recorded exchange is no other.
 */
export function callerValue({ token, cookies }: CallerFacts, pointer: string): string | undefined {
  switch (pointer) {
    case CALLER_PLACES.client:
      return token.kind === 'granted' ? token.client : undefined
    case CALLER_PLACES.token:
      if (token.kind === 'granted') return token.isRecorded ? undefined : `${token.client} ${token.scopes}`
      return token.kind === 'unknown' ? token.value : undefined
    case CALLER_PLACES.refused:
      return token.kind === 'unknown' && token.isRefused ? token.value : undefined
    case CALLER_PLACES.credentials:
      return token.kind === 'other' ? token.value : undefined
    default:
      return pointer.startsWith('/cookie/') ? cookies.get(pointer.slice('/cookie/'.length)) : undefined
  }
}

/** A caller in a canonical key, beside what is bound. `place`: where the recorded request holds its credentials. */
export function callerKey({ token, tenant, cookies }: CallerFacts, place: string | undefined): string {
  const names = cookies.size === 0 ? '' : [...cookies.keys()].sort().join(' ')
  return `${tokenKey(token, place)}|${tenant}|${names}`
}

function tokenKey(token: TokenFact, place: string | undefined): string {
  // A live token is looked for under each kind that it may be of.
  if (place === undefined) return token.kind
  if (place === CALLER_PLACES.client) return token.kind === 'granted' ? `granted ${token.scopes}` : token.kind
  return token.kind === 'other' ? `${place} ${token.scheme}` : place
}

/** The credentials of a request, as its header names them. `token` says what is known of a token. */
export function tokenFactOf(headers: readonly HeaderLine[], token: (value: string) => TokenFact): TokenFact {
  const authorization = headerOf(headers, 'authorization')?.trim() ?? ''
  if (authorization === '') return NO_TOKEN
  const bearer = bearerToken(authorization)
  if (bearer !== undefined) return token(bearer)
  const [scheme = '', ...rest] = authorization.split(/ +/)
  // The word Bearer and nothing after it is no token.
  if (rest.length === 0 && scheme.toLowerCase() === 'bearer') return NO_TOKEN
  const value = rest.length === 0 ? authorization : rest.join(' ')
  return { kind: 'other', scheme: rest.length === 0 ? '' : scheme.toLowerCase(), value }
}

/** The cookies of a request that have one of these names. */
export function cookiesAmong(
  headers: readonly HeaderLine[],
  names: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  return new Map(cookiesOf(headers).filter(([name]) => names.has(name)))
}

/** The pairs of all Cookie lines. */
export function cookiesOf(headers: readonly HeaderLine[]): (readonly [name: string, value: string])[] {
  // Few clients send any, and every entry of a cassette is asked.
  if (headerOf(headers, 'cookie') === undefined) return []
  return headers
    .filter(([name]) => name.toLowerCase() === 'cookie')
    .flatMap(([, value]) => value.split(';'))
    .map((pair) => {
      const equals = pair.indexOf('=')
      return [pair.slice(0, Math.max(0, equals)).trim(), pair.slice(equals + 1).trim()] as const
    })
    .filter(([name]) => name !== '')
}
