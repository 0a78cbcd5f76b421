import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WAIT_MS } from '../support/effort.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, callerFor, exchange, get, newCaller, post, token } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectOAuthError, expectProblem } from '../support/problems.ts'
import { type RawConnection, rawConnection } from '../support/raw.ts'

const BODY = '{"amount":5077}'
const PER_ADDRESS = 6
const PER_PARTNER = 4
const MAX_IN_FLIGHT = 3

let gateway: Gateway
const open: RawConnection[] = []
afterEach(async () => {
  for (const connection of open.splice(0)) connection.socket.destroy()
  await unfinished(0)
})

beforeAll(async () => {
  const server = {
    maxInFlight: MAX_IN_FLIGHT,
    unfinishedPerAddress: PER_ADDRESS,
    unfinishedPerPartner: PER_PARTNER,
    bodyTimeoutMs: 60_000,
  }
  const rateLimits = { groups: { 'credit.apply': 2 } }
  gateway = await startGateway({ partners: partners(12), config: { server, rateLimits } })
})

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${gateway.operatorUrl}/metrics`)).text()
  return Number(new RegExp(`^${name} ([0-9.]+)$`, 'm').exec(text)?.[1])
}

async function unfinished(count: number): Promise<void> {
  const deadline = performance.now() + WAIT_MS
  while ((await metric('sandgate_requests_unfinished')) !== count) {
    if (performance.now() > deadline) throw new Error(`there are not ${count} unfinished requests`)
  }
}

/** Everything but the last byte of a request with a body. */
async function begin(
  from: string,
  path: string,
  headers: readonly string[],
  body = BODY,
): Promise<RawConnection & { finish: () => void }> {
  const connection = await rawConnection(gateway, from)
  open.push(connection)
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Content-Length: ${body.length}`, ...headers]
  connection.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`)
  return { ...connection, finish: () => connection.write(body.slice(-1)) }
}

async function beginPayment(caller: Caller, path = '/v1/payments/fund') {
  const bearer = await token(caller)
  const headers = [
    `Authorization: Bearer ${bearer}`,
    `Idempotency-Key: ${randomUUID()}`,
    'Content-Type: application/json',
  ]
  return begin(caller.from, path, headers)
}

describe('requests whose bodies do not end', () => {
  it('hold no place of those that have ended, of the same partner or another', async () => {
    const [slow, other] = [newCaller(gateway), newCaller(gateway)]
    // More than may be in flight.
    const begun = await Promise.all([1, 2, 3, 4].map(() => beginPayment(slow)))
    await unfinished(4)
    expect(await metric('sandgate_requests_in_flight')).toBe(0)
    expect((await post(other, '/v1/payments/fund', BODY)).status).toBe(200)
    expect((await post(slow, '/v1/payments/fund', BODY)).status).toBe(200)
    for (const connection of begun.slice(0, 2)) {
      connection.finish()
      expect((await connection.next()).json).toMatchObject({ outcome: 'success' })
    }
  })

  it('of one partner are bounded, from whichever address they come, and leave everybody else alone', async () => {
    const caller = newCaller(gateway)
    const elsewhere = callerFor(gateway, caller.partner)
    const other = newCaller(gateway)
    for (const one of [caller, caller, elsewhere, elsewhere]) await beginPayment(one)
    await unfinished(PER_PARTNER)
    const refused = await (await beginPayment(callerFor(gateway, caller.partner))).next()
    expectProblem(refused, 'TOO_MANY_UNFINISHED')
    expect(refused.headers['retry-after']).toBe('1')
    expect((await post(caller, '/v1/payments/fund', BODY)).status).toBe(200)
    const theirs = await beginPayment({ ...other, from: caller.from })
    theirs.finish()
    expect((await theirs.next()).status).toBe(200)
  })

  it('of one address are bounded, without credentials too', async () => {
    const from = gateway.nextAddress()
    const exchanges = await Promise.all(
      Array.from({ length: PER_ADDRESS }, () => begin(from, '/auth/token', [], 'client_id=x')),
    )
    await unfinished(PER_ADDRESS)
    const refused = await (await begin(from, '/auth/token', [], 'client_id=x')).next()
    expectOAuthError(refused, 'temporarily_unavailable', 'TOO_MANY_UNFINISHED')
    expect(refused.headers['retry-after']).toBe('1')
    // One that is there at once needs no place, and neither does anybody from another address.
    const whole = { ...newCaller(gateway), from }
    const { keyId, secret } = whole.partner
    expect((await exchange(whole, { client_id: keyId, client_secret: secret })).status).toBe(200)
    const [first] = exchanges
    first?.finish()
    expect((await first?.next())?.status).toBe(401)
    expect((await get(newCaller(gateway), '/v1/accounts')).status).toBe(200)
  })

  it('are told who they are and what they may first', async () => {
    const caller = newCaller(gateway)
    for (let i = 0; i < PER_PARTNER; i++) await beginPayment(caller)
    await unfinished(PER_PARTNER)
    const headers = [
      'Idempotency-Key: 1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10',
      'Content-Type: application/json',
    ]
    const bearer = `Authorization: Bearer ${await token(caller)}`
    const narrow = `Authorization: Bearer ${await token(caller, { scope: 'accounts:read' })}`
    const ask = async (more: readonly string[]) =>
      (await begin(caller.from, '/v1/payments/fund', [...headers, ...more])).next()
    expectProblem(await ask([]), 'TOKEN_MISSING')
    expectProblem(await ask([bearer, 'X-Tenant-Id: tn_sandbox_other']), 'PARTNER_MISMATCH')
    expectProblem(await ask([narrow]), 'INSUFFICIENT_SCOPE')
    expectProblem(await ask([bearer]), 'TOO_MANY_UNFINISHED')
  })

  it('have spent their window, so that a body that never comes is no way around it', async () => {
    const caller = newCaller(gateway)
    const begun = [
      await beginPayment(caller, '/v1/credit/apply'),
      await beginPayment(caller, '/v1/credit/apply'),
    ]
    await unfinished(2)
    expectProblem(await (await beginPayment(caller, '/v1/credit/apply')).next(), 'RATE_LIMITED')
    // They are counted once: their end is answered, and shows the window as it was.
    for (const connection of begun) connection.finish()
    const replies = await Promise.all(begun.map((connection) => connection.next()))
    expect(replies.map(({ headers }) => headers['x-ratelimit-remaining']).sort()).toEqual(['0', '1'])
    for (const reply of replies) expectProblem(reply, 'VALIDATION_FAILED')
  })

  it('and wait for 100 Continue have spent it too', async () => {
    const caller = newCaller(gateway)
    const headers = [`Authorization: Bearer ${await token(caller)}`, `Idempotency-Key: ${randomUUID()}`]
    const connection = await begin(caller.from, '/v1/credit/apply', [...headers, 'Expect: 100-continue'], 'x')
    expect((await connection.next()).status).toBe(100)
    connection.finish()
    expect((await connection.next()).headers['x-ratelimit-remaining']).toBe('1')
  })
})

describe('more in flight than the gateway takes', () => {
  it('shows in the body of /readyz and as a metric, and is no reason to send its partners elsewhere', async () => {
    const caller = newCaller(gateway)
    const bearer = await token(caller)
    const ready = await (await fetch(`${gateway.operatorUrl}/readyz`)).json()
    expect(ready).toMatchObject({ ready: true, overloaded: false })
    expect(await metric('sandgate_overloaded')).toBe(0)
    const payment = () =>
      `POST /v1/payments/fund HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\nIdempotency-Key: ${randomUUID()}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`
    const connection = await rawConnection(gateway, caller.from)
    open.push(connection)
    connection.write(Array.from({ length: 20 }, payment).join(''))
    const statuses: number[] = []
    for (let i = 0; i < 20; i++) statuses.push((await connection.next()).status)
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0)
    const after = await fetch(`${gateway.operatorUrl}/readyz`)
    expect([after.status, await after.json()]).toMatchObject([200, { ready: true, overloaded: false }])
  })
})
