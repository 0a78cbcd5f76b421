/** A partner's program: it signs in once and keeps its token. */
export type PartnerClient = {
  readonly get: (target: string) => Promise<Answer>
  readonly post: (target: string, body: object) => Promise<Answer>
}

export type Answer = { readonly status: number; readonly body: Record<string, unknown> }

export type Credentials = { readonly keyId: string; readonly secret: string }

export async function signIn(
  url: string,
  { keyId, secret }: Credentials,
  more: Record<string, string> = {},
): Promise<PartnerClient> {
  const form = { grant_type: 'client_credentials', client_id: keyId, client_secret: secret, ...more }
  const exchange = await fetch(`${url}/auth/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token: token } = (await exchange.json()) as { access_token?: string }
  if (token === undefined) throw new Error(`no token: ${exchange.status}`)
  const ask = async (target: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = { ...init.headers, authorization: `Bearer ${token}` }
    const response = await fetch(url + target, { ...init, headers })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return {
    get: (target) => ask(target),
    post: (target, body) =>
      ask(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
        body: JSON.stringify(body),
      }),
  }
}
