import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { Agent, request } from 'undici'
import { describe, expect, it } from 'vitest'
import { copyOf, endAfterEachTest, PAYMENT, startFront } from './front.ts'
import { answer, PAID, paid, scripted } from './scripted.ts'

endAfterEachTest()

const until = async (condition: () => boolean | Promise<boolean>) => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('an answer that nobody waits for any more', () => {
  it('is stored all the same when the client has hung up', async () => {
    let release: (() => void) | undefined
    const { url, requests } = await scripted((socket) => {
      release = () => socket.write(paid)
    })
    const front = await startFront(url, { upstream: { timeoutMs: 5000 } })
    const key = randomUUID()
    const agent = new Agent()
    const headers = {
      authorization: front.authorization,
      'content-type': 'application/json',
      'idempotency-key': key,
    }
    const hungUp = request(`${front.url}/v1/payments/fund`, {
      ...{ method: 'POST', headers, dispatcher: agent },
      body: JSON.stringify(PAYMENT),
    }).catch(() => {})
    await until(() => release !== undefined)
    await agent.destroy()
    await hungUp
    release?.()
    await until(async () => (await front.spent()).used > 0)
    expect(await front.pay(key)).toMatchObject({ status: 200, body: PAID, replayed: true })
    expect(requests).toHaveLength(1)
  })

  it.each(['a crash', 'a stop past the drain'])(
    'leaves the key unknown after %s, and the next start learns it',
    async (ending) => {
      const { url, requests } = await scripted((socket, _request, n) => void (n > 0 && socket.write(paid)))
      const front = await startFront(url, { upstream: { timeoutMs: 20_000 } })
      const key = randomUUID()
      const cutOff = front.pay(key).catch(() => undefined)
      await until(() => requests.length > 0)
      let path = copyOf(front.path)
      if (ending !== 'a crash') {
        await front.close()
        path = copyOf(front.path)
      }
      expect(await front.spent()).toEqual({ used: 0, reserved: 5077 })
      const next = await startFront(url, { path })
      expect(await next.pay(key)).toMatchObject({ status: 200, body: PAID, replayed: false })
      expect(requests.map((each) => each.header('idempotency-key'))).toEqual([[key], [key]])
      expect(await next.spent()).toEqual({ used: 5077, reserved: 0 })
      if (ending === 'a crash') await front.close()
      await cutOff
    },
  )
})

describe('a key whose outcome is unknown', () => {
  const never = (socket: Socket) => void socket
  const learns = async (
    second: Buffer | ((socket: Socket) => void),
    upstream: Readonly<Record<string, unknown>> = {},
  ) => {
    const { url, requests } = await scripted((socket, _request, n) => {
      if (n === 0) never(socket)
      else if (n === 1) typeof second === 'function' ? second(socket) : socket.write(second)
      else socket.write(paid)
    })
    const front = await startFront(url, { upstream })
    const key = randomUUID()
    expect(await front.pay(key)).toMatchObject({ status: 504, code: 'UPSTREAM_TIMEOUT' })
    return { front, key, requests, answer: await front.pay(key) }
  }

  it.each([
    ['500', answer(500), 502],
    ['429', answer(429), 503],
    ['401', answer(401), 502],
    ['403', answer(403), 403],
    ['409', answer(409, '{"code":"CONFLICT"}'), 409],
    ['a redirection', answer(302), 502],
    ['a reset', (socket: Socket) => void socket.resetAndDestroy(), 502],
  ])(
    'stays unknown, with its reservation, when the second attempt is answered with %s',
    async (_, second, status) => {
      const { front, key, answer: told } = await learns(second)
      expect(told.status).toBe(status)
      expect(await front.spent()).toEqual({ used: 0, reserved: 5077 })
      expect(await front.pay(key)).toMatchObject({ status: 200, replayed: false })
      expect(await front.spent()).toEqual({ used: 5077, reserved: 0 })
    },
  )

  it('is told that it is still being worked on by any 409', async () => {
    const { answer: told } = await learns(answer(409, '{"code":"CONFLICT"}'))
    expect(told).toMatchObject({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' })
  })

  it('is settled by a refusal of the upstream, which releases the cap', async () => {
    const { front, key } = await learns(answer(422, '{"code":"NO"}'))
    expect(await front.spent()).toEqual({ used: 0, reserved: 0 })
    expect(await front.pay(key)).toMatchObject({ status: 422, replayed: true })
  })

  it('is not sent again to an upstream without idempotency', async () => {
    const { front, answer: told, requests } = await learns(paid, { idempotency: 'none' })
    expect(told).toMatchObject({ status: 502, code: 'UPSTREAM_INDETERMINATE' })
    expect(requests).toHaveLength(1)
    expect(await front.spent()).toEqual({ used: 0, reserved: 5077 })
  })

  it('is asked of the upstream still when the operation is simulated again', async () => {
    const { url, requests } = await scripted((socket, _request, n) => void (n > 0 && socket.write(paid)))
    const front = await startFront(url)
    const key = randomUUID()
    await front.pay(key)
    front.reconfigure({ 'decisions.from': 'simulator' })
    expect(await front.pay(key)).toMatchObject({ status: 200, body: PAID })
    expect(requests).toHaveLength(2)
    expect(JSON.parse((await front.pay(randomUUID())).body).paymentId).toMatch(/^pay_8/)
    expect(requests).toHaveLength(2)
  })

  it('is not simulated when there is no upstream any more', async () => {
    const { url } = await scripted(never)
    const front = await startFront(url)
    const key = randomUUID()
    await front.pay(key)
    front.reconfigure({ 'decisions.from': 'simulator', upstream: { url: null } })
    expect(await front.pay(key)).toMatchObject({ status: 502, code: 'UPSTREAM_INDETERMINATE' })
    expect(await front.spent()).toEqual({ used: 0, reserved: 5077 })
  })
})

describe('the circuit breaker', () => {
  const BREAKER = { requests: 20, failurePercent: 50, windowSeconds: 10, openSeconds: 1 }

  it('opens in a storm of 500, reserves nothing meanwhile, goes on replaying, and closes after a good answer', async () => {
    let isWell = true
    const { url, requests } = await scripted((socket) => socket.write(isWell ? paid : answer(500)))
    const front = await startFront(url, { upstream: { breaker: BREAKER } })
    const stored = randomUUID()
    await front.pay(stored)
    isWell = false
    for (let n = 0; n < 20; n++) await front.get()
    const count = requests.length
    const told = await front.pay(randomUUID())
    expect(told).toMatchObject({ status: 502, code: 'UPSTREAM_UNAVAILABLE' })
    expect(told.headers['retry-after']).toBe('1')
    expect(await front.get()).toMatchObject({ status: 502, code: 'UPSTREAM_UNAVAILABLE' })
    expect(requests).toHaveLength(count)
    expect(await front.spent()).toEqual({ used: 5077, reserved: 0 })
    expect(await front.pay(stored)).toMatchObject({ status: 200, replayed: true })
    expect(await front.readiness()).toMatchObject({ ready: true, upstream: { breaker: 'open' } })
    expect(await front.metric('sandgate_upstream_breaker_open ')).toEqual([
      'sandgate_upstream_breaker_open 1',
    ])
    isWell = true
    await new Promise((resolve) => setTimeout(resolve, 1050))
    expect(await front.pay(randomUUID())).toMatchObject({ status: 200 })
    expect(await front.readiness()).toMatchObject({ upstream: { breaker: 'closed' } })
    expect(front.log.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'the upstream fails; it is left alone for a moment',
        'the upstream answers again',
      ]),
    )
  })
})

describe('credentials that the upstream refuses', () => {
  it('are an alert of the operator, and never the partner’s trouble', async () => {
    const { url } = await scripted((socket) =>
      socket.write(
        answer(401, '{"code":"TOKEN_INVALID"}', ['WWW-Authenticate: Bearer error="invalid_token"']),
      ),
    )
    const front = await startFront(url)
    const told = await front.get()
    expect(told).toMatchObject({ status: 502, code: 'UPSTREAM_UNAVAILABLE' })
    expect(told.headers['www-authenticate']).toBeUndefined()
    expect(front.log.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'the upstream does not accept the gateway: look at upstream.auth, and at the clocks of both',
    ])
    expect(await front.metric('sandgate_upstream_credentials_refused_total')).toEqual([
      'sandgate_upstream_credentials_refused_total 1',
    ])
  })

  it('that are the partner’s own come back to the partner, and its key is free', async () => {
    const { url, requests } = await scripted((socket, _request, n) =>
      socket.write(n === 0 ? answer(401, '{}', ['WWW-Authenticate: Bearer error="invalid_token"']) : paid),
    )
    const front = await startFront(url, { upstream: { auth: { type: 'partner' } } })
    const key = randomUUID()
    const told = await front.pay(key)
    expect(told.status).toBe(401)
    expect(told.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    expect(requests[0]?.header('authorization')).toEqual([front.authorization])
    expect(await front.spent()).toEqual({ used: 0, reserved: 0 })
    expect(await front.pay(key)).toMatchObject({ status: 200, replayed: false })
  })
})
