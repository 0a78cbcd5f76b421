import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, get, newCaller, type Reply, token, transmit } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { type Code, expectCommonHeaders, expectProblem } from '../support/problems.ts'
import { rawRequest } from '../support/raw.ts'

let gateway: Gateway
let caller: Caller
let bearer: string
let host: string
beforeAll(async () => {
  gateway = await startGateway({
    runs: 'here',
    partners: partners(20),
    config: { rateLimits: { groups: { other: 2000 } } },
  })
  caller = newCaller(gateway)
  bearer = await token(caller)
  host = new URL(gateway.url).host
})

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`
const only = async (bytes: string): Promise<Reply> => {
  const { responses, rest } = await rawRequest(gateway, bytes)
  expect({ count: responses.length, rest }).toEqual({ count: 1, rest: '' })
  const [response] = responses
  if (!response) throw new TypeError('no response')
  expectCommonHeaders(response)
  return response
}
/** A whole request; `{host}` and `{token}` stand for those of the gateway. */
const request = (...all: string[]) =>
  only(lines(...all.map((line) => line.replace('{host}', host).replace('{token}', bearer))))

const GET = 'GET /portal/usage HTTP/1.1'
const HOST = 'Host: {host}'
const AUTH = 'Authorization: Bearer {token}'

describe('Host', () => {
  it.each([
    '',
    ' ',
    'a, b',
    'a b',
    'user@a',
    'a/b',
    'http://a',
    'a:b',
    'a:80:80',
    '[::1',
    '[zz]',
    'a:123456',
    'é',
  ])('%j is not one host, and is refused', async (value) => {
    expectProblem(await request(GET, `Host: ${value}`, AUTH), 'BAD_REQUEST')
  })

  it.each(['localhost', 'sandbox.example.com.', '127.0.0.1:8080', '[::1]:8080', 'sand_gate', 'a'])(
    '%j is one',
    async (value) => {
      expect((await request(GET, `Host: ${value}`, AUTH)).status).toBe(200)
    },
  )

  it('missing is refused in HTTP/1.1', async () => {
    expectProblem(await request(GET, AUTH), 'BAD_REQUEST')
  })

  it('may be missing in HTTP/1.0', async () => {
    expect((await request('GET /portal/usage HTTP/1.0', AUTH)).status).toBe(200)
  })

  it('sent twice is refused', async () => {
    expectProblem(await request(GET, HOST, HOST, AUTH), 'BAD_REQUEST')
    expectProblem(await request(GET, HOST, 'Host: evil.example', AUTH), 'BAD_REQUEST')
  })

  it('is believed for nothing: the URLs of an answer are the gateway’s own', async () => {
    const response = await request('GET /v1/nowhere HTTP/1.1', 'Host: evil.example', AUTH)
    expectProblem(response, 'NOT_FOUND')
    const metadata = await request(
      'GET /.well-known/oauth-authorization-server HTTP/1.1',
      'Host: evil.example',
    )
    expect(metadata.bytes.toString()).not.toContain('evil')
  })
})

describe('headers that say who asks come once, under their own name', () => {
  const doubled: [string, string[]][] = [
    ['Authorization twice', [AUTH, AUTH]],
    ['Authorization twice, one of them good', ['Authorization: Bearer x', AUTH]],
    ['X-Tenant-Id twice', [AUTH, 'X-Tenant-Id: tn_sandbox_p1', 'X-Tenant-Id: tn_sandbox_p1']],
    ['Content-Type twice', [AUTH, 'Content-Type: application/json', 'Content-Type: text/plain']],
    ['X_Tenant_Id', [AUTH, 'X_Tenant_Id: tn_sandbox_p1']],
    ['x-tenant_id', [AUTH, 'x-tenant_id: tn_sandbox_p1']],
    ['Idempotency_Key', [AUTH, 'Idempotency_Key: x']],
    ['X_Sandbox_Outcome', [AUTH, 'X_Sandbox_Outcome: success']],
    ['Connection that names X-Tenant-Id', [AUTH, 'Connection: close, x-tenant-id']],
    ['Connection that names Authorization', [AUTH, 'Connection: Authorization']],
  ]
  it.each(doubled)('%s is refused', async (_what, headers) => {
    expectProblem(await request(GET, HOST, ...headers), 'BAD_REQUEST')
  })

  it('a doubled Authorization counts against the address, since it proves nothing', async () => {
    const fresh = newCaller(gateway)
    const text = await token(fresh)
    const headers = { authorization: [`Bearer ${text}`, `Bearer ${text}`] }
    const before = (await get(fresh, '/portal/usage')).headers['x-ratelimit-remaining']
    expectProblem(await transmit(fresh, 'GET', '/portal/usage', null, headers), 'BAD_REQUEST')
    const after = (await get(fresh, '/portal/usage')).headers['x-ratelimit-remaining']
    expect(Number(after)).toBe(Number(before) - 1)
  })

  it('an aliased tenant counts against the partner, whose token is good', async () => {
    const fresh = newCaller(gateway)
    const before = (await get(fresh, '/portal/usage')).headers['x-ratelimit-remaining']
    const refused = await get(fresh, '/portal/usage', { headers: { x_tenant_id: 'x' } })
    expectProblem(refused, 'BAD_REQUEST')
    expect(Number(refused.headers['x-ratelimit-remaining'])).toBe(Number(before) - 1)
  })
})

describe('a path has one spelling', () => {
  it.each([
    '//v1/accounts',
    '/v1//accounts',
    '/v1/./accounts',
    '/v1/../v1/accounts',
    '/v1/accounts/..',
    '/v1/%61ccounts',
    '/v1%2faccounts',
    '/v1/accounts%2Facc_x',
    '/v1/accounts/%2e%2e',
    '/v1/accounts;x=1',
    '/v1\\accounts',
    '/v1/accounts/%00',
    '/v1/accounts/%',
    '/v1/accounts/%zz',
    '/v1/accounts/%25%32%65',
    '/portal/usage#x',
    '*',
  ])('%s is refused', async (path) => {
    expectProblem(await request(`GET ${path} HTTP/1.1`, HOST, AUTH), 'BAD_REQUEST')
  })

  it.each(['/v1/accounts/', '/V1/accounts', '/v1/accounts.json', '/v1', '/metrics', '/livez'])(
    '%s is not one of ours',
    async (path) => {
      expectProblem(await request(`GET ${path} HTTP/1.1`, HOST, AUTH), 'NOT_FOUND')
    },
  )

  it('absolute-form is served by its path; its authority is ignored', async () => {
    expect((await request(`GET ${gateway.url}/portal/usage HTTP/1.1`, HOST, AUTH)).status).toBe(200)
    expect((await request('GET http://evil.example/portal/usage HTTP/1.1', HOST, AUTH)).status).toBe(200)
    const start = await request('GET http://evil.example HTTP/1.1', HOST, AUTH)
    expect(start.status).toBe(200)
    expect(start.bytes.toString()).not.toContain('evil.example')
    expectProblem(await request('GET http://evil.example//portal/usage HTTP/1.1', HOST, AUTH), 'BAD_REQUEST')
  })
})

describe('a method that a path does not take is 405 with Allow', () => {
  it.each([
    ['GET', '/v1/payments/fund', 'POST'],
    ['PUT', '/v1/payments/fund', 'POST'],
    ['OPTIONS', '/v1/payments/fund', 'POST'],
    ['DELETE', '/v1/accounts/acc_x', 'GET, HEAD'],
    ['POST', '/v1/accounts', 'GET, HEAD'],
    ['PATCH', '/v1/webhooks', 'GET, HEAD, POST'],
    ['GET', '/auth/token', 'POST'],
    ['POST', '/portal/usage', 'GET, HEAD'],
    ['TRACE', '/portal/usage', 'GET, HEAD'],
    ['PROPFIND', '/portal/usage', 'GET, HEAD'],
    ['OPTIONS', '/openapi.json', 'GET, HEAD'],
  ])('%s %s', async (method, path, allow) => {
    const response = await request(`${method} ${path} HTTP/1.1`, HOST, AUTH, 'Content-Length: 0')
    expect(response.status).toBe(405)
    expect(response.headers.allow).toBe(allow)
    if (path !== '/auth/token') expectProblem(response, 'METHOD_NOT_ALLOWED')
    expect(response.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('CONNECT', async () => {
    const { responses, closed } = await rawRequest(
      gateway,
      lines('CONNECT evil.example:443 HTTP/1.1', 'Host: x'),
    )
    expect(responses).toHaveLength(1)
    expectProblem(responses[0] as Reply, 'METHOD_NOT_ALLOWED')
    expect(closed).toBe(true)
  })
})

describe('Transfer-Encoding', () => {
  it.each(['gzip', 'gzip, chunked', 'identity', 'chunked, chunked', 'xchunked', ''])(
    '%j is refused, and the connection closes',
    async (value) => {
      const head = [`POST /v1/payments/fund HTTP/1.1`, `Host: ${host}`, `Transfer-Encoding: ${value}`]
      const { responses, closed } = await rawRequest(gateway, `${lines(...head)}0\r\n\r\n`)
      expectProblem(responses[0] as Reply, 'BAD_REQUEST')
      expect([responses.length, closed]).toEqual([1, true])
    },
  )

  it('is refused in HTTP/1.0', async () => {
    const head = lines('POST /v1/payments/fund HTTP/1.0', `Host: ${host}`, 'Transfer-Encoding: chunked')
    const { responses } = await rawRequest(gateway, `${head}0\r\n\r\n`)
    expectProblem(responses[0] as Reply, 'BAD_REQUEST')
  })

  it('chunked is taken', async () => {
    const head = lines('POST /v1/payments/fund HTTP/1.1', `Host: ${host}`, 'Transfer-Encoding: Chunked')
    const { responses } = await rawRequest(gateway, `${head}0\r\n\r\n`)
    expectProblem(responses[0] as Reply, 'TOKEN_MISSING')
  })
})

describe('what the parser refuses is still answered as a problem, and the connection closes', () => {
  const cases: [string, string, Code][] = [
    ['no HTTP at all', 'hello\r\n\r\n', 'BAD_REQUEST'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'BAD_REQUEST'],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 'BAD_REQUEST'],
    ['an unknown method', 'FROB / HTTP/1.1\r\nHost: x\r\n\r\n', 'BAD_REQUEST'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n', 'BAD_REQUEST'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost: x\r\nX : y\r\n\r\n', 'BAD_REQUEST'],
    [
      'two lengths',
      'POST /v1/payments/fund HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
      'BAD_REQUEST',
    ],
    [
      'a length and chunks',
      'POST /v1/payments/fund HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'BAD_REQUEST',
    ],
    [
      'headers beyond the limit',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
      'HEADERS_TOO_LARGE',
    ],
    [
      'a target beyond the limit',
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      'HEADERS_TOO_LARGE',
    ],
  ]
  it.each(cases)('%s', async (_what, bytes, code) => {
    const { responses, closed, rest } = await rawRequest(gateway, Buffer.from(bytes, 'latin1'))
    expect({ count: responses.length, rest }).toEqual({ count: 1, rest: '' })
    expectProblem(responses[0] as Reply, code)
    expect(responses[0]?.headers).toMatchObject({
      connection: 'close',
      'ratelimit-policy': '"other";q=2000;w=60',
    })
    expect(closed).toBe(true)
  })

  it('each of them counts against its address', async () => {
    const from = gateway.nextAddress()
    const left: number[] = []
    for (let i = 0; i < 3; i++) {
      const { responses } = await rawRequest(gateway, 'hello\r\n\r\n', { from })
      left.push(Number(responses[0]?.headers['x-ratelimit-remaining']))
    }
    expect(left).toEqual([1999, 1998, 1997])
  })

  it('garbage behind a valid request does not take its place: the answer to the request comes first', async () => {
    const key = randomUUID()
    const valid = lines(
      'POST /v1/payments/fund HTTP/1.1',
      `Host: ${host}`,
      `Authorization: Bearer ${bearer}`,
      `Idempotency-Key: ${key}`,
      'Content-Type: application/json',
      'Content-Length: 13',
    )
    const { responses, closed } = await rawRequest(gateway, `${valid}{"amount":77}garbage\r\n\r\n`)
    expect(responses.map(({ status }) => status)).toEqual([200, 400])
    expect(responses[0]?.json.amount).toBe(77)
    expectProblem(responses[1] as Reply, 'BAD_REQUEST')
    expect(closed).toBe(true)
  })

  it('pipelined requests are answered in their order', async () => {
    const line = (path: string) =>
      lines(`GET ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${bearer}`)
    const { responses } = await rawRequest(
      gateway,
      line('/v1/accounts') + line('/v1/nowhere') + line('/v1/webhooks/ip-ranges'),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 200])
    expect(responses[2]?.json).toHaveProperty('ipRanges')
  })
})

describe('a request that asks for another protocol', () => {
  const upgrade = (target: string) =>
    lines(`GET ${target} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: Upgrade', 'Upgrade: websocket')
  const plain = lines('GET /readyz HTTP/1.1', 'Host: 127.0.0.1')

  // Node's parser drops what came in one piece with it: a later answer would be taken for that of the dropped request.
  it('is answered as ever, and nothing that follows it on its connection is', async () => {
    const { responses, closed } = await rawRequest(gateway, upgrade('/openapi.json') + plain)
    expect(responses.map(({ status }) => status)).toEqual([200])
    expect(closed).toBe(true)
    const expecting = upgrade('/openapi.json').replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n')
    const second = await rawRequest(gateway, expecting + plain)
    expect([second.responses.at(-1)?.status, second.closed]).toEqual([200, true])
  })

  it('also on the operator listener', async () => {
    const operator = { ...gateway, url: gateway.operatorUrl }
    const { responses, closed } = await rawRequest(operator, upgrade('/livez') + plain)
    expect(responses.map(({ status }) => status)).toEqual([200])
    expect(closed).toBe(true)
  })
})
