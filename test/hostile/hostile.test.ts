import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOSTILE_REQUESTS as REQUESTS, HOSTILE_SEED as SEED, WAIT_MS } from '../support/effort.ts'
import { startGateway } from '../support/gateway.ts'
import { type Caller, get, post, token } from '../support/http.ts'
import { partner } from '../support/partners.ts'
import { CANARY, CANARY_PHONE, type Known, type Shot, SIGNING_SECRET, shot, wire } from './shots.ts'
import { HUSH } from './values.ts'
import { createVerdict } from './verdict.ts'
import { createThrower, type Impact } from './volley.ts'

const VOLLEY = 80
/** So many meet the limits by default: a thousand use up what there is for a minute, and the rest are refused. */
const LIMITED = Math.max(1500, Math.round(REQUESTS * 0.1))
const RAISED = Math.max(VOLLEY, REQUESTS - LIMITED)
const LANES = 8
const UNLIMITED = Object.fromEntries(
  [
    'token',
    'accounts.open',
    'kyc.submit',
    'payments.fund',
    'payments.cashout',
    'credit.simulate',
    'credit.apply',
    'other',
  ].map((group) => [group, 1_000_000_000]),
)
const A = partner('canary-a')
const B = partner('plain-b')

/** Raised limits, so that 429 does not hide everything else; or none of it, for a share of the requests. */
async function start(raised: boolean) {
  const limits = { rateLimits: { groups: UNLIMITED }, caps: [], tokens: { failuresPerIp: 1_000_000 } }
  const config = {
    store: { engine: 'memory' },
    server: { headersTimeoutMs: 2000, requestTimeoutMs: 4000, keepAliveTimeoutMs: 60_000 },
    ...(raised && limits),
  }
  const gateway = await startGateway({ partners: [A, B], config })
  const a: Caller = { gateway, partner: A, from: '127.0.0.9' }
  const b: Caller = { gateway, partner: B, from: '127.0.0.10' }
  const customer = { customerRef: CANARY, phone: CANARY_PHONE, firstName: CANARY, lastName: CANARY }
  const account = await post(a, '/v1/accounts/open', { ...customer, metadata: { note: CANARY } })
  const hook = { url: `https://${CANARY}.example/hook`, events: ['*'], signingSecret: SIGNING_SECRET }
  const webhook = await post(a, '/v1/webhooks', hook)
  const session = await post(a, '/v1/kyc/widget/session', { customerRef: CANARY, phone: CANARY_PHONE })
  const known: Known = {
    host: new URL(gateway.url).host,
    tokens: { a: await token(a), b: await token(b) },
    accountOfA: account.json.accountId,
    webhookOfA: webhook.json.webhookId,
    sessionOfA: session.json.sessionId,
  }
  return { gateway, a, b, known }
}

/** Throws `requests` generated requests, in volleys, and judges every answer. */
async function bombard(raised: boolean, requests: number): Promise<void> {
  const { gateway, a, b, known } = await start(raised)
  const thrower = createThrower(Number(new URL(gateway.url).port), LANES, WAIT_MS)
  const verdict = createVerdict(known)
  const statuses = new Map<number, number>()
  let thrown = 0
  let unanswered = 0
  const startedAt = performance.now()
  const volley = async (shots: readonly Shot[]): Promise<void> => {
    const missiles = shots.map((each) => ({
      bytes: wire(each, known),
      method: each.method,
      alone: each.alone,
    }))
    const impacts = await thrower.throw(missiles)
    thrown += shots.length
    const faults = impacts.flatMap((impact: Impact, i) => {
      const each = shots[i]
      for (const { status } of impact.answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (each && !each.alone && impact.answers.length === 0) unanswered++
      return each
        ? verdict
            .judge(each, impact)
            .map((fault) => `${fault}\n  ${missiles[i]?.bytes.toString('latin1').slice(0, 600)}`)
        : []
    })
    expect(faults.slice(0, 5)).toEqual([])
  }
  await fc.assert(
    fc.asyncProperty(fc.array(shot, { minLength: VOLLEY, maxLength: VOLLEY, size: 'max' }), volley),
    {
      seed: SEED,
      numRuns: Math.ceil(requests / VOLLEY),
      // A failure names its request; to shrink it would throw thousands more, and to print it all helps nobody.
      endOnFailure: true,
      reporter: ({ failed, errorInstance }) => {
        if (failed) throw new Error(`seed ${SEED}`, { cause: errorInstance })
      },
    },
  )
  thrower.close()

  const seconds = (performance.now() - startedAt) / 1000
  const tally = [...statuses]
    .sort(([one], [two]) => one - two)
    .map(([status, count]) => `${status}: ${count}`)
  console.log(
    `seed ${SEED}: ${thrown} requests in ${seconds.toFixed(1)} s, ${unanswered} behind a closed connection; ${tally.join(', ')}`,
  )
  expect(thrown).toBeGreaterThanOrEqual(requests)
  // Connections are closed behind some answers, with pipelined requests behind them; that is the exception.
  expect(unanswered / thrown).toBeLessThan(0.05)
  for (const status of [200, 201, 400, 401, 404, 405, 415])
    if (raised) expect(statuses.get(status) ?? 0).toBeGreaterThan(0)
  if (!raised) expect(statuses.get(429) ?? 0).toBeGreaterThan(requests / 10)

  // Healthy at the end: alive, ready, small, and at work.
  const live = await fetch(`${gateway.operatorUrl}/readyz`)
  expect(live.status).toBe(200)
  await gateway.advance(61)
  expect((await get(b, '/v1/accounts')).status).toBe(200)
  const account = await get(a, `/v1/accounts/${known.accountOfA}`)
  expect(account.json).toMatchObject({ firstName: CANARY, phone: CANARY_PHONE })
  const metrics = await (await fetch(`${gateway.operatorUrl}/metrics`)).text()
  for (const text of [...verdict.secrets, ...verdict.personal, HUSH]) expect(metrics).not.toContain(text)
  const rssMb =
    Number(/VmRSS:\s+([0-9]+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) / 1024
  expect(rssMb).toBeLessThan(700)
  const exit = await gateway.stop()
  expect(exit).toEqual({ code: 0, signal: null })
  // Nothing of what was sent is in the log, and nothing went wrong that nobody expected.
  const log = gateway.logs()
  expect(log.split('\n').length).toBeGreaterThan(thrown * 0.9)
  for (const text of [...verdict.secrets, ...verdict.personal, HUSH]) expect(log).not.toContain(text)
  expect(log).not.toMatch(/unhandled|uncaught|"level":"error"|Warning:/i)
}

describe(`hostile requests (SANDGATE_HOSTILE_SEED=${SEED})`, () => {
  it('are each answered in order, never with a fault, a secret or what is another tenant’s', () =>
    bombard(true, RAISED))
  it('meet the same under the limits that a gateway has by default', () => bombard(false, LIMITED))
})
