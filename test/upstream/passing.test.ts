import { randomUUID } from 'node:crypto'
import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import type { CapturedExchange } from '../../src/cassettes/interaction.ts'
import { endAfterEachTest, PAYMENT, startFront } from './front.ts'
import { answer, PAID, paid, scripted } from './scripted.ts'

endAfterEachTest()

const listed = answer(200, '{"items":[],"nextCursor":null}')
const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

describe('what the upstream receives', () => {
  it('is the body byte for byte, the path and query, and who asks', async () => {
    const { url, requests } = await scripted((socket) => socket.write(paid))
    const front = await startFront(`${url}/sandbox`)
    const key = randomUUID()
    const body = '{ "amount" : 5077.0,\n"description": "\\u00e9 é" }'
    const response = await request(`${front.url}/v1/payments/fund`, {
      ...{ method: 'POST', body },
      headers: {
        authorization: front.authorization,
        'content-type': 'application/json; charset=utf-8',
        'idempotency-key': `"${key.toUpperCase()}"`,
        'accept-language': 'fr',
        traceparent: TRACE,
        tracestate: 'a=b',
      },
    })
    expect(response.statusCode).toBe(200)
    const [received] = requests
    expect(received?.target).toBe('/sandbox/v1/payments/fund')
    expect(Buffer.from(received?.body ?? '', 'latin1').toString()).toBe(body)
    expect(received?.header('content-type')).toEqual(['application/json; charset=utf-8'])
    expect(received?.header('idempotency-key')).toEqual([key])
    expect(received?.header('x-request-id')).toEqual([response.headers['x-request-id']])
    expect(received?.header('x-tenant-id')).toEqual(['tn_sandbox_demo'])
    expect(received?.header('accept-language')).toEqual(['fr'])
    expect(received?.header('forwarded')).toEqual([
      `for=127.0.0.1;host="${new URL(front.url).host}";proto=http`,
    ])
    expect(received?.header('host')).toEqual([new URL(url).host])
    expect(received?.header('traceparent')[0]).toMatch(
      /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$/,
    )
    expect(received?.header('tracestate')).toEqual(['a=b'])
    expect(received?.header('content-length')).toEqual([String(Buffer.byteLength(body))])
  })

  it('is nothing that a client says of itself beyond the list', async () => {
    const { url, requests } = await scripted((socket) => socket.write(listed))
    const front = await startFront(url, { upstream: { headers: ['X-Channel'] } })
    const secret = 'of-the-client'
    await front.get('/v1/accounts?limit=1', {
      cookie: `a=${secret}`,
      'x-forwarded-for': '198.51.100.7',
      forwarded: `for=${secret}`,
      'x-secret': secret,
      te: 'trailers',
      'accept-encoding': 'gzip',
      'x-channel': 'ussd',
    })
    const [received] = requests
    expect(received?.head).not.toContain(secret)
    expect(received?.head).not.toContain('198.51.100.7')
    expect(received?.head).not.toContain(front.authorization)
    expect(received?.target).toBe('/v1/accounts?limit=1')
    expect(received?.header('accept-encoding')).toEqual(['identity'])
    expect(received?.header('te')).toEqual([])
    expect(received?.header('x-channel')).toEqual(['ussd'])
  })

  it('begins a trace where the client has none', async () => {
    const { url, requests } = await scripted((socket) => socket.write(listed))
    const front = await startFront(url)
    await front.get('/v1/accounts', {
      traceparent: '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    })
    expect(requests[0]?.header('traceparent')[0]).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  })
})

describe('what the partner receives', () => {
  const BODY = Buffer.from('{"outcome":"success","code":null,"amount":10.00,"x":"\\u00e9 é"}\n')
  const bytes = answer(201, BODY, [
    'Content-Type: application/json;charset=UTF-8',
    'Date: Thu, 01 Jan 2026 00:00:00 GMT',
    'Set-Cookie: a=1; HttpOnly',
    'Set-Cookie: b=2',
    'X-Custom: one',
    'X-Custom: two',
    'Location: /v1/payments/pay_1',
    'X-Sandbox-Rule: theirs',
    'X-RateLimit-Limit: 7',
    'X-RateLimit-Remaining: 6',
    'RateLimit: "theirs";r=1;t=1',
    'X-Request-Id: theirs',
    'Cache-Control: public',
    'Idempotency-Replayed: true',
    'Keep-Alive: timeout=5',
    'Connection: keep-alive, X-Hop',
    'X-Hop: internal',
    'Proxy-Authenticate: Basic',
    'Alt-Svc: h2="10.0.0.7:443"',
  ])

  async function twice() {
    const { url } = await scripted((socket) => socket.write(bytes))
    const front = await startFront(url)
    const key = randomUUID()
    return { first: await front.pay(key), replayed: await front.pay(key) }
  }

  it('is the answer byte for byte, with repeated and unknown headers', async () => {
    const { first } = await twice()
    expect(first.status).toBe(201)
    expect(Buffer.from(first.body)).toEqual(BODY)
    expect(first.headers['content-type']).toBe('application/json;charset=UTF-8')
    expect(first.headers['set-cookie']).toEqual(['a=1; HttpOnly', 'b=2'])
    expect(first.headers['x-custom']).toEqual(['one', 'two'])
    expect(first.headers.date).toBe('Thu, 01 Jan 2026 00:00:00 GMT')
    expect(first.headers.location).toBe('/v1/payments/pay_1')
  })

  it('has our headers where both set one, and none that belongs to the connection', async () => {
    const { first } = await twice()
    expect(first.headers['x-ratelimit-limit']).toBe('200')
    expect(first.headers['x-ratelimit-remaining']).toBe('199')
    expect(first.headers.ratelimit).toMatch(/^"payments.fund";r=199/)
    expect(first.headers['x-request-id']).toMatch(/^req_/)
    expect(first.headers['cache-control']).toBe('no-store')
    expect(first.replayed).toBe(false)
    for (const name of ['x-hop', 'proxy-authenticate', 'alt-svc']) expect(first.headers[name]).toBeUndefined()
  })

  it('is the same once more at a replay, without what was true of one moment and one client', async () => {
    const { first, replayed } = await twice()
    expect(replayed).toMatchObject({ status: 201, body: first.body, replayed: true })
    const { date: _, 'set-cookie': __, 'x-request-id': ___, ...kept } = first.headers
    expect(replayed.headers['set-cookie']).toBeUndefined()
    expect(replayed.headers.date).not.toBe(first.headers.date)
    for (const name of ['content-type', 'x-custom', 'location', 'x-sandbox-rule', 'cache-control']) {
      expect(replayed.headers[name], name).toEqual(kept[name])
    }
  })

  it.each([
    ['a success', answer(200, PAID), 5077, 5077],
    ['a success that says nothing of it', answer(200, '{"id":1}'), 5077, 5077],
    ['a success that is no JSON', answer(200, 'OK', ['Content-Type: text/plain']), 5077, 5077],
    ['a refusal by its outcome', answer(200, '{"outcome":"failed"}'), 0, 0],
    ['a refusal by its code', answer(200, '{"code":"PAYMENT_FAILED"}'), 0, 0],
    ['a 404', answer(404, '{"code":"ACCOUNT_NOT_FOUND"}'), 0, 0],
  ])('settles the cap: %s', async (_, told, used) => {
    const { url } = await scripted((socket) => socket.write(told))
    const front = await startFront(url)
    const key = randomUUID()
    const first = await front.pay(key)
    expect(await front.spent()).toEqual({ used, reserved: 0 })
    expect(await front.pay(key)).toMatchObject({ status: first.status, body: first.body, replayed: true })
    expect(await front.spent()).toEqual({ used, reserved: 0 })
  })

  it('is a refusal of a moment that is not kept under the key', async () => {
    const { url } = await scripted((socket, _request, n) =>
      socket.write(n === 0 ? answer(400, '{"code":"PARTNER_LIMIT_EXCEEDED"}') : paid),
    )
    const front = await startFront(url)
    const key = randomUUID()
    expect(await front.pay(key)).toMatchObject({ status: 400, code: 'PARTNER_LIMIT_EXCEEDED' })
    expect(await front.pay(key)).toMatchObject({ status: 200, replayed: false })
  })
})

describe('who judges a request', () => {
  const WITH_MORE = { amount: 5077, channel: 'ussd', beneficiary: { msisdn: '0700000001' } }

  it('is the gateway, by the contract', async () => {
    const { url, requests } = await scripted((socket) => socket.write(paid))
    const front = await startFront(url)
    expect(await front.pay(randomUUID(), WITH_MORE)).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    expect(await front.pay(randomUUID(), PAYMENT, { 'x-sandbox-outcome': 'maybe' })).toMatchObject({
      status: 400,
    })
    expect(requests).toHaveLength(0)
  })

  it('is the upstream, but for JSON, key and the amount that a cap counts, where that is configured', async () => {
    const { url, requests } = await scripted((socket) => socket.write(paid))
    const front = await startFront(url, { upstream: { validation: 'pass' } })
    expect(await front.pay(randomUUID(), WITH_MORE, { 'x-sandbox-outcome': 'maybe' })).toMatchObject({
      status: 200,
    })
    expect(requests[0]?.header('x-sandbox-outcome')).toEqual(['maybe'])
    expect(await front.get('/v1/accounts?page=2&page=3')).toMatchObject({ status: 200 })
    expect(requests[1]?.target).toBe('/v1/accounts?page=2&page=3')
    for (const amount of ['12', 1.5, -1, undefined]) {
      const refused = await front.pay(randomUUID(), { ...WITH_MORE, amount })
      expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
      expect(JSON.parse(refused.body).errors[0].pointer).toBe('#/amount')
    }
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    expect(await front.send('POST', '/v1/payments/fund', headers, '{"amount":1,"amount":2}')).toMatchObject({
      ...{ status: 400, code: 'MALFORMED_BODY' },
    })
    expect(await front.pay('not-a-key', WITH_MORE)).toMatchObject({ code: 'IDEMPOTENCY_KEY_INVALID' })
    expect(requests).toHaveLength(2)
  })

  it('is one by one: an operation that is not forwarded is simulated', async () => {
    const { url, requests } = await scripted((socket) => socket.write(paid))
    const settings = {
      'decisions.from': 'simulator',
      'decisions.operations': { 'payments.fund': 'upstream' },
    }
    const front = await startFront(url, { settings })
    expect(await front.get()).toMatchObject({ status: 200 })
    expect(requests).toHaveLength(0)
    expect(await front.pay(randomUUID())).toMatchObject({ status: 200, body: PAID })
    front.reconfigure({ 'decisions.operations': {} })
    expect((await front.pay(randomUUID())).body).not.toBe(PAID)
    expect(requests).toHaveLength(1)
  })
})

describe('a recording of the front door', () => {
  it('says that the upstream has answered, streamed answers included', async () => {
    const recorded: CapturedExchange[] = []
    const observer = {
      isActive: () => true,
      record: (exchange: CapturedExchange) => void recorded.push(exchange),
    }
    const { url } = await scripted((socket, received) => {
      if (received.method === 'POST') return socket.write(paid)
      socket.write(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[1\r\n',
      )
      return setTimeout(() => socket.write('1\r\n]\r\n0\r\n\r\n'), 20)
    })
    const front = await startFront(url, { observer })
    await front.pay(randomUUID())
    await front.get()
    await front.get('/v1/nowhere')
    await expect.poll(() => recorded.length).toBe(4)
    expect(recorded.map(({ origin }) => origin)).toEqual([
      'simulator:default',
      'upstream',
      'upstream',
      'edge:NOT_FOUND',
    ])
    expect(recorded.slice(1, 3).map(({ reply }) => String(Buffer.from(reply?.body ?? '')))).toEqual([
      PAID,
      '[1]',
    ])
  })
})
