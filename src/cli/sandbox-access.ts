import type { CapturedReply, CapturedRequest } from '../cassettes/interaction.ts'
import { type Credentials, tokenRequest } from '../cassettes/verify/token.ts'
import { DEMO_PARTNER, demoCredentials } from '../config/demo.ts'
import { jsonObject } from '../http/json-object.ts'
import { isLoopbackUrl } from '../http/loopback.ts'
import { baseUrl } from './base-url.ts'
import type { Invocation, Io } from './command.ts'
import { wrongUsage } from './reporting.ts'
import { createSend, SendError } from './sandbox-client.ts'

const DEFAULT_URL = 'http://127.0.0.1:8080'

export type Access = {
  readonly base: URL
  /** Absent where SANDGATE_TOKEN is all there is. */
  readonly credentials?: Credentials | undefined
  readonly token?: string | undefined
  /** What is wrong with the connection, and what to start. */
  readonly send: (request: CapturedRequest) => Promise<CapturedReply | SendError>
  /** A text without the secret and tokens, whoever has repeated them. */
  readonly masked: (text: string) => string
}

/** Whom the environment says to ask, and as whom; undefined when that is wrong, which has been said. */
export function sandboxAccess(invocation: Invocation, io: Io): Access | undefined {
  const read = readAccess(io.env, invocation.options['allow-http'] === true)
  if (typeof read !== 'string') return read
  wrongUsage(invocation, io, read)
  return undefined
}

function readAccess(env: Io['env'], allowsHttp: boolean): Access | string {
  // A variable that is set to nothing is not set.
  const text = env.SANDGATE_URL || DEFAULT_URL
  const base = baseUrl(text)
  if (base === undefined)
    return 'SANDGATE_URL must be an http or https URL without credentials, query and fragment, such as https://sandbox.example.com'
  const isHere = isLoopbackUrl(base.href)
  if (base.protocol === 'http:' && !isHere && !allowsHttp)
    return `${base.origin} is another machine, and over plain http everybody on the way can read secret and token; use https, or say --allow-http`
  const { SANDGATE_CLIENT_ID: id, SANDGATE_CLIENT_SECRET: secret, SANDGATE_TOKEN: token } = env
  const credentials = id && secret ? { clientId: id, clientSecret: secret } : undefined
  if (!credentials && (id || secret) && !token)
    return `set ${id ? 'SANDGATE_CLIENT_SECRET' : 'SANDGATE_CLIENT_ID'} as well; one is nothing without the other`
  if (!credentials && !token && !isHere)
    return `set SANDGATE_CLIENT_ID and SANDGATE_CLIENT_SECRET: the demo partner exists on this machine only, not at ${base.origin}`
  if (token && !isToken(token))
    return 'SANDGATE_TOKEN is no token: it has spaces or characters that no header can have'
  const demo = id || secret ? undefined : demoCredentials({ partners: [DEMO_PARTNER] })
  const known = [secret, token].filter((each): each is string => each !== undefined && each.length > 3)
  const send = createSend(base)
  return {
    base,
    credentials: credentials ?? (isHere ? demo : undefined),
    token: token || undefined,
    send: (request) => sendOrSay(send, request),
    masked: (said) => known.reduce((left, each) => left.replaceAll(each, '[secret]'), said),
  }
}

async function sendOrSay(
  send: ReturnType<typeof createSend>,
  request: CapturedRequest,
): Promise<CapturedReply | SendError> {
  try {
    return await send(request)
  } catch (error) {
    if (!(error instanceof SendError)) throw error
    const isNobody = (error.cause as NodeJS.ErrnoException).code === 'ECONNREFUSED'
    const todo = isNobody ? '; start a gateway with sandgate serve, or set SANDGATE_URL to one that runs' : ''
    // What TLS says of a fault has line breaks.
    return new SendError(`${error.message.replaceAll(/\s+/g, ' ').trim()}${todo}`)
  }
}

export type TokenAnswer = { readonly reply: CapturedReply; readonly token: string | undefined }

/** Exchanges the credentials for a token; `token` is undefined where the answer has none. */
export async function askToken(
  { send }: Access,
  credentials: Credentials,
  scopes: readonly string[] = [],
): Promise<TokenAnswer | SendError> {
  const reply = await send(tokenRequest(credentials, scopes))
  if (reply instanceof SendError) return reply
  const token = reply.status === 200 ? jsonObject(reply.body)?.access_token : undefined
  return { reply, token: typeof token === 'string' && isToken(token) ? token : undefined }
}

function isToken(text: string): boolean {
  return /^[!-~]+$/.test(text)
}
