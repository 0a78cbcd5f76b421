import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { stringify } from 'yaml'
import { runHere } from '../support/command-line.ts'
import { WAIT_MS } from '../support/effort.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { callerFor, get, post, transmit } from '../support/http.ts'
import { partner, partnerConfig } from '../support/partners.ts'

const busy = partner('busy', {
  rateLimits: { 'payments.fund': 3 },
  caps: [{ product: 'payments.fund', period: 'day', unit: 'amount', limit: 10_000 }],
})
const idle = partner('idle')

let gateway: Gateway
let config = ''
beforeAll(async () => {
  gateway = await startGateway({ partners: [busy, idle], runs: 'here' })
  config = configOf([busy, idle], gateway.operatorUrl)
  const caller = callerFor(gateway, busy)
  await post(caller, '/v1/payments/fund', { amount: 5077 })
  await post(caller, '/v1/payments/fund', { amount: 9977 })
  for (let n = 0; n < 3; n++) await post(caller, '/v1/payments/fund', { amount: 77 })
  await vi.waitFor(
    async () => {
      const { history } = (await get(caller, '/portal/usage?history=hours')).json
      const fund = history.find(({ operation }: { operation: string }) => operation === 'payments.fund')
      expect(fund?.requests).toBe(5)
    },
    { timeout: WAIT_MS, interval: 100 },
  )
})

/** What the operator's machine has: the configuration names the listener. */
function configOf(partners: readonly (typeof busy)[], operatorUrl: string): string {
  const file = join(temporaryDirectory('usage'), 'sandgate.yaml')
  const { hostname: host, port } = new URL(operatorUrl)
  writeFileSync(
    file,
    stringify({ operator: { host, port: Number(port) }, partners: partners.map(partnerConfig) }),
  )
  return file
}

const usage = (...args: string[]) => runHere(['usage', ...args])

describe('sandgate usage', () => {
  it('shows caps, windows, history and refusals of a partner', async () => {
    const { out, code } = await usage('--config', config, '--partner', 'busy')
    expect(code).toBe(0)
    expect(out).toMatch(/^busy, tn_sandbox_busy, \S+Z\n/)
    expect(out).toMatch(/payments\.fund +day +##########---------- +51 % +5 154 +10 000 XOF +0 +4 846 +in /)
    expect(out).toMatch(/payments\.fund +#{20} +100 % +3 +3 +0 +in \d+ s/)
    expect(out).toMatch(/payments\.fund +5 +2 +success 2 +PARTNER_LIMIT_EXCEEDED 1\n/)
    expect(out).toMatch(/429 +RATE_LIMITED +payments\.fund +req_/)
    expect(out).toMatch(/400 +PARTNER_LIMIT_EXCEEDED +payments\.fund +req_/)
  })

  it('says the same as the portal of the partner', async () => {
    const { json } = await get(callerFor(gateway, busy), '/portal/usage?history=days')
    const { out } = await usage('--config', config, '--partner', 'busy', '--history', 'days', '--json')
    const shown = JSON.parse(out)
    expect(shown.caps).toEqual(json.caps)
    const fund = (history: { operation: string }[]) =>
      history.find(({ operation }) => operation === 'payments.fund')
    expect(fund(shown.history)).toEqual(fund(json.history))
    expect(shown.refusals).toHaveLength(3)
  })

  it('shows a partner that has done nothing', async () => {
    const { out, code } = await usage('--config', config, '--partner', 'idle')
    expect(code).toBe(0)
    expect(out).toContain('RECENT REFUSALS\nnone\n')
    expect(out).toContain('LAST 48 HOURS\nnone\n')
  })

  it('needs no name where there is one partner', async () => {
    const alone = configOf([busy], gateway.operatorUrl)
    expect((await usage('--config', alone)).out).toMatch(/^busy, /)
  })

  it('shows of several partners how each of them stands, those in trouble first', async () => {
    const { out, code } = await usage('--config', config)
    expect(code).toBe(0)
    const lines = out.split('\n')
    expect(lines[2]).toMatch(/^partner +requests +429 +refused +tightest cap$/)
    expect(lines[3]).toMatch(/^busy +\d+ +2 +1 +payments\.fund 51 %$/)
    expect(lines[4]).toMatch(/^idle +\d+ +0 +0 +\w+ 0 %$/)
  })

  it.each([
    [['--partner', 'nobody'], 1, 'answered 404: There is no such partner.'],
    [['--partner', '../metrics'], 1, 'answered 404: There is no such partner.'],
    [['--partner', 'busy', '--history', 'weeks'], 2, '--history is hours or days, not weeks'],
    [
      ['--partner', 'busy', '--operator', 'http://127.0.0.1:18997'],
      1,
      'nothing answers at http://127.0.0.1:18997',
    ],
  ])('%j is told what is wrong', async (options, code, message) => {
    const found = await usage('--config', config, ...options)
    expect(found.err).toContain(message)
    expect(found.code).toBe(code)
  })

  it('is the operator’s alone: nothing of it is on the partner listener', async () => {
    expect((await get(gateway, '/usage/busy')).status).toBe(404)
    const on = { ...gateway, url: gateway.operatorUrl }
    expect((await transmit(on, 'GET', '/usage/busy?history=weeks', null)).status).toBe(400)
    expect((await transmit(on, 'GET', '/usage/busy', null, { origin: 'http://evil.example' })).status).toBe(
      403,
    )
  })
})
