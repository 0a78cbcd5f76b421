import { request } from 'undici'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { WAIT_MS } from '../support/effort.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { get, post, transmit } from '../support/http.ts'
import { expectProblem } from '../support/problems.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})

/** A request to the operator listener, with a Host of one's choice. */
async function operator(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string; on?: Gateway } = {},
) {
  const on = options.on ?? gateway
  const { method = 'GET', headers = {}, body } = options
  const at = { ...on, url: on.operatorUrl }
  return transmit(at, method, path, body === undefined ? null : Buffer.from(body), headers)
}
const json = { 'content-type': 'application/json' }

describe('what belongs to the operator is not on the partner listener', () => {
  it.each(['/metrics', '/livez', '/readyz', '/clock'])('%s', async (path) => {
    expectProblem(await get(gateway, path), 'NOT_FOUND')
    expectProblem(await post(gateway, path, { advanceSeconds: 0 }), 'NOT_FOUND')
  })
})

it('and what belongs to partners is not on the operator listener', async () => {
  for (const path of ['/portal/usage', '/v1/accounts', '/openapi.json', '/.well-known/jwks.json']) {
    expect((await operator(path)).status).toBe(404)
  }
})

it('it says that it lives and is ready, and shows its metrics', async () => {
  expect((await operator('/livez')).json).toEqual({ live: true })
  const ready = await operator('/readyz')
  expect({ status: ready.status, ready: ready.json.ready }).toEqual({ status: 200, ready: true })
  await post(gateway, '/v1/payments/fund', { amount: 5077 })
  const metrics = (await operator('/metrics')).bytes.toString()
  expect(metrics).toMatch(/^sandgate_requests_total\{operation="payments\.fund",.*status="200".*\} 1$/m)
})

describe('no web page can drive it', () => {
  it.each(['evil.example', 'evil.example:8081', '192.0.2.1', '127.0.0.1.evil.example', ''])(
    'a Host of "%s" is refused',
    async (host) => {
      for (const path of ['/livez', '/metrics']) {
        expect((await operator(path, { headers: { host } })).status).toBe(host === '' ? 400 : 403)
      }
      const moved = await operator('/clock', {
        method: 'POST',
        headers: { ...json, host },
        body: '{"advanceSeconds":1}',
      })
      expect(moved.status).toBe(host === '' ? 400 : 403)
    },
  )

  it.each(['localhost', 'localhost:8081', '127.0.0.1:1', '[::1]:8081'])(
    'a Host of %s is not',
    async (host) => {
      expect((await operator('/livez', { headers: { host } })).status).toBe(200)
    },
  )

  it.each(['http://evil.example', 'null', 'http://127.0.0.1:8081'])(
    'an Origin of %s is refused',
    async (origin) => {
      const moved = await operator('/clock', {
        method: 'POST',
        headers: { ...json, origin },
        body: '{"advanceSeconds":1}',
      })
      expect(moved.status).toBe(403)
      expect((await operator('/metrics', { headers: { origin } })).status).toBe(403)
    },
  )

  it.each([
    ['text/plain', '{"advanceSeconds":1}'],
    ['application/x-www-form-urlencoded', 'advanceSeconds=1'],
    ['multipart/form-data; boundary=x', '--x--'],
  ])('a body of %s is refused', async (type, body) => {
    const moved = await operator('/clock', { method: 'POST', headers: { 'content-type': type }, body })
    expect(moved.status).toBe(415)
  })

  it('nothing allows another origin', async () => {
    const preflight = await operator('/clock', {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBeGreaterThanOrEqual(400)
    expect(preflight.headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('the clock', () => {
  it('moves forward by what it is told', async () => {
    const before = Date.parse((await get(gateway, '/portal/usage')).json.asOf)
    const moved = await operator('/clock', { method: 'POST', headers: json, body: '{"advanceSeconds":100}' })
    expect(moved.status).toBe(200)
    const after = Date.parse((await get(gateway, '/portal/usage')).json.asOf)
    expect(after - before).toBeGreaterThanOrEqual(100_000)
    expect(Date.parse(moved.json.now)).toBeLessThanOrEqual(after)
  })

  it.each([
    '{"advanceSeconds":-1}',
    '{"advanceSeconds":"1"}',
    '{"advanceSeconds":1e300}',
    '{"advanceSeconds":null}',
    '{"advanceSeconds":1,"x":1}',
    '{"advanceSeconds":1,"advanceSeconds":2}',
    '{}',
    '[]',
    'x',
    '',
  ])('does not take %s', async (body) => {
    expect((await operator('/clock', { method: 'POST', headers: json, body })).status).toBe(400)
  })

  it('cannot be moved where it is not configured', async () => {
    const still = await startGateway({ clock: 'system', runs: 'here' })
    const moved = await operator('/clock', {
      method: 'POST',
      headers: json,
      body: '{"advanceSeconds":1}',
      on: still,
    })
    expect(moved.status).toBe(409)
    await still.stop()
  })
})

describe('beyond loopback it needs its token', () => {
  const operatorToken = 'operator-token-0123456789abcdef0123456789'
  const started = (operatorSettings: object) =>
    startGateway({
      runs: 'here',
      config: { operator: { host: '0.0.0.0', ...operatorSettings } },
      env: { SANDGATE_OPERATOR_TOKEN: operatorToken },
    })

  it('for everything but its health', async () => {
    const far = await started({})
    const on = { ...far, operatorUrl: far.operatorUrl.replace('0.0.0.0', '127.0.0.1') }
    for (const path of ['/livez', '/readyz']) expect((await operator(path, { on })).status).toBe(200)
    for (const authorization of [
      undefined,
      'Bearer wrong',
      `Basic ${operatorToken}`,
      `Bearer ${operatorToken}x`,
    ]) {
      const headers = authorization === undefined ? {} : { authorization }
      const refused = await operator('/metrics', { on, headers })
      expect(refused.status).toBe(401)
      expect(refused.headers['www-authenticate']).toBe('Bearer')
      const clock = { method: 'POST', headers: { ...json, ...headers }, body: '{"advanceSeconds":1}', on }
      expect((await operator('/clock', clock)).status).toBe(401)
    }
    const headers = { authorization: `Bearer ${operatorToken}` }
    expect((await operator('/metrics', { on, headers })).status).toBe(200)
    await far.stop()
  })

  it('and does not listen to an address that has guessed ten times, while every other one goes on', async () => {
    const far = await started({})
    const base = far.operatorUrl.replace('0.0.0.0', '127.0.0.1')
    const ask = async (from: string, bearer?: string) => {
      const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
      const { statusCode, headers: sent } = await request(`${base}/metrics`, {
        headers,
        dispatcher: far.agent(from),
      })
      return { status: statusCode, retryAfter: Number(sent['retry-after']) }
    }
    // Asking without any is no guess.
    for (let i = 0; i < 12; i++) expect((await ask('127.0.0.8')).status).toBe(401)
    for (let i = 0; i < 10; i++) expect((await ask('127.0.0.8', `guess-${i}`)).status).toBe(401)
    for (const bearer of ['guess-10', operatorToken]) {
      const refused = await ask('127.0.0.8', bearer)
      expect(refused.status).toBe(429)
      expect(refused.retryAfter).toBeGreaterThanOrEqual(1)
      expect(refused.retryAfter).toBeLessThanOrEqual(60)
    }
    expect((await ask('127.0.0.9', operatorToken)).status).toBe(200)
    await vi.waitFor(
      () =>
        expect(far.logs()).toContain('"client":"127.0.0.0/24","msg":"a wrong operator token was refused"'),
      WAIT_MS,
    )
    expect(far.logs()).not.toContain('guess-')
    await far.stop()
  })

  it('and for its metrics unless they are opened', async () => {
    const far = await started({ metricsOpen: true })
    const on = { ...far, operatorUrl: far.operatorUrl.replace('0.0.0.0', '127.0.0.1') }
    expect((await operator('/metrics', { on })).status).toBe(200)
    const clock = { method: 'POST', headers: json, body: '{"advanceSeconds":1}', on }
    expect((await operator('/clock', clock)).status).toBe(401)
    await far.stop()
  })

  it('and does not start without one', async () => {
    await expect(startGateway({ config: { operator: { host: '0.0.0.0' } }, runs: 'here' })).rejects.toThrow(
      /operator\.token/,
    )
  })
})
