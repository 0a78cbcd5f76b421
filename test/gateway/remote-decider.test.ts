import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import type { Attempt, Decider, Decision } from '../../src/decisions/decide.ts'
import { refuse } from '../../src/errors/refusal.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { type RunningGateway, startGateway } from '../../src/start/gateway.ts'
import { overrides } from '../support/overrides.ts'
import { DEMO_CLIENT } from '../support/partners.ts'
import { keepSigningKey } from '../support/signing-key.ts'

const PAYMENT = JSON.stringify({ amount: 5077, phone: '+2250712345678' })

const running = new Set<RunningGateway>()
const directories: string[] = []

afterEach(async () => {
  await Promise.all([...running].map((gateway) => gateway.close()))
  running.clear()
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

function dataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sandgate-decider-'))
  directories.push(directory)
  return join(directory, 'data')
}

type Step = Decision | Error | Promise<Decision>

/** Decides what the test says, in that order, and remembers what it was told of each attempt. */
function stub(effect: Decider['effect'], steps: Step[]) {
  const attempts: boolean[] = []
  const decider: Decider = {
    effect,
    decide: (_call, { takeover }: Attempt) => {
      attempts.push(takeover)
      const step = steps.shift()
      if (step === undefined) throw new Error('nobody has said what to decide')
      if (step instanceof Error) throw step
      return step
    },
  }
  return { decider, attempts }
}

/** With a signing key, which takes long to make. */
function freshDataDirectory(): string {
  const path = dataDirectory()
  keepSigningKey(path)
  return path
}

async function start(decider: Decider, path = freshDataDirectory(), leaseSeconds = 30) {
  const flags = overrides({
    'listen.port': 0,
    'operator.port': 0,
    'store.path': path,
    'server.drainMs': 100,
    'idempotency.leaseSeconds': leaseSeconds,
  })
  const loaded = loadConfig({ file: null, flags })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors))
  const logger = createLogger({ requests: false, format: 'off' })
  const gateway = await startGateway({ config: loaded.config, logger, decider })
  running.add(gateway)
  const token = await fetch(`${gateway.partnerUrl}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams(DEMO_CLIENT),
  })
  const { access_token } = (await token.json()) as { access_token: string }
  const authorization = `Bearer ${access_token}`
  return {
    path,
    metrics: async () => (await fetch(`${gateway.operatorUrl}/metrics`)).text(),
    pay: async (key: string) => {
      const response = await fetch(`${gateway.partnerUrl}/v1/payments/fund`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': key },
        body: PAYMENT,
      })
      const body = (await response.json()) as { code?: string; paymentId?: string }
      return {
        status: response.status,
        code: body.code,
        paymentId: body.paymentId,
        replayed: response.headers.get('idempotency-replayed') === 'true',
      }
    },
  }
}

/** How much of the day's cap of payments is used and reserved: what the store says, whoever decides. */
async function spent(path: string): Promise<{ used: number; reserved: number }> {
  const { openEmbeddedStore } = await import('../../src/store/embedded.ts')
  const store = await openEmbeddedStore({ path: copyOf(path) })
  const cap = { product: 'payments.fund', period: 'day', unit: 'amount', limit: 50_000_000 } as const
  const [usage] = await store.usage('demo', [cap], Date.now())
  await store.close()
  return { used: usage?.used ?? -1, reserved: usage?.reserved ?? -1 }
}

/** The directory as a crash at this moment would leave it. */
function copyOf(path: string): string {
  const copy = dataDirectory()
  cpSync(path, copy, { recursive: true, filter: (file) => !file.endsWith('.sock') })
  return copy
}

const done: Decision = {
  kind: 'done',
  answer: {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ paymentId: 'pay_of_the_upstream', outcome: 'success', code: null }),
  },
  records: [],
  counts: true,
}
const declined: Decision = { kind: 'refused', refusal: refuse('ACCOUNT_NOT_FOUND', 'None.'), stored: true }
const unavailable: Decision = {
  kind: 'refused',
  refusal: refuse('UPSTREAM_UNAVAILABLE', 'Nothing was sent.'),
  stored: false,
}
const timedOut: Decision = { kind: 'unknown', refusal: refuse('UPSTREAM_TIMEOUT', 'No answer in time.') }

describe('a remote decision', () => {
  it('that is made is stored under its key, commits its cap, and is never asked for again', async () => {
    const { decider, attempts } = stub('remote', [done])
    const { pay, path } = await start(decider)
    const key = randomUUID()
    expect(await pay(key)).toMatchObject({ status: 200, paymentId: 'pay_of_the_upstream', replayed: false })
    expect(await pay(key)).toMatchObject({ status: 200, paymentId: 'pay_of_the_upstream', replayed: true })
    expect(attempts).toEqual([false])
    expect(await spent(path)).toEqual({ used: 5077, reserved: 0 })
  })

  it('that refuses is stored like any other, and releases its cap', async () => {
    const { decider, attempts } = stub('remote', [declined])
    const { pay, path } = await start(decider)
    const key = randomUUID()
    expect(await pay(key)).toMatchObject({ status: 404, code: 'ACCOUNT_NOT_FOUND', replayed: false })
    expect(await pay(key)).toMatchObject({ status: 404, code: 'ACCOUNT_NOT_FOUND', replayed: true })
    expect(attempts).toEqual([false])
    expect(await spent(path)).toEqual({ used: 0, reserved: 0 })
  })

  it('before which nothing was sent frees its key and its cap', async () => {
    const { decider, attempts } = stub('remote', [unavailable, done])
    const { pay, path } = await start(decider)
    const key = randomUUID()
    expect(await pay(key)).toMatchObject({ status: 502, code: 'UPSTREAM_UNAVAILABLE' })
    expect(await spent(path)).toEqual({ used: 0, reserved: 0 })
    expect(await pay(key)).toMatchObject({ status: 200, replayed: false })
    expect(attempts).toEqual([false, false])
  })

  it('whose outcome is unknown keeps its key and its cap, and the next attempt is told so', async () => {
    const { decider, attempts } = stub('remote', [timedOut, done])
    const { pay, path } = await start(decider)
    const key = randomUUID()
    expect(await pay(key)).toMatchObject({ status: 504, code: 'UPSTREAM_TIMEOUT' })
    expect(await spent(path)).toEqual({ used: 0, reserved: 5077 })
    expect(await pay(key)).toMatchObject({ status: 200, paymentId: 'pay_of_the_upstream', replayed: false })
    expect(attempts).toEqual([false, true])
    expect(await spent(path)).toEqual({ used: 5077, reserved: 0 })
  })

  it('that throws has an unknown outcome, and its client is told so', async () => {
    const { decider, attempts } = stub('remote', [new Error('connection lost'), done])
    const { pay, path } = await start(decider)
    const key = randomUUID()
    expect(await pay(key)).toMatchObject({ status: 502, code: 'UPSTREAM_INDETERMINATE' })
    expect(await spent(path)).toEqual({ used: 0, reserved: 5077 })
    expect(await pay(key)).toMatchObject({ status: 200, replayed: false })
    expect(attempts).toEqual([false, true])
  })

  it.each([
    ['nothing was sent this time', unavailable, 'UPSTREAM_UNAVAILABLE'],
    ['it is unknown once more', timedOut, 'UPSTREAM_TIMEOUT'],
    ['the decider throws', new Error('connection lost'), 'UPSTREAM_INDETERMINATE'],
  ])('stays unknown at a take-over in which %s', async (_, step, code) => {
    const { decider, attempts } = stub('remote', [timedOut, step, done])
    const { pay, path } = await start(decider)
    const key = randomUUID()
    await pay(key)
    expect(await pay(key)).toMatchObject({ code })
    expect(await spent(path)).toEqual({ used: 0, reserved: 5077 })
    expect(await pay(key)).toMatchObject({ status: 200 })
    expect(attempts).toEqual([false, true, true])
    expect(await spent(path)).toEqual({ used: 5077, reserved: 0 })
  })

  it('that a take-over learns to be a refusal ends the reservation', async () => {
    const { decider } = stub('remote', [timedOut, declined])
    const { pay, path } = await start(decider)
    const key = randomUUID()
    await pay(key)
    expect(await pay(key)).toMatchObject({ status: 404, code: 'ACCOUNT_NOT_FOUND' })
    expect(await spent(path)).toEqual({ used: 0, reserved: 0 })
  })

  it('in the middle of which the gateway dies is unknown after the restart', async () => {
    const never = new Promise<Decision>(() => {})
    const first = stub('remote', [never])
    const { pay, path } = await start(first.decider)
    const key = randomUUID()
    void pay(key).catch(() => {})
    while (first.attempts.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const second = stub('remote', [done])
    const restarted = await start(second.decider, copyOf(path))
    expect(await restarted.pay(key)).toMatchObject({ status: 200, replayed: false })
    expect(second.attempts).toEqual([true])
  })

  it('refuses a second attempt while the first one runs', async () => {
    let decide: (decision: Decision) => void = () => {}
    const { decider, attempts } = stub('remote', [new Promise<Decision>((resolve) => (decide = resolve))])
    const { pay } = await start(decider)
    const key = randomUUID()
    const first = pay(key)
    while (attempts.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await pay(key)).toMatchObject({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' })
    decide(done)
    expect(await first).toMatchObject({ status: 200 })
  })

  it('that acted after it had lost its key is a double execution, which the metrics count', async () => {
    let decide: (decision: Decision) => void = () => {}
    const late = new Promise<Decision>((resolve) => (decide = resolve))
    const { decider, attempts } = stub('remote', [late, done])
    const { pay, metrics } = await start(decider, freshDataDirectory(), 1)
    const key = randomUUID()
    const first = pay(key)
    while (attempts.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await metrics()).toContain('\nsandgate_double_executions_total 0\n')
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect(await pay(key)).toMatchObject({ status: 200, replayed: false })
    decide(done)
    expect(await first).toMatchObject({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' })
    const text = await metrics()
    expect(text).toContain('\nsandgate_double_executions_total 1\n')
    expect(text).toContain('\nsandgate_idempotency_total{outcome="unknown"} 1\n')
  })
})

describe('a local decision', () => {
  it('that throws has not happened: its key is free, and the fault is the gateway’s', async () => {
    const { decider, attempts } = stub('local', [new Error('a fault'), done])
    const { pay, path } = await start(decider)
    const key = randomUUID()
    expect(await pay(key)).toMatchObject({ status: 500, code: 'INTERNAL' })
    expect(await spent(path)).toEqual({ used: 0, reserved: 0 })
    expect(await pay(key)).toMatchObject({ status: 200, replayed: false })
    expect(attempts).toEqual([false, false])
  })
})
