import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { FORWARDED_REQUESTS } from '../support/effort.ts'
import { startGateway } from '../support/gateway.ts'
import { token } from '../support/http.ts'
import { PAID } from './scripted.ts'

const CLIENTS = 32
const UNLIMITED = 1_000_000_000
const ABORTED = 0.01
/** What a collector leaves lying about from one look to the next. */
const SLACK_MB = 48

const residentMb = (pid: number) =>
  Number(/VmRSS:\s+([0-9]+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

it('memory is flat over forwarded requests, of which one in a hundred is given up by its client', async () => {
  const long = Buffer.alloc(200_000, 0x20)
  const upstream = createServer((req, res) => {
    req.resume()
    req.once('end', () => res.end(req.method === 'POST' ? PAID : req.url?.includes('limit=99') ? long : '{}'))
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  onTestFinished(() => void upstream.close().closeAllConnections())
  const gateway = await startGateway({
    clock: 'system',
    config: {
      log: { format: 'off', requests: false },
      decisions: { from: 'upstream' },
      upstream: { url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` },
      rateLimits: { groups: { 'payments.fund': UNLIMITED, other: UNLIMITED } },
      caps: [{ product: 'payments.fund', period: 'day', unit: 'amount', limit: UNLIMITED * 1000 }],
    },
  })
  const authorization = `Bearer ${await token(gateway)}`
  const agent = new Agent({ connections: CLIENTS })
  onTestFinished(() => agent.destroy())

  const ask = async (n: number) => {
    const isPost = n % 20 === 0
    const abort = Math.random() < ABORTED ? new AbortController() : undefined
    if (abort) setTimeout(() => abort.abort(), Math.random() * 5)
    const payment = {
      method: 'POST',
      body: '{"amount":577}',
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    } as const
    const target = isPost ? '/v1/payments/fund' : `/v1/accounts?limit=${n % 50 === 1 ? 99 : 1}`
    try {
      const response = await request(`${gateway.url}${target}`, {
        ...(isPost ? payment : { headers: { authorization } }),
        dispatcher: agent,
        ...(abort && { signal: abort.signal }),
      })
      expect(response.statusCode).toBe(200)
      await response.body.dump()
    } catch (error) {
      if (!abort) throw error
    }
  }
  let sent = 0
  const upTo = async (count: number) => {
    const client = async () => {
      while (sent < count) await ask(sent++)
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
  }
  await upTo(FORWARDED_REQUESTS / 2)
  const before = residentMb(gateway.pid)
  await upTo(FORWARDED_REQUESTS)
  expect(residentMb(gateway.pid) - before).toBeLessThan(SLACK_MB)
  await gateway.stop()
})
