import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { fieldsOf } from './send.ts'

/** A client of the sandbox: its secret, its tenant, and every scope that it may have. */
export type ForeignClient = { readonly secret: string; readonly tenant: string }

export type ForeignSandbox = { readonly url: string; readonly close: () => void }

/**
 * A sandbox that somebody else has written: opaque tokens, error codes and scopes of its own. `strict` judges what the
 * interface judges, in its own words; `lenient` takes everything that names a payment.
 */
export type Manners = 'strict' | 'lenient'

type Token = { readonly client: string; readonly scopes: readonly string[] }

export const FOREIGN_SCOPES = ['accounts:read', 'accounts:write', 'kyc:initiate', 'payments:write']
/** The same scopes as the interface wants: what is narrower is judged live, whatever was recorded. */
const SCOPE_OF = {
  '/payments/': 'payments:write',
  '/accounts/open': 'accounts:write',
  '/kyc/': 'kyc:initiate',
}
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** Its answer follows from the request alone, but for the ids that it makes and the references that were opened. */
export async function openForeignSandbox(
  manners: Manners,
  clients: Readonly<Record<string, ForeignClient>>,
): Promise<ForeignSandbox> {
  const tokens = new Map<string, Token>()
  const opened = new Set<string>()
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const reply = answer(req, Buffer.concat(chunks))
      tell(res, reply)
    })
  })

  function answer(req: IncomingMessage, body: Buffer): Told {
    const path = (req.url ?? '').split('?', 1)[0]
    if (path === '/v1/sandbox/outcomes') return refuse(404, 'E_NO_SUCH_PATH')
    if (path === '/auth/token') return exchange(req, body)
    if (path?.startsWith('/kyc/widget/')) return page(req)
    const token = tokens.get(req.headers.authorization?.replace(/^Bearer /i, '') ?? '')
    const refusal = manners === 'strict' ? judge(req, token) : undefined
    return refusal ?? perform(req, body, token)
  }

  function exchange(req: IncomingMessage, body: Buffer): Told {
    const basic = /^Basic (.+)$/i.exec(req.headers.authorization ?? '')?.[1]
    const [user, password] = basic ? Buffer.from(basic, 'base64').toString().split(':') : []
    const form = new URLSearchParams(body.toString())
    const client = user ?? form.get('client_id') ?? ''
    const known = clients[client]
    if (!known || known.secret !== (password ?? form.get('client_secret')))
      return { status: 401, json: { error: 'invalid_client', error_description: 'Who are you?' } }
    const asked = form.get('scope')?.split(' ') ?? FOREIGN_SCOPES
    if (asked.some((scope) => !FOREIGN_SCOPES.includes(scope))) return refuse(400, 'E_SCOPE_UNKNOWN')
    const token = `opaque-${randomUUID()}-${randomUUID()}`
    tokens.set(token, { client, scopes: asked })
    const json = { access_token: token, token_type: 'Bearer', expires_in: 3600, scope: asked.join(' ') }
    return { status: 200, json }
  }

  function judge(req: IncomingMessage, token: Token | undefined): Told | undefined {
    const { headers } = req
    if (headers.authorization === undefined) return refuse(401, 'E_NO_TOKEN')
    if (!token) return refuse(401, 'E_BAD_TOKEN')
    const tenant = headers['x-tenant-id']
    if (tenant !== undefined && tenant !== clients[token.client]?.tenant) return refuse(403, 'E_TENANT')
    const needed = Object.entries(SCOPE_OF).find(([part]) => req.url?.includes(part))?.[1]
    if (needed && !token.scopes.includes(needed)) return refuse(403, 'E_SCOPE')
    if (req.method !== 'POST') return undefined
    const key = headers['idempotency-key']
    if (key === undefined) return refuse(400, 'E_KEY_MISSING')
    if (!UUID_V4.test(String(key))) return refuse(400, 'E_KEY_ODD')
    return headers['content-encoding'] === undefined ? undefined : refuse(415, 'E_CODING')
  }

  function perform(req: IncomingMessage, body: Buffer, token: Token | undefined): Told {
    const url = new URL(req.url ?? '/', 'http://sandbox')
    if (req.method === 'GET') {
      const reference = url.searchParams.get('customerRef') ?? ''
      const score = opened.has(reference) ? 640 : reference === 'CUS-SEEDED' ? 777 : undefined
      if (score === undefined) return refuse(404, 'E_NO_SCORE')
      return { status: 200, json: { customerRef: reference, score } }
    }
    const sent = fieldsOf(String(req.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body))
    if (url.pathname === '/v1/accounts/open') {
      opened.add(String(sent.customerRef))
      return { status: 201, json: { accountId: id('acc'), customerRef: sent.customerRef } }
    }
    if (url.pathname === '/v1/kyc/widget/session') {
      const sessionId = id('kws')
      return { status: 201, json: { sessionId, url: `http://${req.headers.host}/kyc/widget/${sessionId}` } }
    }
    if (typeof sent.amount !== 'number') return refuse(422, 'E_AMOUNT')
    const facts = createHash('sha256')
      .update(JSON.stringify([token, req.headers['x-tenant-id'], typeof req.headers['idempotency-key']]))
      .digest('hex')
    return { status: 200, json: { paymentId: id('pay'), amount: sent.amount, facts: facts.slice(0, 8) } }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

type Told =
  | { readonly status: number; readonly json: object; readonly page?: never }
  | { readonly status: number; readonly page: string; readonly json?: never }

function tell(res: ServerResponse, { status, json, page }: Told): void {
  const body = page ?? JSON.stringify(json)
  const kind = page === undefined ? { 'content-type': 'application/json' } : OF_A_PAGE
  res.writeHead(status, { ...kind, 'content-length': Buffer.byteLength(body) })
  res.end(body)
}

const OF_A_PAGE = { 'content-type': 'text/html; charset=utf-8', vary: 'Accept-Language' }

/** In the language that was asked for. */
function page({ headers }: IncomingMessage): Told {
  const language = headers['accept-language'] === 'fr' ? 'fr' : 'en'
  return { status: 200, page: `<!doctype html><html lang="${language}"><title>KYC</title></html>` }
}

function refuse(status: number, code: string): Told {
  return { status, json: { code, message: 'The sandbox says no.' } }
}

function id(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`
}
