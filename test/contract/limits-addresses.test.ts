import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { callerFor, get, type Reply } from '../support/http.ts'
import { partner } from '../support/partners.ts'
import { expectProblem } from '../support/problems.ts'

const slow = partner('slow', { rateLimits: { other: 2 } })

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({
    runs: 'here',
    partners: [slow],
    config: {
      listen: { trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] },
      rateLimits: { reset: 'seconds', windowSeconds: 30 },
    },
  })
})

const left = ({ headers }: Reply) => Number(headers['x-ratelimit-remaining'])
const via = (...chain: string[]) =>
  get(gateway, '/openapi.json', { token: null, headers: { 'x-forwarded-for': chain.join(', ') } })

/** Addresses that are one client, and one that is another. */
const clients: [string, string[][], string[]][] = [
  ['the last address that is no trusted proxy', [['192.0.2.1'], ['192.0.2.1', '10.1.2.3']], ['192.0.2.2']],
  [
    'whatever was forged on its left',
    [
      ['198.51.100.1', '192.0.2.9'],
      ['evil', '192.0.2.9'],
    ],
    ['192.0.2.10'],
  ],
  [
    'the whole /64 of an IPv6 address',
    [['2001:db8:0:1::1'], ['2001:db8:0:1:ffff::2'], ['2001:0DB8:0:1::3']],
    ['2001:db8:0:2::1'],
  ],
  [
    'an IPv4 address written as IPv6',
    [['203.0.113.5'], ['::ffff:203.0.113.5'], ['::ffff:cb00:7105']],
    ['203.0.113.6'],
  ],
  ['an address with its port', [['203.0.113.9:4711'], ['203.0.113.9']], ['203.0.113.10']],
]

describe('behind a trusted proxy, one client is', () => {
  it.each(clients)('%s', async (_what, same, other) => {
    let expected = 300
    for (const chain of same) expect(left(await via(...chain))).toBe(--expected)
    expect(left(await via(...other))).toBe(299)
  })
})

it('X-RateLimit-Reset may be configured as seconds that are left, and the window has the configured length', async () => {
  const { headers } = await via('192.0.2.77')
  expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThanOrEqual(1)
  expect(Number(headers['x-ratelimit-reset'])).toBeLessThanOrEqual(30)
  expect(headers['ratelimit-policy']).toBe('"other";q=300;w=30')
})

it('a partner may have a limit of its own', async () => {
  const caller = callerFor(gateway, slow)
  const answers = [await get(caller, '/portal/usage'), await get(caller, '/portal/usage')]
  expect(answers.map(left)).toEqual([1, 0])
  expectProblem(await get(caller, '/portal/usage'), 'RATE_LIMITED')
  expect(answers[0]?.headers['x-ratelimit-limit']).toBe('2')
})
