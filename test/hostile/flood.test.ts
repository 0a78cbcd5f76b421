import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { type Caller, get, newCaller, token } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { rawConnection } from '../support/raw.ts'

const UNLIMITED = { token: 1_000_000, other: 1_000_000 }

let gateway: Gateway
let caller: Caller
let authorization: string

beforeAll(async () => {
  const config = { rateLimits: { groups: UNLIMITED }, log: { requests: false } }
  gateway = await startGateway({ partners: partners(2), config })
  caller = newCaller(gateway)
  authorization = `Authorization: Bearer ${await token(caller)}`
})

const memoryMb = () =>
  Number(/VmRSS:\s+([0-9]+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) / 1024
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const fund = (headers: string) =>
  `POST /v1/payments/fund HTTP/1.1\r\nHost: x\r\n${authorization}\r\nIdempotency-Key: 1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10\r\nContent-Type: application/json\r\n${headers}\r\n`

/** Waits until the socket takes more, or is closed, or the time is over. */
async function mayWrite(socket: net.Socket, ms: number): Promise<void> {
  const done = new AbortController()
  const { signal } = done
  await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal }), pause(ms)]).catch(
    () => {},
  )
  done.abort()
}

describe('a flood of pipelined requests', () => {
  const pipelined = (count: number) => {
    const paths = Array.from({ length: count }, (_, i) => (i % 3 === 0 ? '/nowhere' : '/v1/accounts'))
    const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`)
    const expected = paths.map((path) => (path === '/nowhere' ? 404 : 200))
    return { bytes: requests.join(''), expected }
  }

  it('is answered in order, each request once', async () => {
    const connection = await rawConnection(gateway)
    const { bytes, expected } = pipelined(64)
    connection.write(bytes)
    for (const status of expected) expect((await connection.next()).status).toBe(status)
    connection.socket.destroy()
  })

  it('beyond what may wait is answered in order as well, with 503 where it was too much', async () => {
    const connection = await rawConnection(gateway)
    const { bytes, expected } = pipelined(1000)
    connection.write(bytes)
    const got: number[] = []
    for (const _ of expected) got.push((await connection.next()).status)
    expect(got.map((status, i) => (status === 503 ? expected[i] : status))).toEqual(expected)
    expect(got.slice(0, 64)).toEqual(expected.slice(0, 64))
    expect(got).toContain(503)
    expect(connection.rest()).toBe('')
    connection.socket.destroy()
  })

  it('by a client that reads nothing is taken in only so far, and costs a bounded amount of memory', async () => {
    const before = memoryMb()
    const request = Buffer.from(`GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2000))
    const floods = await Promise.all(Array.from({ length: 5 }, () => floodWithoutReading(request)))
    // 400 MB were offered, and answers of some hundred KB each were asked for.
    for (const { written } of floods) expect(written).toBeLessThan(20_000_000)
    // What was taken in is being answered; the answer to one more comes behind it.
    expect((await get(caller, '/v1/accounts')).status).toBe(200)
    expect(memoryMb() - before).toBeLessThan(200)
    for (const { socket } of floods) socket.destroy()
  })

  /** Offers a thousand times the bytes, for two seconds, without ever reading. */
  async function floodWithoutReading(bytes: Buffer): Promise<{ socket: net.Socket; written: number }> {
    const socket = net.connect(Number(new URL(gateway.url).port), '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.pause()
    const until = performance.now() + 2000
    for (let i = 0; i < 1000 && performance.now() < until; i++) {
      if (!socket.write(bytes)) await mayWrite(socket, Math.max(0, until - performance.now()))
    }
    // What node has buffered on this side has not been taken in by the other.
    return { socket, written: socket.bytesWritten - socket.writableLength }
  }
})

describe('an upload of 200 MB that nobody wants', () => {
  const SIZE = 200_000_000
  it.each([
    [
      'without a token',
      'Content-Length',
      401,
      () => `POST /v1/payments/fund HTTP/1.1\r\nHost: x\r\nContent-Length: ${SIZE}\r\n\r\n`,
    ],
    ['with a token', 'Content-Length', 413, () => fund(`Content-Length: ${SIZE}\r\n`)],
    [
      'without a token',
      'chunks',
      401,
      () => `POST /v1/payments/fund HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ],
    ['with a token', 'chunks', 413, () => fund('Transfer-Encoding: chunked\r\n')],
    [
      'to the token exchange',
      'Content-Length',
      413,
      () => `POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: ${SIZE}\r\n\r\n`,
    ],
    [
      'to the token exchange',
      'chunks',
      413,
      () => 'POST /auth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    [
      'to nowhere',
      'Content-Length',
      404,
      () => `PUT /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: ${SIZE}\r\n\r\n`,
    ],
  ])('%s in %s is cut early, and its %i can be read', async (_what, framing, status, head) => {
    const before = memoryMb()
    const { socket, ...connection } = await rawConnection(gateway)
    socket.on('error', () => {})
    socket.write(head())
    const block = Buffer.alloc(65_536, 0x20)
    const bytes =
      framing === 'chunks' ? Buffer.concat([Buffer.from('10000\r\n'), block, Buffer.from('\r\n')]) : block
    const answered = connection.next()
    for (let sent = 0; sent < SIZE && socket.writable && !socket.destroyed; sent += bytes.length) {
      if (!socket.write(bytes)) await mayWrite(socket, 3000)
    }
    expect((await answered).status).toBe(status)
    expect(await connection.closed()).toBe(true)
    // A megabyte is read after the answer so that it is not lost; the rest are the buffers of two kernels' sockets.
    expect(socket.bytesWritten - socket.writableLength).toBeLessThan(12_000_000)
    expect(memoryMb() - before).toBeLessThan(100)
  })
})
