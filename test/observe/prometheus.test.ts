import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { BOARDS } from '../../scripts/dashboards/boards.ts'
import { WAIT_MS } from '../support/effort.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { type Caller, callerFor, exchange, get, post, send, transmit } from '../support/http.ts'
import { partner, partners } from '../support/partners.ts'
import { type Prometheus, promtool, type Rule, startPrometheus } from '../support/prometheus.ts'

const tight = partner('tight', {
  rateLimits: { 'payments.fund': 30 },
  caps: [
    { product: 'payments.fund', period: 'day', unit: 'amount', limit: 100_000 },
    { product: 'kyc', period: 'day', unit: 'calls', limit: 10 },
  ],
})

/** What the load sends, and what has to come out. */
const LOAD = { payments: 12, failed: 3, replays: 4, invalid: 5, tooMuch: 2, limited: 10, reads: 40, kyc: 3 }
const FUND_REQUESTS = LOAD.payments + LOAD.failed + LOAD.replays + LOAD.invalid + LOAD.tooMuch + LOAD.limited

let gateway: Gateway
let prometheus: Prometheus
let caller: Caller

beforeAll(async () => {
  const recording = { directory: temporaryDirectory('recordings') }
  gateway = await startGateway({ partners: [tight, ...partners(3)], clock: 'system', config: { recording } })
  prometheus = await startPrometheus(gateway.operatorUrl)
  caller = callerFor(gateway, tight)
  await send(caller, 'GET', '/v1/accounts', undefined)
  await record()
  // Rates see what happens between two scrapes.
  await scraped('sandgate_partner_answers_total{partner="tight"}')
  await load()
  // The last request of the load.
  await scraped('sandgate_requests_total{operation="none", code="NOT_FOUND"} == 1')
  await scraped('job_partner_product:sandgate_cap_used:ratio{partner="tight", product="payments.fund"} > 0')
})
afterAll(() => prometheus.stop())

async function record(): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const to = { ...gateway, url: gateway.operatorUrl }
  expect((await transmit(to, 'POST', '/recordings', Buffer.from('{"name":"load"}'), headers)).status).toBe(
    201,
  )
}

async function scraped(expr: string): Promise<void> {
  await vi.waitFor(async () => expect(await prometheus.query(expr)).not.toEqual([]), {
    timeout: WAIT_MS,
    interval: 200,
  })
}

async function load(): Promise<void> {
  const key = randomUUID()
  const pay = (amount: unknown, fixed?: string) =>
    post(caller, '/v1/payments/fund', { amount }, { key: fixed ?? randomUUID() })
  await pay(1077, key)
  for (let n = 0; n < LOAD.replays; n++) await pay(1077, key)
  for (let n = 1; n < LOAD.payments; n++) await pay(1077)
  for (let n = 0; n < LOAD.failed; n++) await pay(1000)
  for (let n = 0; n < LOAD.invalid; n++) await pay('much')
  for (let n = 0; n < LOAD.tooMuch; n++) await pay(99_977)
  for (let n = FUND_REQUESTS - LOAD.limited; n < 30; n++) await pay(-1)
  for (let n = 0; n < LOAD.limited; n++) await pay(77)
  await Promise.all(Array.from({ length: LOAD.reads }, () => get(caller, '/v1/credit/simulate?amount=50011')))
  for (let n = 0; n < LOAD.kyc; n++) await post(caller, '/v1/kyc/submit', { phone: '+225000000009' })
  await exchange(caller, { client_id: 'key_nobody', client_secret: 'sk_sandbox_wrong' })
  await get(caller, '/v1/nothing')
}

/** As Grafana would fill it in. */
function filledIn(expr: string): string {
  return expr
    .replaceAll('$__rate_interval', '30s')
    .replaceAll('$instance', '.*')
    .replaceAll('$partner', 'tight')
}

async function value(expr: string): Promise<number> {
  const samples = await prometheus.query(expr)
  return samples.reduce((sum, each) => sum + each.value, 0)
}

describe('every panel', () => {
  const panels = BOARDS.flatMap(({ title: board, rows }) =>
    rows.flatMap((row) => row.panels.map((panel) => ({ board, ...panel }))),
  )

  it.each(panels)('of $board: $title', async ({ queries }) => {
    for (const { expr, mayBeEmpty } of queries) {
      const samples = await prometheus.query(filledIn(expr))
      if (mayBeEmpty === undefined) expect(samples, expr).not.toEqual([])
    }
  })
})

describe('every rule', () => {
  it('is evaluated without an error, and each recording rule gives series', async () => {
    const rules = await vi.waitFor(
      async () => {
        const all = await prometheus.rules()
        for (const { name, health } of all) expect(health, name).not.toBe('unknown')
        return all
      },
      { timeout: WAIT_MS, interval: 500 },
    )
    expect(rules.filter(({ health, lastError }) => health !== 'ok' || lastError)).toEqual([])
    for (const { name } of rules.filter(({ type }) => type === 'recording')) await scraped(name)
  })

  it('that alerts asks for series that are there, and none fires', async () => {
    const alerts = (await prometheus.rules()).filter(({ type }) => type === 'alerting')
    expect(alerts.length).toBeGreaterThan(15)
    for (const { name, query } of alerts) {
      for (const metric of metricsIn(query)) expect(await prometheus.query(metric), name).not.toEqual([])
    }
    expect(alerts.filter(({ state }) => state === 'firing').map(({ name }: Rule) => name)).toEqual([])
  })

  function metricsIn(query: string): string[] {
    const found = query.match(/\b(?:up|nodejs_\w+|sandgate_\w+|\w+:sandgate_\w+:\w+)\b/g) ?? []
    return [...new Set(found)].filter((name) => !found.some((other) => other.includes(`:${name}:`)))
  }
})

describe('the numbers are those that the load has sent', () => {
  const fund = 'operation="payments.fund"'
  const invalid = LOAD.invalid + (30 - (FUND_REQUESTS - LOAD.limited))

  it.each([
    [`sandgate_requests_total{${fund}}`, 30 + LOAD.limited],
    [`sandgate_requests_total{${fund}, status="200"}`, LOAD.payments + LOAD.failed + LOAD.replays],
    [`sandgate_requests_total{${fund}, code="VALIDATION_FAILED"}`, invalid],
    [`sandgate_requests_total{${fund}, code="PARTNER_LIMIT_EXCEEDED"}`, LOAD.tooMuch],
    [`sandgate_requests_total{${fund}, code="RATE_LIMITED", status="429"}`, LOAD.limited],
    ['sandgate_requests_total{operation="none", code="NOT_FOUND"}', 1],
    [`sandgate_gateway_duration_seconds_count{${fund}}`, 30 + LOAD.limited],
    [`sandgate_decision_duration_seconds_count{${fund}}`, LOAD.payments + LOAD.failed],
    [`sandgate_decisions_total{${fund}, outcome="success", rule="payment-amount-77"}`, LOAD.payments],
    [`sandgate_decisions_total{${fund}, outcome="failed", rule="payment-amount-00"}`, LOAD.failed],
    ['sandgate_decisions_total{operation="credit.simulate", outcome="approved"}', LOAD.reads],
    ['sandgate_idempotency_total{outcome="new"}', LOAD.payments + LOAD.failed + LOAD.kyc],
    ['sandgate_idempotency_total{outcome="replayed"}', LOAD.replays],
    ['sandgate_token_exchanges_total{code="none"}', 1],
    ['sandgate_token_exchanges_total{code="INVALID_CLIENT"}', 1],
    ['sandgate_partner_rate_limited_total{partner="tight"}', LOAD.limited],
    ['sandgate_partner_decisions_total{partner="tight", outcome="success"}', LOAD.payments],
    ['sandgate_partner_decisions_total{partner="tight", outcome="rejected"}', LOAD.kyc],
    ['sandgate_partner_cap_refusals_total{partner="tight", product="payments.fund"}', LOAD.tooMuch],
    ['sandgate_partner_cap_used_xof{partner="tight", product="payments.fund"}', LOAD.payments * 1077],
    ['sandgate_partner_cap_limit_xof{partner="tight", product="payments.fund"}', 100_000],
    ['sandgate_partner_cap_used_calls{partner="tight", product="kyc"}', LOAD.kyc],
    ['sandgate_partner_answers_total{partner!="tight"}', 0],
    ['sandgate_cap_overshoots_total', 0],
    ['sandgate_double_executions_total', 0],
    ['sandgate_configuration_generation', 1],
  ])('%s', async (series, expected) => {
    expect(await value(series)).toBe(expected)
  })

  it('and those of the portal', async () => {
    const history = await vi.waitFor(
      async () => {
        const { json } = await get(caller, '/portal/usage?history=hours')
        const all = json.history as { operation: string; requests: number; rateLimited: number }[]
        expect(all.find(({ operation }) => operation === 'kyc.submit')?.requests).toBe(LOAD.kyc)
        return json.history
      },
      { timeout: WAIT_MS, interval: 200 },
    )
    const ofFund = history.filter(({ operation }: { operation: string }) => operation === 'payments.fund')
    const total = (key: string) =>
      ofFund.reduce((sum: number, each: Record<string, number>) => sum + (each[key] ?? 0), 0)
    expect(total('requests')).toBe(await value(`sandgate_requests_total{${fund}}`))
    expect(total('rateLimited')).toBe(await value('sandgate_partner_rate_limited_total{partner="tight"}'))
    const [{ refusals, decisions }] = ofFund
    expect(refusals).toEqual({ VALIDATION_FAILED: invalid, PARTNER_LIMIT_EXCEEDED: LOAD.tooMuch })
    expect(decisions).toEqual({ success: LOAD.payments, failed: LOAD.failed })
  })
})

describe('the text of the metrics', () => {
  it('is one that promtool has nothing to say against', async () => {
    const text = await (await fetch(`${gateway.operatorUrl}/metrics`)).text()
    expect(promtool(['check', 'metrics'], text)).toBe('')
  })

  it('has no address, key, path, token or name that a client made up', async () => {
    await post(caller, '/v1/payments/fund', { amount: 77 }, { headers: { 'x-sandbox-outcome': 'made-up' } })
    const text = await (await fetch(`${gateway.operatorUrl}/metrics`)).text()
    for (const secret of [
      tight.secret,
      tight.keyId,
      tight.tenant,
      'key_nobody',
      '127.0.0.1',
      '/v1/',
      'made-up',
    ])
      expect(text).not.toContain(secret)
  })
})
