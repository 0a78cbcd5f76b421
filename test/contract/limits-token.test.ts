import { beforeAll, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, exchange, newCaller, type Reply, transmit } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectOAuthError } from '../support/problems.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ runs: 'here', partners: partners(10) })
})

const wrong = (caller: Caller, client = caller.partner.keyId) =>
  exchange(caller, { client_id: client, client_secret: 'sk_sandbox_guess' })
const right = (caller: Caller, client = caller.partner.keyId) =>
  exchange(caller, { client_id: client, client_secret: caller.partner.secret })

async function times(count: number, make: (index: number) => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let i = 0; i < count; i++) replies.push(await make(i))
  return replies
}

it('a right secret counts against its key, whichever identifier named it', async () => {
  const caller = newCaller(gateway)
  const { keyId, tenant, secret } = caller.partner
  const names = [keyId, tenant, secret]
  const granted = await times(10, (i) => right(caller, names[i % 3]))
  expect(granted.map(({ status }) => status)).toEqual(Array(10).fill(200))
  for (const name of names) {
    expectOAuthError(await right(caller, name), 'temporarily_unavailable', 'RATE_LIMITED')
  }
  // Nor does another address help.
  const refused = await right({ ...caller, from: gateway.nextAddress() })
  expectOAuthError(refused, 'temporarily_unavailable', 'RATE_LIMITED')
})

it('wrong secrets of one client from one address are refused after 10, and a right one never is', async () => {
  const caller = newCaller(gateway)
  for (const refused of await times(10, () => wrong(caller))) {
    expectOAuthError(refused, 'invalid_client', 'INVALID_CLIENT')
  }
  const eleventh = await wrong(caller)
  expectOAuthError(eleventh, 'temporarily_unavailable', 'RATE_LIMITED')
  expect(Number(eleventh.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  const granted = await right(caller)
  expect(granted.status).toBe(200)
  expect(granted.headers['x-ratelimit-remaining']).toBe('9')
  // The same guesses from elsewhere have their own ten: nobody is locked out by somebody else's.
  expectOAuthError(
    await wrong({ ...caller, from: gateway.nextAddress() }),
    'invalid_client',
    'INVALID_CLIENT',
  )
  await gateway.advance(60)
  expectOAuthError(await wrong(caller), 'invalid_client', 'INVALID_CLIENT')
})

it('wrong secrets of many clients from one address are refused after 100, and a right one never is', async () => {
  const caller = newCaller(gateway)
  const refused = await times(100, (i) => wrong(caller, `key_guess_${i}`))
  expect(refused.map(({ status }) => status)).toEqual(Array(100).fill(401))
  expectOAuthError(await wrong(caller, 'key_guess_100'), 'temporarily_unavailable', 'RATE_LIMITED')
  expect((await right(caller)).status).toBe(200)
})

it('an exchange that cannot be read counts as a wrong one', async () => {
  const caller = newCaller(gateway)
  const unread = () =>
    transmit(caller, 'POST', '/auth/token', Buffer.from('{'), { 'content-type': 'application/json' })
  for (const refused of await times(10, unread)) {
    expectOAuthError(refused, 'invalid_request', 'INVALID_REQUEST')
  }
  expectOAuthError(await unread(), 'temporarily_unavailable', 'RATE_LIMITED')
})

it('a right secret with a wrong scope, tenant or grant type counts against the key', async () => {
  const caller = newCaller(gateway)
  const fields = { client_id: caller.partner.keyId, client_secret: caller.partner.secret }
  const answers = [
    await exchange(caller, { ...fields, scope: 'none' }),
    await exchange(caller, { ...fields, grant_type: 'password' }),
    await exchange(caller, fields, { 'x-tenant-id': 'tn_sandbox_other' }),
    await exchange(caller, fields),
  ]
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 403, 200])
  expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['9', '8', '7', '6'])
})
