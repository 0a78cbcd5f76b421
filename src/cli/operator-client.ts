import { existsSync } from 'node:fs'
import { Agent } from 'undici'
import type { Config } from '../config/schema.ts'
import { withSockets } from '../store/owner-socket.ts'

export type OperatorAnswer =
  | { readonly kind: 'answered'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly message: string }
  /** Nobody listens there. */
  | { readonly kind: 'absent'; readonly message: string }

export type OperatorRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** What a POST sends, as JSON; by default `{}`. */
  readonly body?: object
  /** How long the answer may take; a minute by default. */
  readonly patienceMs?: number
}

/** A reload of many partners takes seconds. */
const PATIENCE_MS = 60_000

/** A gateway that is starting has its socket before it answers. */
const START_MS = 3000
const PAUSE_MS = 50

/**
 * Asks the gateway of a configuration: the one on its data directory, and nobody else who may listen on the configured
 * port. Where the store is in memory there is only its operator listener; `named` is the one at a URL.
 */
export function callGateway(
  config: Config,
  named: string | true | undefined,
  call: OperatorRequest,
): Promise<OperatorAnswer> {
  const byDirectory = named === undefined && config.store.engine === 'embedded'
  return byDirectory ? callOwner(config, call) : callOperator(config, named, call)
}

/** For what changes nothing: where no gateway runs on the data directory, whoever the configuration names is asked. */
export async function callEither(
  config: Config,
  named: string | true | undefined,
  call: OperatorRequest,
): Promise<OperatorAnswer> {
  const owner = named === undefined ? await callOwner(config, call) : undefined
  return owner === undefined || owner.kind === 'absent' ? callOperator(config, named, call) : owner
}

/** Asks the gateway that runs on the data directory of a configuration, through its socket there. */
export async function callOwner({ store }: Config, call: OperatorRequest): Promise<OperatorAnswer> {
  const absent = { kind: 'absent', message: `no gateway runs on the data directory ${store.path}` } as const
  if (store.engine !== 'embedded' || !existsSync(store.path)) return absent
  return withSockets(store.path, async (paths) => {
    for (const socketPath of paths) {
      const answer = await askSocket(socketPath, store.path, call)
      if (answer.kind !== 'absent') return answer
    }
    return absent
  })
}

async function askSocket(socketPath: string, name: string, call: OperatorRequest): Promise<OperatorAnswer> {
  const dispatcher = new Agent({ connect: { socketPath } })
  try {
    for (const deadline = performance.now() + START_MS; ; ) {
      const answer = await ask('http://localhost', `the gateway of ${name}`, call, { dispatcher })
      if (answer.kind !== 'hung-up') return answer
      if (performance.now() > deadline) return { kind: 'absent', message: answer.message }
      await new Promise((next) => setTimeout(next, PAUSE_MS))
    }
  } finally {
    await dispatcher.destroy()
  }
}

/** Asks the operator listener of a running gateway: the configured one, or the one at `named`. */
export async function callOperator(
  { operator }: Config,
  named: string | true | undefined,
  call: OperatorRequest,
): Promise<OperatorAnswer> {
  const base = typeof named === 'string' ? named.replace(/\/+$/, '') : operatorUrl(operator)
  if (!URL.canParse(`${base}${call.path}`)) return { kind: 'refused', message: `${base} is not a URL` }
  const dispatcher = new Agent()
  try {
    const answer = await ask(base, base, call, { dispatcher, token: operator.token })
    return answer.kind === 'hung-up' ? { ...answer, kind: 'refused' } : answer
  } finally {
    await dispatcher.destroy()
  }
}

export function operatorUrl({ host, port }: Config['operator']): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

type Way = { readonly dispatcher: Agent; readonly token?: string | null }

async function ask(
  base: string,
  name: string,
  { method, path, body, patienceMs = PATIENCE_MS }: OperatorRequest,
  { dispatcher, token = null }: Way,
): Promise<OperatorAnswer | { readonly kind: 'hung-up'; readonly message: string }> {
  try {
    const url = new URL(`${base}${path}`)
    const response = await dispatcher.request({
      method,
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      signal: AbortSignal.timeout(patienceMs),
      headersTimeout: patienceMs,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      },
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    })
    const answer: unknown = await response.body.json()
    if (response.statusCode < 300) return { kind: 'answered', body: answer }
    return { kind: 'refused', message: `${name} answered ${response.statusCode}: ${detailOf(answer)}` }
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code === 'ECONNREFUSED' || code === 'ENOENT') {
      return { kind: 'absent', message: `nothing answers at ${base}` }
    }
    const problem = `${name} did not answer as an operator listener: ${code ?? message}`
    return { kind: code === 'UND_ERR_SOCKET' ? 'hung-up' : 'refused', message: problem }
  }
}

function detailOf(body: unknown): string {
  return typeof body === 'object' && body !== null && 'detail' in body
    ? String(body.detail)
    : 'no reason given'
}
