import { describe, expect, it } from 'vitest'
import { WAIT_MS } from '../support/effort.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { exchange, get, newCaller, token } from '../support/http.ts'
import { partners } from '../support/partners.ts'

type Line = { msg: string; status: number; client?: string; requestId: string }

/** The line of one request, once it has been written. */
async function lineOf(gateway: Gateway, requestId: string | undefined): Promise<Line> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const lines = gateway.logs().split('\n')
    const line = lines.find((each) => each.includes(`"requestId":"${requestId}"`) && each.endsWith('}'))
    if (line !== undefined) return JSON.parse(line)
    if (performance.now() > deadline) throw new Error(`no line of ${requestId}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const SHOWN = { full: '127.0.0.2', prefix: '127.0.0.0/24', off: undefined } as const
const forwarded = { 'x-forwarded-for': '2001:db8:7:8::9' }
const SHOWN_V6 = { full: '2001:db8:7:8::9', prefix: '2001:db8:7::/48', off: undefined } as const

describe('the log line of a refusal at the door', () => {
  it.each(['full', 'prefix', 'off', 'default'] as const)('carries the client: %s', async (how) => {
    const expected = how === 'default' ? 'prefix' : how
    const gateway = await startGateway({
      runs: 'here',
      partners: partners(1),
      config: {
        log: { format: 'json', ...(how !== 'default' && { clientAddress: how }) },
        // Behind a proxy a gateway lingers when it is stopped, and nobody here is to be told to go elsewhere.
        server: { lameDuckMs: 0 },
        listen: { trustedProxies: ['127.0.0.99/32'] },
        rateLimits: { groups: { 'credit.simulate': 0 } },
      },
    })
    const caller = newCaller(gateway)
    const narrow = await token(caller, { scope: 'kyc:initiate' })
    const refused = [
      await get(caller, '/v1/accounts', { token: null }),
      await get(caller, '/v1/accounts', { token: narrow }),
      await get(caller, '/v1/credit/simulate?amount=11'),
      await exchange(caller, { client_id: 'key_none', client_secret: 'wrong' }),
      await exchange(caller, { a: '1' }, { 'content-type': 'application/json' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([401, 403, 429, 401, 400])
    for (const reply of refused)
      expect((await lineOf(gateway, reply.headers['x-request-id'])).client).toBe(SHOWN[expected])
    const behind = { ...caller, from: '127.0.0.99' }
    const proxied = await get(behind, '/v1/accounts', { token: null, headers: forwarded })
    expect((await lineOf(gateway, proxied.headers['x-request-id'])).client).toBe(SHOWN_V6[expected])
    // Whoever got in, or asked for what is not there, is nobody to look for.
    for (const reply of [await get(caller, '/v1/accounts'), await get(caller, '/nowhere')])
      expect(await lineOf(gateway, reply.headers['x-request-id'])).not.toHaveProperty('client')
    await gateway.stop()
  })
})
