import { errorEntry } from '../errors/catalogue.ts'
import { type Refusal, type Result, refuse } from '../errors/refusal.ts'
import { type Pair, readBasic } from './basic.ts'
import type { IssuedToken } from './issue.ts'
import { LIVE_KEY, looksLive } from './live-key.ts'
import type { ProvenKey, Registry } from './registry.ts'
import { type Parameters, type ParseJson, readParameters } from './token-request-body.ts'

export type TokenRequest = {
  readonly clientId: string
  readonly clientSecret: string
  /** HTTP Basic that can be read in two ways: the second one. */
  readonly alternative?: Pair
  readonly grantType?: string
  readonly scope?: string
  readonly usedBasic: boolean
}

export type ReadTokenRequest =
  | { readonly ok: true; readonly request: TokenRequest }
  | {
      readonly ok: false
      readonly refusal: Refusal
      /** Whom the request named, for counting. It may be a sandbox key: never log it. */
      readonly namedClient?: string
      readonly usedBasic: boolean
    }

/** Far above any key id, tenant or sandbox key. */
const MAX_CREDENTIAL_LENGTH = 512

/**
 * Reads POST /auth/token: credentials in the body or in HTTP Basic, in both only when they are equal
 * (RFC 6749 section 2.3). `authorization` is the one header line; doubled lines are refused before.
 */
export function readTokenRequest(
  input: {
    readonly contentType: string | undefined
    readonly authorization: string | undefined
    readonly body: Buffer
  },
  parseJson: ParseJson,
): ReadTokenRequest {
  const basic = readBasic(input.authorization)
  const usedBasic = basic.kind !== 'absent'
  if (basic.kind === 'malformed') {
    return { ok: false, refusal: invalidClient('The Basic credentials are malformed.', usedBasic), usedBasic }
  }
  const pairs = basic.kind === 'pairs' ? basic.pairs : []
  const read = readParameters(input.contentType, input.body, parseJson)
  const named = pairs[0]?.clientId ?? (read.ok ? read.value.client_id : undefined)
  const failed = (refusal: Refusal): ReadTokenRequest => {
    const countable = named !== undefined && named !== '' && named.length <= MAX_CREDENTIAL_LENGTH
    return { ok: false, refusal, ...(countable ? { namedClient: named } : {}), usedBasic }
  }
  if (!read.ok) return failed(read.refusal)

  const sent = usedBasic ? pairs.filter((pair) => agrees(pair, read.value)) : bodyPair(read.value)
  const candidates = sent.filter((pair) => !tooLong(pair))
  const [first, alternative] = candidates
  if (first === undefined) {
    if (sent.length > 0) {
      const detail = `client_id and client_secret have at most ${MAX_CREDENTIAL_LENGTH} characters.`
      return failed(refuse('INVALID_REQUEST', detail))
    }
    if (usedBasic)
      return failed(refuse('INVALID_REQUEST', 'HTTP Basic and the body name different credentials.'))
    return failed(invalidClient('Send client_id and client_secret in the body or in HTTP Basic.', usedBasic))
  }
  const { grant_type: grantType, scope } = read.value
  const request: TokenRequest = {
    ...first,
    ...(alternative === undefined ? {} : { alternative }),
    ...(grantType === undefined ? {} : { grantType }),
    ...(scope === undefined ? {} : { scope }),
    usedBasic,
  }
  return { ok: true, request }
}

const WRONG = 'client_id and client_secret do not belong together.'

/** The key that a request proves. With HTTP Basic there are always two proofs, so that neither reading is faster. */
export function proveClient(request: TokenRequest, registry: Registry): ProvenKey | undefined {
  const proven = registry.prove(request.clientId, request.clientSecret)
  if (!request.usedBasic) return proven
  const { clientId, clientSecret } = request.alternative ?? request
  const alternative = registry.prove(clientId, clientSecret)
  return proven ?? alternative
}

/** The scopes to grant. The client first, then the grant type, then the scope: only a proven client learns anything about scopes. */
export function judgeTokenRequest(
  request: TokenRequest,
  proven: ProvenKey | undefined,
): Result<readonly string[]> {
  const refused = (refusal: Refusal): Result<readonly string[]> => ({ ok: false, refusal })
  if (proven === undefined) {
    // The one answer to an unknown client, a wrong secret and a revoked key.
    const isLive = looksLive(request.clientSecret) || looksLive(request.clientId)
    return refused(invalidClient(isLive ? LIVE_KEY : WRONG, request.usedBasic))
  }
  if (request.grantType !== undefined && request.grantType !== 'client_credentials') {
    return refused(refuse('UNSUPPORTED_GRANT_TYPE', 'grant_type has to be client_credentials, or left out.'))
  }
  const asked = new Set(request.scope?.split(' ').filter((scope) => scope !== ''))
  if (asked.size === 0) return { ok: true, value: proven.scopes }
  const scopes = proven.scopes.filter((scope) => asked.has(scope))
  if (scopes.length === asked.size) return { ok: true, value: scopes }
  const held = proven.scopes.length === 0 ? 'none' : proven.scopes.join(' ')
  return refused(refuse('INVALID_SCOPE', `The key does not hold all of the scope. It holds: ${held}.`))
}

/** The body of a success (RFC 6749 section 5.1). There is never a refresh token (section 4.4.3). */
export function tokenResponse(issued: IssuedToken) {
  return {
    access_token: issued.token,
    token_type: 'Bearer',
    expires_in: issued.expiresIn,
    scope: issued.scopes.join(' '),
    liveKeyMinted: false,
  } as const
}

/** The body of a failure (RFC 6749 section 5.2), for every refusal of this endpoint, rate limits included. */
export function tokenProblem(refusal: Refusal, requestId: string) {
  return {
    error: oauthError(refusal.code),
    // Section 5.2 allows %x20-21 / %x23-5B / %x5D-7E.
    error_description: refusal.detail.replaceAll('"', "'").replace(/[^ -[\]-~]/gu, '?'),
    code: refusal.code,
    requestId,
  }
}

function oauthError(code: Refusal['code']): string {
  const { oauth, status } = errorEntry(code)
  if (oauth !== undefined) return oauth
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}

/**
 * Challenged only when Basic was used (section 5.2). With credentials in the body there is no challenge: client
 * libraries that see one hide the body, and with it the reason.
 */
function invalidClient(detail: string, usedBasic: boolean): Refusal {
  return refuse(
    'INVALID_CLIENT',
    detail,
    usedBasic ? { headers: { 'www-authenticate': 'Basic realm="sandgate"' } } : {},
  )
}

function bodyPair({ client_id, client_secret }: Parameters): Pair[] {
  if (client_id === undefined || client_secret === undefined) return []
  return [{ clientId: client_id, clientSecret: client_secret }]
}

function agrees(pair: Pair, { client_id, client_secret }: Parameters): boolean {
  return (
    (client_id ?? pair.clientId) === pair.clientId &&
    (client_secret ?? pair.clientSecret) === pair.clientSecret
  )
}

function tooLong({ clientId, clientSecret }: Pair): boolean {
  return clientId.length > MAX_CREDENTIAL_LENGTH || clientSecret.length > MAX_CREDENTIAL_LENGTH
}
