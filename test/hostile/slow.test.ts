import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { WAIT_MS } from '../support/effort.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, get, newCaller, token } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectProblem } from '../support/problems.ts'
import { rawConnection } from '../support/raw.ts'

const HEADERS_MS = 1000
const REQUEST_MS = 8000
const BODY_MS = 2000
const UNLIMITED = Object.fromEntries(['token', 'other'].map((group) => [group, 1_000_000]))

let gateway: Gateway
let caller: Caller
let authorization: string

beforeAll(async () => {
  const server = {
    headersTimeoutMs: HEADERS_MS,
    requestTimeoutMs: REQUEST_MS,
    bodyTimeoutMs: BODY_MS,
    keepAliveTimeoutMs: 60_000,
    connectionsPerAddress: 10_000,
  }
  const config = {
    server,
    rateLimits: { groups: UNLIMITED },
    log: { requests: false },
  }
  gateway = await startGateway({ partners: partners(2), config })
  caller = newCaller(gateway)
  authorization = `Authorization: Bearer ${await token(caller)}`
})

const memoryMb = () =>
  Number(/VmRSS:\s+([0-9]+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) / 1024
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const fund = (headers: string) =>
  `POST /v1/payments/fund HTTP/1.1\r\nHost: x\r\n${authorization}\r\nIdempotency-Key: 1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10\r\nContent-Type: application/json\r\n${headers}\r\n`

/** Writes one byte at a time, for as long as the peer lets it. */
async function drip(socket: net.Socket, text: string, everyMs: number): Promise<void> {
  for (const byte of text) {
    if (socket.destroyed || !socket.writable) return
    socket.write(byte)
    await pause(everyMs)
  }
}

describe.concurrent('a client that is slow', () => {
  it.each([
    ['stops in the request line', 'GET /v1/acc', HEADERS_MS],
    ['stops in the headers', 'GET /v1/accounts HTTP/1.1\r\nHost: x\r\nX-A: ', HEADERS_MS],
  ])('and %s is told 408 when the time for headers is over', async (_what, text, ms) => {
    const connection = await rawConnection(gateway)
    const startedAt = performance.now()
    if (text !== '') connection.write(text)
    expectProblem(await connection.next({ withinMs: ms + WAIT_MS }), 'REQUEST_TIMEOUT')
    const tookMs = performance.now() - startedAt
    expect(tookMs).toBeGreaterThan(ms * 0.9)
    // The time for headers, not the longer one for a whole request.
    expect(tookMs).toBeLessThan(REQUEST_MS)
    expect(await connection.closed()).toBe(true)
  })

  it('and drips its headers gains no time by it', async () => {
    const connection = await rawConnection(gateway)
    void drip(connection.socket, `GET /v1/accounts HTTP/1.1\r\n${'X-Slow: 1\r\n'.repeat(1000)}`, 20)
    expectProblem(await connection.next({ withinMs: REQUEST_MS - 500 }), 'REQUEST_TIMEOUT')
    expect(await connection.closed()).toBe(true)
  })

  it.each([
    ['a body', 'Content-Length: 40\r\n', '{"amount":'],
    ['a chunked body', 'Transfer-Encoding: chunked\r\n', '5\r\n{"amo\r\n'],
    ['a body after 100 Continue', 'Content-Length: 40\r\nExpect: 100-continue\r\n', '{'],
  ])('and stops in %s is told 408 when the time for bodies is over', async (_what, headers, start) => {
    const connection = await rawConnection(gateway)
    connection.write(fund(headers) + start)
    if (headers.includes('Expect')) expect((await connection.next()).status).toBe(100)
    const startedAt = performance.now()
    expectProblem(await connection.next({ withinMs: REQUEST_MS + WAIT_MS }), 'REQUEST_TIMEOUT')
    expect(performance.now() - startedAt).toBeLessThan(REQUEST_MS)
    expect(await connection.closed()).toBe(true)
  })

  it('and drips its body gains no time by it', async () => {
    const connection = await rawConnection(gateway)
    connection.write(fund('Content-Length: 4000\r\n'))
    void drip(connection.socket, ' '.repeat(4000), 20)
    const startedAt = performance.now()
    expectProblem(await connection.next({ withinMs: REQUEST_MS + WAIT_MS }), 'REQUEST_TIMEOUT')
    expect(performance.now() - startedAt).toBeLessThan(REQUEST_MS)
    expect(await connection.closed()).toBe(true)
  })
})

describe('many idle connections', () => {
  const WANTED = 5000
  const limit = Number(/Max open files\s+([0-9]+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
  const count = Math.min(WANTED, limit - 500)

  it(`(${count} of them) leave the gateway answering, and its memory bounded`, async () => {
    if (count < WANTED)
      console.warn(`only ${count} of ${WANTED} connections: the limit of open files is ${limit}`)
    expect(count).toBeGreaterThan(500)
    const port = Number(new URL(gateway.url).port)
    const before = memoryMb()
    const sockets: net.Socket[] = []
    try {
      while (sockets.length < count) {
        const some = Array.from({ length: Math.min(250, count - sockets.length) }, () =>
          net.connect(port, '127.0.0.1'),
        )
        sockets.push(...some)
        await Promise.all(
          some.map((socket) =>
            once(
              socket.on('error', () => {}),
              'connect',
            ),
          ),
        )
      }
      const open = () => sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length
      const slowest: number[] = []
      for (let i = 0; i < 20; i++) {
        const startedAt = performance.now()
        expect((await get(caller, '/v1/accounts')).status).toBe(200)
        slowest.push(performance.now() - startedAt)
      }
      expect(open()).toBeGreaterThan(0)
      expect(Math.max(...slowest)).toBeLessThan(5000)
      expect(memoryMb() - before).toBeLessThan(300)
      // They have the time that headers have, and no more.
      const deadline = performance.now() + HEADERS_MS + WAIT_MS
      for (const socket of sockets) socket.resume()
      while (open() > 0 && performance.now() < deadline) await pause(100)
      expect(open()).toBe(0)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
    expect((await get(caller, '/v1/accounts')).status).toBe(200)
  })
})
