import { beforeAll, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, exchange, newCaller, type Reply } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectOAuthError } from '../support/problems.ts'

let limited: Gateway
let unlimited: Gateway
beforeAll(async () => {
  limited = await startGateway({ partners: partners(4) })
  const config = { rateLimits: { groups: { token: 1_000_000 } }, tokens: { failuresPerIp: 1_000_000 } }
  unlimited = await startGateway({ partners: partners(60), config })
})

const guess = (caller: Caller, client: string, secret = 'sk_sandbox_guess') =>
  exchange(caller, { client_id: client, client_secret: secret })

it('a storm of guesses from the partner’s own address never refuses the right secret', async () => {
  const caller = newCaller(limited)
  const { keyId, tenant, secret } = caller.partner
  const storm = Array.from({ length: 300 }, (_, i) =>
    guess(caller, [keyId, tenant, `key_${i}`][i % 3] ?? '', `wrong ${i}`),
  )
  const right: Reply[] = []
  for (let i = 0; i < 10; i++) right.push(await guess(caller, i % 2 === 0 ? keyId : tenant, secret))
  const refused = await Promise.all(storm)
  expect(right.map(({ status }) => status)).toEqual(Array(10).fill(200))
  const counts = [401, 429].map((status) => refused.filter((each) => each.status === status).length)
  expect(counts[0] ?? 0).toBeLessThanOrEqual(100)
  expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(300)
})

it('a known and an unknown client, and a right and a wrong kind of name, get the same answer', async () => {
  const caller = newCaller(limited)
  const { keyId, tenant, secret } = caller.partner
  const shape = async (client: string, password: string) => {
    const reply = await guess({ ...caller, from: limited.nextAddress() }, client, password)
    expectOAuthError(reply, 'invalid_client', 'INVALID_CLIENT')
    const { requestId, ...body } = reply.json
    const { date, 'x-request-id': id, 'x-ratelimit-reset': reset, ratelimit, ...headers } = reply.headers
    expect([requestId, typeof date, typeof reset, typeof ratelimit]).toEqual([
      id,
      'string',
      'string',
      'string',
    ])
    return { body, headers }
  }
  const first = await shape(keyId, 'sk_sandbox_guess')
  for (const client of [
    tenant,
    'key_unknown',
    'tn_sandbox_unknown',
    'sk_sandbox_unknown',
    '__proto__',
    `${keyId} `,
  ])
    expect(await shape(client, 'sk_sandbox_guess')).toEqual(first)
  for (const wrong of [
    secret.slice(0, -1),
    `${secret}x`,
    secret.toUpperCase(),
    limited.partners[3]?.secret ?? '',
  ])
    expect(await shape(keyId, wrong)).toEqual(first)
})

it('a known client takes no longer to refuse than an unknown one, nor a nearly right secret than a wrong one', async () => {
  const caller = newCaller(unlimited)
  const { keyId, secret } = caller.partner
  const kinds = {
    known: () => guess(caller, keyId),
    unknown: () => guess(caller, 'key_p_none'),
    nearlyRight: () => guess(caller, keyId, `${secret.slice(0, -1)}_`),
  }
  const samples = new Map(Object.keys(kinds).map((name) => [name, [] as number[]]))
  const order = Object.entries(kinds)
  // Interleaved, the first one changing, so that a slow moment of the machine meets every kind alike.
  for (let i = 0; i < 330; i++) {
    for (let k = 0; k < order.length; k++) {
      const [name, send] = order[(i + k) % order.length] ?? ['', kinds.known]
      const startedAt = performance.now()
      expect((await send()).status).toBe(401)
      if (i >= 30) samples.get(name)?.push(performance.now() - startedAt)
    }
  }
  const medians = [...samples.values()].map((times) => times.sort((a, b) => a - b)[times.length >> 1] ?? 0)
  const spread = Math.max(...medians) - Math.min(...medians)
  // What a database look-up or an early exit would make visible is many times this.
  expect(spread, `medians ${medians.map((ms) => ms.toFixed(3)).join(', ')} ms`).toBeLessThan(
    Math.max(0.3, Math.min(...medians) * 0.35),
  )
})
