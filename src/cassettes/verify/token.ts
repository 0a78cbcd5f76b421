import { type HeaderLine, headerOf } from '../../http/header-lines.ts'
import { authToken } from '../../operations/auth-token.ts'
import type { CapturedReply, CapturedRequest, Interaction } from '../interaction.ts'
import { replaceFields } from '../message/body-fields.ts'
import { placeKey } from '../message/place.ts'
import { readableBody } from '../message/readable-body.ts'
import { valuesOf } from '../message/values.ts'
import type { LiveValues } from './live-values.ts'
import { refusalCode } from './skip.ts'

export type Credentials = { readonly clientId: string; readonly clientSecret: string }

/** The sandbox gave no token; `message` is for people and names no secret. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
}

export type Authorization =
  | { readonly kind: 'ready'; readonly value: string | undefined }
  | { readonly kind: 'skip'; readonly reason: string }

/**
 * The live Authorization of a recorded request: the token that came for the recorded one, so that its scopes are the
 * recorded ones, else a token for all scopes. A token that was refused is sent as its stand-in, which is none.
 */
export async function liveAuthorization(
  interaction: Interaction,
  values: LiveValues,
  defaultToken: () => Promise<string>,
): Promise<Authorization> {
  const recorded = headerOf(interaction.request.headers, 'authorization')
  if (recorded === undefined) return { kind: 'ready', value: undefined }
  const code = refusalCode(interaction)
  const [, scheme, standIn] = /^(bearer)\s+(\S+)$/i.exec(recorded) ?? []
  if (scheme === undefined || standIn === undefined || code === 'TOKEN_INVALID' || code === 'TOKEN_MISSING')
    return { kind: 'ready', value: recorded }
  const known = values.secretOf(standIn)
  if (known === undefined && code === 'INSUFFICIENT_SCOPE')
    return { kind: 'skip', reason: 'the token exchange that narrowed its scopes was not recorded' }
  return { kind: 'ready', value: `${scheme} ${known ?? (await defaultToken())}` }
}

/** A recorded token exchange with live credentials where stand-ins are, unless it was refused for them. */
export function liveExchange(
  interaction: Interaction,
  { clientId, clientSecret }: Credentials,
): CapturedRequest {
  const { request } = interaction
  if (refusalCode(interaction) === 'INVALID_CLIENT') return request
  const headers = request.headers.map(([name, value]): HeaderLine => {
    if (name.toLowerCase() !== 'authorization' || !/^basic\s/i.test(value)) return [name, value]
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
    return [name, `Basic ${Buffer.from(pair).toString('base64')}`]
  })
  const body = readableBody(request)
  const live: Readonly<Record<string, string>> = { '/client_id': clientId, '/client_secret': clientSecret }
  const text = replaceFields(body.bytes, body.fields, ({ pointer }) =>
    Object.hasOwn(live, pointer) ? live[pointer] : undefined,
  )
  return { ...request, headers, body: Buffer.from(text, 'latin1') }
}

/** The exchange of a key for a token: for every scope that the key has, or for some of them. */
export function tokenRequest(
  { clientId, clientSecret }: Credentials,
  scopes: readonly string[] = [],
): CapturedRequest {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  })
  return {
    method: 'POST',
    target: authToken.path,
    httpVersion: '1.1',
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    body: Buffer.from(form.toString()),
  }
}

/** A token for every scope that the key has. @throws TokenError */
export async function fetchToken(
  send: (request: CapturedRequest) => Promise<CapturedReply>,
  credentials: Credentials,
): Promise<string> {
  const request = tokenRequest(credentials)
  const reply = await send(request)
  const values = valuesOf({ request, reply })
  const replied = (pointer: string) => values.get(placeKey({ part: 'reply-body', pointer }))
  const token = replied('/access_token')
  if (reply.status === 200 && token) return token
  const code = [replied('/code'), replied('/error')].find((text) => text !== undefined && CODE.test(text))
  throw new TokenError(
    `the sandbox gave no token for ${credentials.clientId}: ${[reply.status, code].filter(Boolean).join(' ')}`,
  )
}

/** What is no such word may be anything, the secret that was refused included. */
const CODE = /^[A-Za-z]{1,40}(?:_[A-Za-z]{1,40}){0,9}$/
