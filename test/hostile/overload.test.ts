import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { OVERLOAD_REQUESTS } from '../support/effort.ts'
import { startGateway } from '../support/gateway.ts'
import { type Caller, get, newCaller, post, token } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectOAuthError, expectProblem } from '../support/problems.ts'
import { type RawConnection, rawConnection } from '../support/raw.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const BODY = JSON.stringify({ amount: 5077, currency: 'XOF' })

/** A payment whose last byte is still to come: in flight until `finish`. */
async function openPayment(caller: Caller): Promise<RawConnection & { finish: () => void }> {
  const connection = await rawConnection(caller.gateway, caller.from)
  const lines = [
    'POST /v1/payments/fund HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${await token(caller)}`,
    `Idempotency-Key: ${randomUUID()}`,
    'Content-Type: application/json',
    `Content-Length: ${BODY.length}`,
  ]
  connection.write(`${lines.join('\r\n')}\r\n\r\n${BODY.slice(0, -1)}`)
  return { ...connection, finish: () => connection.write(BODY.slice(-1)) }
}

async function fundedXof(caller: Caller): Promise<number> {
  const usage = await get(caller, '/portal/usage', { headers: { accept: 'application/json' } })
  return usage.json.caps.find(({ product }: { product: string }) => product === 'payments.fund').used
}

describe('more requests in flight than configured', () => {
  const MAX = 6

  it('are refused with 503 while the gateway stays alive, and whatever was admitted is finished', async () => {
    const gateway = await startGateway({ partners: partners(2), config: { server: { maxInFlight: MAX } } })
    const [caller, other] = [newCaller(gateway), newCaller(gateway)]
    const bearer = await token(caller)
    const payment = () =>
      [
        'POST /v1/payments/fund HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${bearer}`,
        `Idempotency-Key: ${randomUUID()}`,
        'Content-Type: application/json',
        `Content-Length: ${BODY.length}`,
      ].join('\r\n')
    const connection = await rawConnection(gateway, caller.from)
    // All of them are there before the first is on the disk.
    const wanted = MAX + 3
    connection.write(Array.from({ length: wanted }, () => `${payment()}\r\n\r\n${BODY}`).join(''))
    for (let i = 0; i < MAX; i++) {
      const { status, json } = await connection.next()
      expect([status, json.outcome]).toEqual([200, 'success'])
    }
    for (let i = MAX; i < wanted; i++) {
      const refused = await connection.next()
      expectProblem(refused, 'OVERLOADED')
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    }
    expect((await fetch(`${gateway.operatorUrl}/livez`)).status).toBe(200)
    expect((await get(other, '/v1/accounts')).status).toBe(200)
    expect(await fundedXof(caller)).toBe(MAX * 5077)
    await gateway.stop()
  })

  it('by a burst of all sizes are each answered 200 or 503, and every 200 has happened exactly once', async () => {
    const rateLimits = { groups: { 'payments.fund': 1_000_000 } }
    const gateway = await startGateway({
      partners: partners(1),
      config: { server: { maxInFlight: 4 }, rateLimits },
    })
    const caller = newCaller(gateway)
    await token(caller)
    const replies = await Promise.all(
      Array.from({ length: OVERLOAD_REQUESTS }, () => post(caller, '/v1/payments/fund', BODY)),
    )
    const done = replies.filter(({ status }) => status === 200).length
    for (const reply of replies) if (reply.status !== 200) expectProblem(reply, 'OVERLOADED')
    expect(done).toBeGreaterThanOrEqual(1)
    expect(new Set(replies.map(({ json }) => json.paymentId ?? json.requestId)).size).toBe(OVERLOAD_REQUESTS)
    expect(await fundedXof(caller)).toBe(done * 5077)
    await gateway.stop()
  })
})

describe('a loop that is late', () => {
  it('refuses what is new with 503, finishes what was admitted, and takes requests again when it keeps up', async () => {
    const server = { maxLoopDelayMs: 1500, requestTimeoutMs: 60_000, headersTimeoutMs: 60_000 }
    const gateway = await startGateway({ partners: partners(2), config: { server } })
    const [caller, other] = [newCaller(gateway), newCaller(gateway)]
    const bearer = await token(other)
    const admitted = await openPayment(caller)
    const newcomer = await rawConnection(gateway, other.from)
    const exchange = await rawConnection(gateway, other.from)
    await pause(300)

    gateway.signal('SIGSTOP')
    exchange.write('POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nclient_id=x')
    admitted.finish()
    newcomer.write(`GET /v1/accounts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\n\r\n`)
    await pause(4000)
    gateway.signal('SIGCONT')

    expect((await fetch(`${gateway.operatorUrl}/livez`)).status).toBe(200)
    const refused = await newcomer.next()
    expectProblem(refused, 'OVERLOADED')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expectOAuthError(await exchange.next(), 'temporarily_unavailable', 'OVERLOADED')
    expect((await admitted.next()).json).toMatchObject({ outcome: 'success', amount: 5077 })
    let status = 503
    for (let i = 0; i < 100 && status === 503; i++) {
      await pause(100)
      status = (await get(other, '/v1/accounts')).status
    }
    expect(status).toBe(200)
    expect(await fundedXof(caller)).toBe(5077)
    await gateway.stop()
  })
})
