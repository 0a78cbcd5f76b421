import { randomUUID } from 'node:crypto'
import type { Gateway } from '../support/gateway.ts'

/** A partner's program that has signed in. */
export type Client = { readonly url: string; readonly token: string }

export async function signIn(url: string, { partners }: Pick<Gateway, 'partners'>): Promise<Client> {
  const [one] = partners
  const body = new URLSearchParams({ client_id: one?.keyId ?? '', client_secret: one?.secret ?? '' })
  const response = await fetch(`${url}/auth/token`, { method: 'POST', body })
  return { url, token: String(((await response.json()) as { access_token: string }).access_token) }
}

/** The answer's body, with its status. */
export async function ask(
  { url, token }: Client,
  method: string,
  path: string,
  body?: object,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { ...((await response.json()) as object), status: response.status }
}
