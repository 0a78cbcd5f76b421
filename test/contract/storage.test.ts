import { randomUUID } from 'node:crypto'
import { cpSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { QUOTA_ROUNDS } from '../support/effort.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { type Caller, callerFor, get, newCaller, post, type Reply, send, token } from '../support/http.ts'
import { partner, partners } from '../support/partners.ts'
import { expectCommonHeaders, expectProblem } from '../support/problems.ts'
import { rawConnection } from '../support/raw.ts'

const quotas = { accounts: 3, sessions: 2, webhooks: 2, answerBytes: 18_000 }

let gateway: Gateway
beforeAll(async () => {
  const rateLimits = { groups: { 'accounts.open': 1_000_000, other: 1_000_000 } }
  gateway = await startGateway({
    runs: 'here',
    partners: partners(13),
    config: { store: { quotas }, rateLimits },
  })
})

const person = { customerRef: 'C', phone: '+2250700000001', firstName: 'A', lastName: 'B' }
const webhook = { url: 'https://partner.example.com/', events: ['*'] }
const open = (who: Caller, key = randomUUID()) => post(who, '/v1/accounts/open', person, { key })
const session = (who: Caller) => post(who, '/v1/kyc/widget/session', {})
const register = (who: Caller) => post(who, '/v1/webhooks', webhook)
const reset = (who: Caller, kind?: string, options = {}) =>
  send(who, 'DELETE', `/v1/sandbox/data${kind === undefined ? '' : `?kind=${kind}`}`, undefined, options)
const accounts = async (who: Caller) => (await get(who, '/v1/accounts')).json.items.length

/** Opens far more accounts than fit, from three connections at once; returns how many were opened. */
async function openAtOnce(who: Caller): Promise<number> {
  const bearer = await token(who)
  const body = JSON.stringify(person)
  const request = () =>
    `POST /v1/accounts/open HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\nIdempotency-Key: ${randomUUID()}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const opened = async () => {
    const connection = await rawConnection(gateway, who.from)
    connection.write(Array.from({ length: 8 }, request).join(''))
    let count = 0
    for (let i = 0; i < 8; i++) if ((await connection.next()).status === 201) count++
    connection.socket.destroy()
    return count
  }
  return (await Promise.all([opened(), opened(), opened()])).reduce((sum, count) => sum + count)
}

function expectReset(reply: Reply): void {
  expect([reply.status, reply.bytes.length, reply.headers['content-length']]).toEqual([204, 0, undefined])
  expectCommonHeaders(reply)
}

const [kept, full] = [partner('kept'), partner('full')]

/** A directory in which both of them have an account, and whose gateway was killed after a reset by the first one. */
let killed: { readonly dataDir: string; readonly location: string } | undefined
async function killedDirectory() {
  if (killed === undefined) {
    const first = await startGateway({ partners: [kept, full] })
    const [one, other] = [callerFor(first, kept), callerFor(first, full)]
    await post(one, '/v1/accounts/open', person)
    expect((await send(one, 'DELETE', '/v1/sandbox/data', undefined)).status).toBe(204)
    await post(one, '/v1/accounts/open', { ...person, customerRef: 'second' })
    const { headers } = await post(other, '/v1/accounts/open', person)
    await first.kill()
    killed = { dataDir: first.dataDir, location: headers.location ?? '' }
  }
  const dataDir = temporaryDirectory('killed')
  // The socket of the dead gateway cannot be copied.
  cpSync(killed.dataDir, dataDir, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  return { ...killed, dataDir }
}

describe('a quota', () => {
  it.each([
    ['accounts', quotas.accounts, open],
    ['sessions', quotas.sessions, session],
    ['webhooks', quotas.webhooks, register],
  ] as const)(
    'of %s refuses what is more, says how to free it, and is free when it is',
    async (kind, limit, make) => {
      const caller = newCaller(gateway)
      for (let i = 0; i < limit; i++) expect((await make(caller)).status).toBe(201)
      const refused = await make(caller)
      expectProblem(refused, 'STORAGE_QUOTA_EXCEEDED')
      expect(refused.json).toMatchObject({ kind, limit, used: limit })
      expect(refused.json.detail).toContain(`DELETE /v1/sandbox/data?kind=${kind}`)
      // Nobody else is held up by it.
      expect((await make(newCaller(gateway))).status).toBe(201)
      expectReset(await reset(caller, kind))
      expect((await make(caller)).status).toBe(201)
    },
  )

  it('lets what is stored replay, stores no refusal, and is exact to what is in flight', async () => {
    const caller = newCaller(gateway)
    const key = randomUUID()
    const first = await open(caller, key)
    expect(await openAtOnce(caller)).toBe(quotas.accounts - 1)
    const refusedKey = randomUUID()
    expectProblem(await open(caller, refusedKey), 'STORAGE_QUOTA_EXCEEDED')
    const replay = await open(caller, key)
    expect([replay.headers['idempotency-replayed'], replay.bytes.equals(first.bytes)]).toEqual(['true', true])
    expectReset(await reset(caller, 'accounts'))
    const later = await open(caller, refusedKey)
    expect([later.status, later.headers['idempotency-replayed']]).toEqual([201, undefined])
  })

  it('is as exact again and again, when everything is reset in between', async () => {
    const caller = newCaller(gateway)
    for (let round = 0; round < QUOTA_ROUNDS; round++) {
      expect(await openAtOnce(caller)).toBe(quotas.accounts)
      expectReset(await reset(caller))
    }
  })

  it('of finished answers is one of bytes', async () => {
    const caller = newCaller(gateway)
    let last: Reply | undefined
    for (let i = 0; i < 60; i++) {
      last = await post(caller, '/v1/payments/fund', { amount: 77, description: 'x'.repeat(200) })
      if (last.status !== 200) break
    }
    if (!last) throw new TypeError('no reply')
    expectProblem(last, 'STORAGE_QUOTA_EXCEEDED')
    expect(last.json).toMatchObject({ kind: 'keys', limit: quotas.answerBytes })
    expect(last.json.used).toBeGreaterThan(10_000)
    expectReset(await reset(caller, 'keys'))
    expect((await post(caller, '/v1/payments/fund', { amount: 77 })).status).toBe(200)
  })
})

describe('DELETE /v1/sandbox/data', () => {
  it('makes everything of the tenant absent at once, and a retry a new request', async () => {
    const caller = newCaller(gateway)
    const key = randomUUID()
    const first = await open(caller, key)
    const { sessionId, url } = (await session(caller)).json
    const { webhookId } = (await register(caller)).json
    expectReset(await reset(caller))
    expect(await accounts(caller)).toBe(0)
    expectProblem(await get(caller, first.headers.location ?? ''), 'ACCOUNT_NOT_FOUND')
    expectProblem(await get(caller, '/v1/score?customerRef=C'), 'SCORE_NOT_FOUND')
    expectProblem(await get(caller, `/v1/kyc/widget/session/${sessionId}`), 'KYC_SESSION_NOT_FOUND')
    expect((await fetch(url)).status).toBe(404)
    expectProblem(await get(caller, `/v1/webhooks/${webhookId}`), 'WEBHOOK_NOT_FOUND')
    const again = await open(caller, key)
    expect(again.headers['idempotency-replayed']).toBeUndefined()
    expect(again.json.accountId).not.toBe(first.json.accountId)
    // Caps count what was decided, whatever became of it.
    const usage = await get(caller, '/portal/usage')
    expect(usage.json.caps.find(({ product }: { product: string }) => product === 'accounts').used).toBe(2)
    expectReset(await reset(caller))
    expectReset(await reset(caller))
  })

  it('of one kind leaves the others as they are, and of one tenant everybody else', async () => {
    const [caller, other] = [newCaller(gateway), newCaller(gateway)]
    await open(other)
    await open(caller)
    const { webhookId } = (await register(caller)).json
    expectReset(await reset(caller, 'webhooks'))
    expectProblem(await get(caller, `/v1/webhooks/${webhookId}`), 'WEBHOOK_NOT_FOUND')
    expect([await accounts(caller), await accounts(other)]).toEqual([1, 1])
    expectProblem(await reset(caller, 'scores'), 'VALIDATION_FAILED')
    expect(await accounts(caller)).toBe(1)
  })

  it('needs every scope that the partner holds, and no Idempotency-Key', async () => {
    const caller = newCaller(gateway)
    const narrow = await token(caller, {
      scope: 'accounts:read accounts:write payments:write webhooks:register',
    })
    const refused = await reset(caller, undefined, { token: narrow })
    expectProblem(refused, 'INSUFFICIENT_SCOPE')
    expect(refused.headers['www-authenticate']).toContain('kyc:initiate')
    expectProblem(await reset(caller, undefined, { token: null }), 'TOKEN_MISSING')
    expectProblem(
      await reset(caller, undefined, { headers: { 'x-tenant-id': 'tn_sandbox_p1-other' } }),
      'PARTNER_MISMATCH',
    )
    expectReset(await reset(caller, undefined, { key: null }))
    const wrong = await get(caller, '/v1/sandbox/data')
    expectProblem(wrong, 'METHOD_NOT_ALLOWED')
    expect(wrong.headers.allow).toBe('DELETE')
  })

  it('outlives a restart', async () => {
    const { dataDir } = await killedDirectory()
    const again = await startGateway({ partners: [kept], dataDir, runs: 'here' })
    const listed = (await get(again, '/v1/accounts')).json.items
    expect(listed.map(({ customerRef }: { customerRef: string }) => customerRef)).toEqual(['second'])
    await again.stop()
  })
})

describe.runIf(process.platform === 'linux')('a full disk', () => {
  it('is started on, serves reads and recovers by itself; below the reserve nothing is new but a reset', async () => {
    const { dataDir, location } = await killedDirectory()
    const size = statSync(join(dataDir, 'data.mdb')).size
    const limited = await startGateway({
      partners: [full],
      dataDir,
      by: ['prlimit', `--fsize=4096:unlimited`],
    })
    expect(size).toBeGreaterThan(4096)
    expect((await get(limited, location)).status).toBe(200)
    const refused = await post(limited, '/v1/accounts/open', person)
    expectProblem(refused, 'STORE_UNAVAILABLE')
    expectProblem(await send(limited, 'DELETE', '/v1/sandbox/data', undefined), 'STORE_UNAVAILABLE')
    const ready = await fetch(`${limited.operatorUrl}/readyz`)
    expect([ready.status, ((await ready.json()) as { store: object }).store]).toMatchObject([
      503,
      { writable: false },
    ])
    await limited.kill()
    const reserved = await startGateway({
      partners: [full],
      dataDir,
      runs: 'here',
      config: { store: { reserveBytes: 2 ** 50 } },
    })
    expectProblem(await post(reserved, '/v1/accounts/open', person), 'STORE_UNAVAILABLE')
    expect((await get(reserved, location)).status).toBe(200)
    expect((await send(reserved, 'DELETE', '/v1/sandbox/data', undefined)).status).toBe(204)
    expectProblem(await get(reserved, location), 'ACCOUNT_NOT_FOUND')
    await reserved.stop()
  })
})
