import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { endAfterEachTest, startFront } from './front.ts'
import { answer, PAID, paid, type Script, scripted } from './scripted.ts'

endAfterEachTest()

/** The key of a payment whose first attempt ended as a fault does, and of which a second one learns the outcome. */
const UNKNOWN = { used: 0, reserved: 5077 }
const FREE = { used: 0, reserved: 0 }
const SPENT = { used: 5077, reserved: 0 }

const dateIn = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString()

const BOMB = gzipSync(Buffer.alloc(100 << 20))

const cut = (text: string) => (socket: Socket) => socket.end(text)
const reset = (socket: Socket) => socket.resetAndDestroy()

describe('a fault after the request was sent leaves its key unknown, and a retry under the same key learns the outcome', () => {
  const faults: [string, (socket: Socket) => void, number, string][] = [
    ['says nothing', () => {}, 504, 'UPSTREAM_TIMEOUT'],
    [
      'answers half a head and says no more',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Ty'),
      504,
      'UPSTREAM_TIMEOUT',
    ],
    ['answers half a head and closes', cut('HTTP/1.1 200 OK\r\nContent-Ty'), 502, 'UPSTREAM_INDETERMINATE'],
    [
      'answers half a body and closes',
      cut('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a":'),
      502,
      'UPSTREAM_INDETERMINATE',
    ],
    [
      'answers half a body and says no more',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a":'),
      504,
      'UPSTREAM_TIMEOUT',
    ],
    [
      'answers half a chunk and closes',
      cut('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"a":'),
      502,
      'UPSTREAM_INDETERMINATE',
    ],
    ['resets the connection', reset, 502, 'UPSTREAM_INDETERMINATE'],
    ['closes the connection', (socket) => socket.end(), 502, 'UPSTREAM_INDETERMINATE'],
    [
      'sends interim answers alone and closes',
      cut('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
      502,
      'UPSTREAM_INDETERMINATE',
    ],
    [
      'sends 100 Continue alone',
      (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
      504,
      'UPSTREAM_TIMEOUT',
    ],
    [
      'switches protocols',
      (socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      502,
      'UPSTREAM_INDETERMINATE',
    ],
    ['answers what is no HTTP', cut('SSH-2.0-OpenSSH_9.2\r\n'), 502, 'UPSTREAM_INDETERMINATE'],
    [
      'answers with both Content-Length and chunked',
      cut('HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
      502,
      'UPSTREAM_INDETERMINATE',
    ],
    [
      'answers with two lengths',
      cut('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
      502,
      'UPSTREAM_INDETERMINATE',
    ],
    [
      'answers with a head of a megabyte',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(1 << 20)}\r\n\r\n`),
      502,
      'UPSTREAM_INDETERMINATE',
    ],
    ['answers at one byte a second', drip, 504, 'UPSTREAM_TIMEOUT'],
    ['answers with 100 MB', flood, 502, 'UPSTREAM_INDETERMINATE'],
    [
      'answers with a redirection',
      (socket) => socket.write(answer(307, '', ['Location: http://127.0.0.1:1/'])),
      502,
      'UPSTREAM_INDETERMINATE',
    ],
    [
      'answers 500',
      (socket) => socket.write(answer(500, '{"internal":"10.0.0.7"}')),
      502,
      'UPSTREAM_INDETERMINATE',
    ],
    ['answers 503', (socket) => socket.write(answer(503)), 502, 'UPSTREAM_INDETERMINATE'],
    ['answers 408', (socket) => socket.write(answer(408)), 504, 'UPSTREAM_TIMEOUT'],
    ['answers 504', (socket) => socket.write(answer(504)), 504, 'UPSTREAM_TIMEOUT'],
    [
      'answers in a coding that nobody knows',
      (socket) => socket.write(answer(200, 'x', ['Content-Encoding: rot13'])),
      502,
      'UPSTREAM_INDETERMINATE',
    ],
    [
      'answers with what is no gzip',
      (socket) => socket.write(answer(200, 'x', ['Content-Encoding: gzip'])),
      502,
      'UPSTREAM_INDETERMINATE',
    ],
    [
      'answers with a gzip that unpacks to 100 MB',
      (socket) => socket.write(answer(200, BOMB, ['Content-Encoding: gzip'])),
      502,
      'UPSTREAM_INDETERMINATE',
    ],
    [
      'says that the key is being worked on',
      (socket) => socket.write(answer(409, '{"code":"IDEMPOTENCY_IN_PROGRESS"}')),
      409,
      'IDEMPOTENCY_IN_PROGRESS',
    ],
  ]

  it.each(faults)('an upstream that %s', async (_, fault, status, code) => {
    const { url, requests } = await scripted((socket, _request, n) =>
      n === 0 ? fault(socket) : socket.write(paid),
    )
    const front = await startFront(url)
    const key = randomUUID()
    const first = await front.pay(key)
    expect(first).toMatchObject({ status, code })
    expect(first.body).not.toMatch(/127\.0\.0\.1:(?!\d+\/docs)|10\.0\.0\.7|ECONN|UND_ERR|undici/)
    expect(await front.spent()).toEqual(UNKNOWN)
    expect(await front.pay(key)).toMatchObject({ status: 200, body: PAID, replayed: false })
    expect(await front.pay(key)).toMatchObject({ status: 200, body: PAID, replayed: true })
    expect(requests.map((request) => request.header('idempotency-key'))).toEqual([[key], [key]])
    expect(await front.spent()).toEqual(SPENT)
  })
})

/** Far more bytes than the time for an answer allows. */
const DRIP_MS = 100

function drip(socket: Socket): void {
  let sent = 0
  const timer = setInterval(() => {
    if (socket.destroyed || sent === paid.length) clearInterval(timer)
    else socket.write(paid.subarray(sent, ++sent))
  }, DRIP_MS)
}

function flood(socket: Socket): void {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${100 << 20}\r\n\r\n`)
  const chunk = Buffer.alloc(1 << 20)
  let left = 100
  const more = () => {
    while (left-- > 0 && !socket.destroyed) if (!socket.write(chunk)) return void socket.once('drain', more)
  }
  more()
}

describe('a fault before anything was sent frees the key and releases the cap', () => {
  it('when nobody listens', async () => {
    const port = await freePort()
    const front = await startFront(`http://127.0.0.1:${port}`)
    const key = randomUUID()
    expect(await front.pay(key)).toMatchObject({ status: 502, code: 'UPSTREAM_UNAVAILABLE' })
    expect(await front.spent()).toEqual(FREE)
    const { requests } = await scripted((socket) => socket.write(paid), { port })
    expect(await front.pay(key)).toMatchObject({ status: 200, replayed: false })
    expect(requests).toHaveLength(1)
  })

  it('when its name means nothing', async () => {
    const lookup = (_host: string, _options: object, done: (error: NodeJS.ErrnoException) => void) =>
      done(Object.assign(new Error('getaddrinfo ENOTFOUND sandbox.test'), { code: 'ENOTFOUND' }))
    const front = await startFront('http://sandbox.test', { lookup: lookup as never })
    const refused = await front.pay(randomUUID())
    expect(refused).toMatchObject({ status: 502, code: 'UPSTREAM_UNAVAILABLE' })
    expect(refused.body).not.toContain('sandbox.test')
    expect(await front.spent()).toEqual(FREE)
  })

  it('when every connection is busy for too long', async () => {
    let release = () => {}
    const { url, requests } = await scripted((socket, _request, n) => {
      if (n === 0) release = () => socket.write(paid)
      else socket.write(paid)
    })
    const front = await startFront(url, {
      upstream: { connections: 1, timeoutMs: 5000, connectTimeoutMs: 150 },
    })
    const first = front.pay(randomUUID())
    while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const second = randomUUID()
    expect(await front.pay(second)).toMatchObject({ status: 502, code: 'UPSTREAM_UNAVAILABLE' })
    release()
    expect(await first).toMatchObject({ status: 200 })
    expect(await front.pay(second)).toMatchObject({ status: 200, replayed: false })
    expect(requests).toHaveLength(2)
    expect(await front.spent()).toEqual({ used: 10_154, reserved: 0 })
  })

  it.each([
    ['429 with a Retry-After', answer(429, '', ['Retry-After: 7']), 'OVERLOADED', '7'],
    ['425', answer(425), 'OVERLOADED', '1'],
    ['425 with what is no Retry-After', answer(425, '', ['Retry-After: soon']), 'OVERLOADED', '1'],
    ['429 until a date that is past', answer(429, '', [`Retry-After: ${dateIn(-60)}`]), 'OVERLOADED', '1'],
    [
      '429 until a date to come',
      answer(429, '', [`Retry-After: ${dateIn(3000)}`]),
      'OVERLOADED',
      expect.stringMatching(/^(2[0-9]{3}|3000)$/),
    ],
    ['429 for ages', answer(429, '', [`Retry-After: ${'9'.repeat(30)}`]), 'OVERLOADED', '999999'],
    [
      '401',
      answer(401, '', ['WWW-Authenticate: Bearer error="invalid_token"']),
      'UPSTREAM_UNAVAILABLE',
      undefined,
    ],
    [
      '403 with a challenge',
      answer(403, '', ['WWW-Authenticate: Bearer error="insufficient_scope"']),
      'UPSTREAM_UNAVAILABLE',
      undefined,
    ],
  ])('when it answers %s', async (_, bytes, code, retryAfter) => {
    const { url } = await scripted((socket, _request, n) => socket.write(n === 0 ? bytes : paid))
    const front = await startFront(url)
    const key = randomUUID()
    const refused = await front.pay(key)
    expect(refused.code).toBe(code)
    expect(refused.headers['retry-after']).toEqual(retryAfter)
    expect(refused.headers['www-authenticate']).toBeUndefined()
    expect(await front.spent()).toEqual(FREE)
    expect(await front.pay(key)).toMatchObject({ status: 200, replayed: false })
  })
})

describe('what an upstream may do is not a fault', () => {
  const habits: [string, Script][] = [
    [
      'sends 100 Continue that nobody asked for',
      (socket) => socket.write(Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), paid])),
    ],
    [
      'sends several interim answers, byte by byte',
      (socket) =>
        bytewise(
          socket,
          Buffer.concat([
            Buffer.from(
              'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Go on\r\nX: y\r\n\r\n',
            ),
            paid,
          ]),
        ),
    ],
    ['answers before the body was read', () => {}],
    [
      'compresses its answer unasked',
      (socket) => socket.write(answer(200, gzipSync(PAID), ['Content-Encoding: gzip'])),
    ],
    [
      'compresses what it transfers',
      (socket) => {
        const packed = gzipSync(PAID)
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n')
        socket.write(`${packed.length.toString(16)}\r\n`)
        socket.end(Buffer.concat([packed, Buffer.from('\r\n0\r\n\r\n')]))
      },
    ],
    [
      'answers in chunks',
      (socket) =>
        socket.end(
          `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${PAID.length.toString(16)}\r\n${PAID}\r\n0\r\nX-Trailer: x\r\n\r\n`,
        ),
    ],
    ['closes to end its answer', (socket) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${PAID}`)],
  ]

  it.each(habits)('when it %s', async (name, script) => {
    const early = name.includes('before')
    const { url } = await scripted(script, {
      ...(early && { onConnect: (socket: Socket) => socket.end(paid) }),
    })
    const front = await startFront(url)
    expect(await front.pay(randomUUID())).toMatchObject({ status: 200, body: PAID })
    expect(await front.spent()).toEqual(SPENT)
  })
})

function bytewise(socket: Socket, bytes: Buffer): void {
  let sent = 0
  const next = () => {
    if (sent < bytes.length) socket.write(bytes.subarray(sent, ++sent), () => setImmediate(next))
  }
  next()
}
