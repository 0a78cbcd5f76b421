import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { Agent, request } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { EFFORT, FAULTY_PAYMENTS } from '../support/effort.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { get, token } from '../support/http.ts'
import { answer, endScripted, type Received, scripted } from './scripted.ts'

afterEach(endScripted)

const CLIENTS = 96
const KILLS = EFFORT === 'soak' ? 4 : 2
const UNLIMITED = 1_000_000_000

/** Nothing has been executed. */
const BEFORE: readonly ((socket: Socket) => void)[] = [
  (socket) => socket.write(answer(429, '', ['Retry-After: 1'])),
  (socket) => socket.write(answer(425)),
  (socket) => socket.write(answer(401)),
  (socket) => socket.write(answer(403)),
]
/** It has, and the answer does not arrive. */
const AFTER: readonly ((socket: Socket, bytes: Buffer) => void)[] = [
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.end(),
  () => {},
  (socket, bytes) => socket.end(bytes.subarray(0, bytes.length - 5)),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'),
  (socket) => socket.end('nonsense\r\n\r\n'),
  (socket) => socket.write(answer(500)),
  (socket) => socket.write(answer(504)),
  (socket) => socket.write(answer(302, '', ['Location: /'])),
  (socket, bytes) => void setTimeout(() => socket.write(bytes), 500),
]

const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

type Execution = {
  readonly paymentId: string
  readonly amount: number
  readonly isSuccess: boolean
  times: number
}

/** A sandbox that misbehaves until it is told to be well. `isIdempotent`: it executes once per key. */
async function misbehaving(isIdempotent: boolean) {
  const executions = new Map<string, Execution>()
  let isWell = false
  const execute = ({ header, body }: Received): Execution => {
    const key = header('idempotency-key')[0] ?? ''
    const known = executions.get(key)
    if (known && isIdempotent) return known
    const { amount } = JSON.parse(body) as { amount: number }
    const isSuccess = amount % 100 !== 0
    const execution = known ?? { paymentId: `pay_${executions.size}`, amount, isSuccess, times: 0 }
    execution.times += 1
    executions.set(key, execution)
    return execution
  }
  const server = await scripted((socket, received) => {
    const chance = isWell ? 1 : Math.random()
    if (chance < 0.08) return any(BEFORE)(socket)
    const { paymentId, isSuccess } = execute(received)
    const outcome = isSuccess
      ? { outcome: 'success', code: null }
      : { outcome: 'failed', code: 'PAYMENT_FAILED' }
    const bytes = answer(200, JSON.stringify({ paymentId, ...outcome }))
    if (chance < 0.3) any(AFTER)(socket, bytes)
    else socket.write(bytes)
  })
  const recover = () => {
    isWell = true
  }
  return { url: server.url, executions, recover }
}

async function start(url: string, idempotency: 'key' | 'none', dataDir?: string): Promise<Gateway> {
  return startGateway({
    clock: 'system',
    ...(dataDir !== undefined && { dataDir }),
    config: {
      log: { format: 'off', requests: false },
      decisions: { from: 'upstream' },
      upstream: {
        ...{ url, idempotency, timeoutMs: 300, connectTimeoutMs: 1000 },
        breaker: { openSeconds: 1 },
      },
      rateLimits: { groups: { 'payments.fund': UNLIMITED, other: UNLIMITED, token: UNLIMITED } },
      caps: [{ product: 'payments.fund', period: 'day', unit: 'amount', limit: UNLIMITED * 1000 }],
    },
  })
}

type Told = { readonly status: number; readonly code?: string; readonly paymentId?: string }

/** One gateway after another on the same directory, each killed in the middle of its work. */
async function livesOf(url: string, idempotency: 'key' | 'none') {
  let gateway = await start(url, idempotency)
  let bearer = await token(gateway)
  const agent = new Agent({ connections: CLIENTS })
  const killAndStart = async () => {
    await gateway.kill()
    gateway = await start(url, idempotency, gateway.dataDir)
    bearer = await token(gateway)
  }
  let isUp = Promise.resolve()
  return {
    killAndStart: () => {
      isUp = killAndStart()
      return isUp
    },
    pay: async (key: string, amount: number): Promise<Told | undefined> => {
      // What a kill cuts off is lost; what would be sent to nobody is spared, or most were.
      await isUp
      try {
        const response = await request(`${gateway.url}/v1/payments/fund`, {
          ...{ method: 'POST', dispatcher: agent, body: JSON.stringify({ amount }) },
          headers: {
            authorization: `Bearer ${bearer}`,
            'content-type': 'application/json',
            'idempotency-key': key,
          },
        })
        const { code, paymentId } = (await response.body.json()) as { code?: string; paymentId?: string }
        return {
          status: response.statusCode,
          ...(typeof code === 'string' && { code }),
          ...(paymentId !== undefined && { paymentId }),
        }
      } catch {
        return undefined
      }
    },
    usage: async () => {
      const { caps } = (await get(gateway, '/portal/usage')).json as {
        caps: { product: string; used: number; reserved: number }[]
      }
      return caps.find(({ product }) => product === 'payments.fund')
    },
    end: async () => {
      await agent.destroy()
      await gateway.stop()
    },
  }
}

const allAtOnce = (client: () => Promise<void>) => Promise.all(Array.from({ length: CLIENTS }, client))

async function run(isIdempotent: boolean, payments: number) {
  const upstream = await misbehaving(isIdempotent)
  const lives = await livesOf(upstream.url, isIdempotent ? 'key' : 'none')
  const wanted = Array.from({ length: payments }, (_, n) => ({
    key: randomUUID(),
    // Every fifth one fails, which moves no money.
    amount: n % 5 === 0 ? 500 : 577,
    ids: new Set<string>(),
    told: [] as (number | string | undefined)[],
  }))
  const queue = [...wanted]
  const attempt = async (payment: (typeof wanted)[number]): Promise<boolean> => {
    const told = await lives.pay(payment.key, payment.amount)
    payment.told.push(told?.code ?? told?.status)
    if (told?.paymentId !== undefined) payment.ids.add(told.paymentId)
    return told?.status === 200
  }
  const client = async () => {
    for (let payment = queue.shift(); payment; payment = queue.shift()) {
      for (let tries = 0; tries < 4 && !(await attempt(payment)); tries++) {
        await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 300))
      }
      // A client that has its answer may ask for it again.
      if (Math.random() < 0.1) await attempt(payment)
    }
  }
  const clients = allAtOnce(client)
  for (let kill = 1; kill <= KILLS; kill++) {
    while (queue.length > (payments * (KILLS - kill)) / KILLS)
      await new Promise((resolve) => setTimeout(resolve, 20))
    await lives.killAndStart()
  }
  await clients
  upstream.recover()
  /** Asks once more about each payment, after the time in which a breaker that has opened closes again. */
  const settle = async (ask: (payment: (typeof wanted)[number]) => Promise<void>) => {
    await new Promise((resolve) => setTimeout(resolve, 1200))
    const left = [...wanted]
    await allAtOnce(async () => {
      for (let payment = left.pop(); payment; payment = left.pop()) await ask(payment)
    })
  }
  return { upstream, lives, wanted, attempt, settle }
}

describe('under a random mix of faults, retries and kills', () => {
  it('every payment is executed once, under the key that the partner sent, and no cap drifts', async () => {
    const { upstream, lives, wanted, attempt, settle } = await run(true, FAULTY_PAYMENTS)
    await settle((payment) => expect.poll(() => attempt(payment), { interval: 300 }).toBe(true))
    let spent = 0
    for (const { key, ids } of wanted) {
      const execution = upstream.executions.get(key)
      expect(ids).toEqual(new Set([execution?.paymentId]))
      if (execution?.isSuccess) spent += execution.amount
    }
    expect(upstream.executions.size).toBe(wanted.length)
    expect(await lives.usage()).toMatchObject({ used: spent, reserved: 0 })
    await lives.end()
  })

  it('an upstream without idempotency executes nothing twice, and what may have been executed stays reserved', async () => {
    const { upstream, lives, attempt, settle } = await run(false, Math.ceil(FAULTY_PAYMENTS / 3))
    let used = 0
    let reserved = 0
    await settle(async (payment) => {
      // Whoever is told that nothing was sent, as of an open breaker, asks again.
      const isSettled = async () =>
        (await attempt(payment)) || payment.told.at(-1) === 'UPSTREAM_INDETERMINATE'
      await expect.poll(isSettled, { interval: 300 }).toBe(true)
      const isDone = payment.told.at(-1) !== 'UPSTREAM_INDETERMINATE'
      const execution = upstream.executions.get(payment.key)
      expect(execution?.times ?? 0, JSON.stringify(payment.told)).toBeLessThanOrEqual(1)
      expect(payment.ids.size).toBe(isDone ? 1 : 0)
      if (!isDone) reserved += payment.amount
      else if (execution?.isSuccess) used += payment.amount
    })
    expect(await lives.usage()).toMatchObject({ used, reserved })
    await lives.end()
  })
})
