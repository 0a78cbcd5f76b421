import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { get, post, token } from '../support/http.ts'
import { expectOAuthError, expectProblem } from '../support/problems.ts'
import { type RawConnection, rawConnection } from '../support/raw.ts'

const BODY = '{"amount":77}'

/** A payment whose body is only half there: it waits for the rest. */
async function halfPayment(gateway: Gateway, key = randomUUID()): Promise<RawConnection> {
  const bearer = await token(gateway)
  const connection = await rawConnection(gateway)
  connection.write(
    [
      'POST /v1/payments/fund HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${bearer}`,
      `Idempotency-Key: ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${BODY.length}`,
      '',
      BODY.slice(0, 5),
    ].join('\r\n'),
  )
  await unfinished(gateway)
  return connection
}

/** Waits until a body is waited for. */
async function unfinished(gateway: Gateway): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const metrics = await fetch(`${gateway.operatorUrl}/metrics`).then((response) => response.text())
    if (/^sandgate_requests_unfinished [1-9]/m.test(metrics)) return
  }
  throw new Error('no request came to be unfinished')
}

const readiness = async (gateway: Gateway) => {
  const response = await fetch(`${gateway.operatorUrl}/readyz`)
  return { status: response.status, body: (await response.json()) as { draining: boolean } }
}

describe('SIGTERM', () => {
  it('ends an idle gateway at once, with 0, whatever connections are kept alive', async () => {
    const gateway = await startGateway()
    expect((await get(gateway, '/portal/usage')).status).toBe(200)
    const connection = await rawConnection(gateway)
    const startedAt = Date.now()
    expect(await gateway.stop()).toEqual({ code: 0, signal: null })
    expect(Date.now() - startedAt).toBeLessThan(5000)
    expect(await connection.closed()).toBe(true)
  })

  it('finishes what is in flight, refuses what is new, and says that it is not ready meanwhile', async () => {
    const gateway = await startGateway({ runs: 'as-command' })
    const key = randomUUID()
    const payment = await halfPayment(gateway, key)
    // A connection on which a request has begun: it is not idle, and is not closed under its sender.
    const late = await rawConnection(gateway)
    late.write('GET /portal/usage HTTP/1.1\r\nHost: x\r\n')
    const lateExchange = await rawConnection(gateway)
    lateExchange.write('POST /auth/token HTTP/1.1\r\nHost: x\r\n')
    await get(gateway, '/openapi.json', { token: null })

    gateway.signal('SIGTERM')
    let ready = await readiness(gateway)
    for (let tries = 0; ready.status === 200 && tries < 50; tries++) ready = await readiness(gateway)
    expect(ready).toMatchObject({ status: 503, body: { ready: false, draining: true } })
    await expect(rawConnection(gateway)).rejects.toThrow()

    late.write('\r\n')
    const refused = await late.next()
    expectProblem(refused, 'DRAINING')
    expect(refused.headers.connection).toBe('close')
    lateExchange.write('Content-Length: 0\r\n\r\n')
    expectOAuthError(await lateExchange.next(), 'temporarily_unavailable', 'DRAINING')

    payment.write(BODY.slice(5))
    const answer = await payment.next()
    expect({ status: answer.status, amount: answer.json.amount }).toEqual({ status: 200, amount: 77 })
    expect(answer.headers.connection).toBe('close')
    expect(await gateway.exited).toEqual({ code: 0, signal: null })

    const again = await startGateway({ dataDir: gateway.dataDir, runs: 'here' })
    const replay = await post(again, '/v1/payments/fund', BODY, { key })
    expect(replay.headers['idempotency-replayed']).toBe('true')
    expect(replay.bytes.equals(answer.bytes)).toBe(true)
    await again.stop()
  })

  it('waits no longer than configured for a request that does not end', async () => {
    const gateway = await startGateway({ config: { server: { drainMs: 300 } } })
    const connection = await halfPayment(gateway)
    const startedAt = Date.now()
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toEqual({ code: 0, signal: null })
    expect(Date.now() - startedAt).toBeLessThan(5000)
    expect(await connection.closed()).toBe(true)
  })

  it('twice ends it at once', async () => {
    const gateway = await startGateway({ config: { server: { drainMs: 60_000 } } })
    await halfPayment(gateway)
    gateway.signal('SIGTERM')
    for (let tries = 0; (await readiness(gateway)).status === 200 && tries < 50; tries++);
    const startedAt = Date.now()
    // What comes at once after the first is taken for the same request.
    const again = setInterval(() => gateway.signal('SIGTERM'), 100)
    const { code, signal } = await gateway.exited.finally(() => clearInterval(again))
    expect(code !== 0 || signal !== null).toBe(true)
    expect(Date.now() - startedAt).toBeLessThan(5000)
  })
})

it('SIGINT stops it in the same way', async () => {
  const gateway = await startGateway()
  gateway.signal('SIGINT')
  expect(await gateway.exited).toEqual({ code: 0, signal: null })
})

it('more in flight than configured is OVERLOADED, with nothing executed, and passes when there is room', async () => {
  const gateway = await startGateway({ config: { server: { maxInFlight: 1 } }, runs: 'here' })
  const bearer = await token(gateway)
  const [first, second] = [randomUUID(), randomUUID()]
  const payment = (key: string) =>
    [
      'POST /v1/payments/fund HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${bearer}`,
      `Idempotency-Key: ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${BODY.length}`,
      '',
      BODY,
    ].join('\r\n')
  // All in one piece: the first is in flight until its answer is on the disk.
  const connection = await rawConnection(gateway)
  connection.write(payment(first) + payment(second))
  expect((await connection.next()).status).toBe(200)
  expectProblem(await connection.next(), 'OVERLOADED')
  const answer = await post(gateway, '/v1/payments/fund', BODY, { key: second, token: bearer })
  expect(answer.status).toBe(200)
  expect(answer.headers['idempotency-replayed']).toBeUndefined()
  await gateway.stop()
})
