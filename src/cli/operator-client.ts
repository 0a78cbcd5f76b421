import type { Config } from '../config/schema.ts'

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
}

const PATIENCE_MS = 10_000

/** Asks the operator listener of a running gateway: the configured one, or the one at `named`. */
export async function callOperator(
  { operator }: Config,
  named: string | true | undefined,
  { method, path, body: sent = {} }: OperatorRequest,
): Promise<OperatorAnswer> {
  const host = operator.host.includes(':') ? `[${operator.host}]` : operator.host
  const base = typeof named === 'string' ? named.replace(/\/+$/, '') : `http://${host}:${operator.port}`
  if (!URL.canParse(`${base}${path}`)) return { kind: 'refused', message: `${base} is not a URL` }
  try {
    const response = await fetch(`${base}${path}`, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
      headers: operator.token === null ? {} : { authorization: `Bearer ${operator.token}` },
      ...(method === 'POST' && { body: JSON.stringify(sent), headers: postHeaders(operator.token) }),
    })
    const body: unknown = await response.json()
    if (response.ok) return { kind: 'answered', body }
    return { kind: 'refused', message: `${base} answered ${response.status}: ${detailOf(body)}` }
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } }
    if (cause?.code === 'ECONNREFUSED') return { kind: 'absent', message: `nothing answers at ${base}` }
    return {
      kind: 'refused',
      message: `${base} did not answer as an operator listener: ${cause?.code ?? message}`,
    }
  }
}

function postHeaders(token: string | null) {
  return { 'content-type': 'application/json', ...(token !== null && { authorization: `Bearer ${token}` }) }
}

function detailOf(body: unknown): string {
  return typeof body === 'object' && body !== null && 'detail' in body
    ? String(body.detail)
    : 'no reason given'
}
