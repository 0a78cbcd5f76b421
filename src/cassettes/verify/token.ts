import type { HeaderLine } from '../../http/header-lines.ts'
import type { CapturedReply, CapturedRequest, Interaction } from '../interaction.ts'
import { valuesOf } from '../message/places.ts'
import { readBody } from '../message/read-body.ts'
import type { LiveValues } from './live-values.ts'
import { replaced } from './request.ts'
import { refusalCode } from './skip.ts'

export type Credentials = { readonly clientId: string; readonly clientSecret: string }

/** The sandbox gave no token; `message` is for people and names no secret. */
export class TokenFault extends Error {
  override readonly name = 'TokenFault'
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
  const recorded = interaction.request.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1]
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
  const body = readBody(request)
  const live: Readonly<Record<string, string>> = { '/client_id': clientId, '/client_secret': clientSecret }
  const text = replaced(body.bytes, body.fields, ({ pointer }) =>
    Object.hasOwn(live, pointer) ? live[pointer] : undefined,
  )
  return { ...request, headers, body: Buffer.from(text, 'latin1') }
}

/** A token for every scope that the key has. @throws TokenFault */
export async function fetchToken(
  send: (request: CapturedRequest) => Promise<CapturedReply>,
  { clientId, clientSecret }: Credentials,
): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  })
  const request: CapturedRequest = {
    method: 'POST',
    target: '/auth/token',
    httpVersion: '1.1',
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    body: Buffer.from(form.toString()),
  }
  const reply = await send(request)
  const values = valuesOf({ request, reply })
  const token = values.get('reply-body /access_token')
  if (reply.status === 200 && token) return token
  const code = values.get('reply-body /code') ?? values.get('reply-body /error')
  throw new TokenFault(
    `the sandbox gave no token for ${clientId}: ${[reply.status, code].filter(Boolean).join(' ')}`,
  )
}
