import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { type Caller, callerFor, get, post, token } from '../support/http.ts'
import { partner } from '../support/partners.ts'
import { expectProblem } from '../support/problems.ts'

const person = { customerRef: 'CUS-R', phone: '+2250700000001', firstName: 'A', lastName: 'B' }
// An issuer that does not change with the port, so that tokens can outlive a restart.
const config = { tokens: { issuer: 'http://127.0.0.1:9' } }
const all = [partner('one'), partner('two'), partner('three')] as const

/** Lives of one directory, one after the other: each test goes on with the gateway that the one before has left. */
let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ config, partners: all, isFirstStart: true })
})
afterAll(() => gateway.stop())

async function nextLife(ending: 'stop' | 'kill'): Promise<void> {
  await gateway[ending]()
  gateway = await startGateway({ config, partners: all, dataDir: gateway.dataDir })
}

it.each([
  ['stop', all[0]],
  ['kill', all[1]],
] as const)('everything acknowledged survives a %s and a start', async (ending, who) => {
  const before = callerFor(gateway, who)
  const bearer = await token(before)
  const keys = [randomUUID(), randomUUID(), randomUUID()] as const
  const account = await post(before, '/v1/accounts/open', person, { key: keys[0] })
  const failed = await post(before, '/v1/payments/fund', { amount: 5000 }, { key: keys[1] })
  const paid = await post(before, '/v1/payments/fund', { amount: 5077 }, { key: keys[2] })
  const webhook = await post(before, '/v1/webhooks', { url: 'https://a.example/', events: ['*'] })
  const session = await post(before, '/v1/kyc/widget/session', {})
  const { sessionId } = session.json
  const decision = await post(before, '/v1/kyc/submit', { phone: '+2250000000009', sessionId })
  const score = await get(before, '/v1/score?customerRef=CUS-R')
  const jwks = await get(before, '/.well-known/jwks.json', { token: null })
  const usage = await get(before, '/portal/usage')
  await nextLife(ending)

  const after = callerFor(gateway, who)
  const read = (path: string) => get(after, path, { token: bearer })
  expect((await read('/.well-known/jwks.json')).json).toEqual(jwks.json)
  expect((await read(String(account.headers.location))).json).toEqual(account.json)
  expect((await read('/v1/accounts')).json.items).toEqual([account.json])
  expect((await read(String(webhook.headers.location))).json).toEqual(webhook.json)
  expect((await read(String(session.headers.location))).json.decision).toEqual(decision.json)
  expect((await read('/v1/score?customerRef=CUS-R')).json).toEqual(score.json)
  expect((await read('/portal/usage')).json.caps).toEqual(usage.json.caps)
  const repeated = [
    [account, await post(after, '/v1/accounts/open', person, { key: keys[0] })],
    [failed, await post(after, '/v1/payments/fund', { amount: 5000 }, { key: keys[1] })],
    [paid, await post(after, '/v1/payments/fund', { amount: 5077 }, { key: keys[2] })],
  ] as const
  for (const [first, again] of repeated) {
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect({ status: again.status, body: again.bytes.toString() }).toEqual({
      status: first.status,
      body: first.bytes.toString(),
    })
  }
  expectProblem(
    await post(after, '/v1/payments/fund', { amount: 5078 }, { key: keys[2] }),
    'IDEMPOTENCY_KEY_REUSED',
  )
  expect((await read('/portal/usage')).json.caps).toEqual(usage.json.caps)
})

it('a directory belongs to one gateway at a time', async () => {
  await expect(startGateway({ dataDir: gateway.dataDir })).rejects.toThrow(/ended with 4/)
  expect((await get(callerFor(gateway, all[0]), '/portal/usage')).status).toBe(200)
})

it('the memory store forgets everything at exit, and leaves nothing behind', async () => {
  const dataDir = temporaryDirectory('memory')
  const forgetful = { ...config, store: { engine: 'memory' } }
  const before = await startGateway({ config: forgetful, dataDir, runs: 'here' })
  const { headers } = await post(before, '/v1/accounts/open', person)
  await before.stop()
  const after = await startGateway({ config: forgetful, dataDir, runs: 'here' })
  expectProblem(await get(after, String(headers.location)), 'ACCOUNT_NOT_FOUND')
  await after.stop()
})

/** A server that counts who connects. */
async function listener() {
  let connections = 0
  const server = createServer((_request, response) => response.end())
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, connections: () => connections, close: () => server.close() }
}

/** Everything that production would tell a webhook about. */
async function eventful(caller: Caller): Promise<void> {
  const answers = [
    await post(caller, '/v1/accounts/open', person),
    await post(caller, '/v1/kyc/submit', { phone: '+2250000000009' }),
    await post(caller, '/v1/kyb/submit', { businessRef: 'B-001' }),
    await post(caller, '/v1/payments/fund', { amount: 5077 }),
    await post(caller, '/v1/payments/cashout', { amount: 5000 }),
    await post(caller, '/v1/credit/apply', { customerRef: 'C', amount: 11 }),
  ]
  for (const { status } of answers) expect([200, 201]).toContain(status)
}

it('a registered URL that would answer is never connected to, whatever happens, also after a restart', async () => {
  const target = await listener()
  // The listener does count: a connection of our own is one.
  await fetch(target.url)
  expect(target.connections()).toBe(1)

  const before = callerFor(gateway, all[2])
  const endpoint = { url: `${target.url}/hooks`, events: ['*'], signingSecret: 'whsec_0123456789abcdef' }
  expect((await post(before, '/v1/webhooks', endpoint)).status).toBe(201)
  const session = await post(before, '/v1/kyc/widget/session', { redirectUrl: `${target.url}/done` })
  await post(before, '/v1/kyc/submit', { phone: '+2250000000001', sessionId: session.json.sessionId })
  await eventful(before)
  // Longer than the first retry of production, and than any timer of the gateway.
  await gateway.advance(2 * 86_400)
  await new Promise((resolve) => setTimeout(resolve, 1000))
  await nextLife('kill')

  const after = callerFor(gateway, all[2])
  expect((await get(after, '/v1/webhooks')).json.items).toMatchObject([{ delivered: false }])
  await eventful(after)
  await new Promise((resolve) => setTimeout(resolve, 1000))
  await gateway.stop()
  expect(target.connections()).toBe(1)
  target.close()
})
