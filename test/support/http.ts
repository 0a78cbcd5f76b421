import { randomUUID } from 'node:crypto'
import { request } from 'undici'
import type { Gateway } from './gateway.ts'
import { secretOf, type TestPartner } from './partners.ts'

/** Somebody who sends requests: a partner at an address. */
export type Caller = { readonly gateway: Gateway; readonly partner: TestPartner; readonly from: string }

export type Reply = {
  readonly status: number
  /** Lower-case names; a header that came twice is joined by ", ". */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  /** The body as JSON; loosely typed, because what it is is what a test finds out. */
  // biome-ignore lint/suspicious/noExplicitAny: the body of any operation
  readonly json: any
  /** Where it came from: the URL of the gateway. */
  readonly origin: string
}

export type RequestOptions = {
  /** null sends no token; by default the partner's own, with every scope of its key. */
  readonly token?: string | null
  /** The Idempotency-Key of a POST: a fresh one by default, null for none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string | string[]>>
}

/** A partner and an address that no other test of the file uses: fresh windows, caps and keys. */
export function newCaller(gateway: Gateway): Caller {
  return { gateway, partner: gateway.nextPartner(), from: gateway.nextAddress() }
}

/** A given partner, from an address of its own. */
export function callerFor(gateway: Gateway, partner: TestPartner): Caller {
  return { gateway, partner, from: gateway.nextAddress() }
}

export async function get(who: Gateway | Caller, path: string, options: RequestOptions = {}): Promise<Reply> {
  return send(who, 'GET', path, undefined, options)
}

/** POSTs a JSON body; a text or bytes are sent as they are, labelled as JSON. */
export async function post(
  who: Gateway | Caller,
  path: string,
  body: unknown,
  options: RequestOptions = {},
): Promise<Reply> {
  return send(who, 'POST', path, body, options)
}

export async function send(
  who: Gateway | Caller,
  method: string,
  path: string,
  body: unknown,
  options: RequestOptions = {},
): Promise<Reply> {
  const caller = callerOf(who)
  const headers: Record<string, string | string[]> = {}
  const bearer = options.token === undefined ? await token(caller) : options.token
  if (bearer !== null) headers.authorization = `Bearer ${bearer}`
  if (method === 'POST' && options.key !== null) headers['idempotency-key'] = options.key ?? randomUUID()
  if (body !== undefined) headers['content-type'] = 'application/json'
  return transmit(caller, method, path, bytesOf(body), { ...headers, ...options.headers })
}

/** Sends exactly this. */
export async function transmit(
  who: Gateway | Caller,
  method: string,
  path: string,
  body: Buffer | null,
  headers: Readonly<Record<string, string | string[]>> = {},
): Promise<Reply> {
  const { gateway, from } = callerOf(who)
  const response = await request(`${gateway.url}${path}`, {
    method: method as 'GET',
    headers,
    body,
    dispatcher: gateway.agent(from),
  })
  const bytes = Buffer.from(await response.body.arrayBuffer())
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) flat[name] = [value].flat().join(', ')
  return reply(gateway.url, response.statusCode, flat, bytes)
}

export function reply(
  origin: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  bytes: Buffer,
): Reply {
  const isJson = /json/.test(headers['content-type'] ?? '') && bytes.length > 0
  return { status, headers, bytes, origin, json: isJson ? JSON.parse(bytes.toString('utf8')) : undefined }
}

const tokens = new Map<string, { token: Promise<string>; at: number }>()
/** Well within the lifetime of a token, whatever the clock was moved by. */
const REUSED_SECONDS = 3000

/** A token of the caller's partner, or of another of its keys; exchanged once and used again while it lives. */
export async function token(
  who: Gateway | Caller,
  { keyId, scope = '' }: { readonly keyId?: string; readonly scope?: string } = {},
): Promise<string> {
  const caller = callerOf(who)
  const clientId = keyId ?? caller.partner.keyId
  const name = `${caller.gateway.url} ${clientId} ${scope}`
  const at = caller.gateway.advanced()
  const held = tokens.get(name)
  if (held && at - held.at < REUSED_SECONDS) return held.token
  const secret = clientId === caller.partner.keyId ? caller.partner.secret : secretOf(clientId)
  const fresh = exchange(caller, { client_id: clientId, client_secret: secret, scope }).then((answer) => {
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.bytes}`)
    return String(answer.json.access_token)
  })
  tokens.set(name, { token: fresh, at })
  return fresh
}

/** POST /auth/token with a form. */
export async function exchange(
  who: Gateway | Caller,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const body = Buffer.from(new URLSearchParams(form).toString())
  return transmit(who, 'POST', '/auth/token', body, {
    'content-type': 'application/x-www-form-urlencoded',
    ...headers,
  })
}

function callerOf(who: Gateway | Caller): Caller {
  if ('gateway' in who) return who
  const [first] = who.partners
  if (!first) throw new RangeError('the gateway has no partner')
  return { gateway: who, partner: first, from: '127.0.0.1' }
}

function bytesOf(body: unknown): Buffer | null {
  if (body === undefined) return null
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
