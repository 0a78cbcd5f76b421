import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { bodyDigest } from '../../src/cassettes/redaction/body-digest.ts'
import { lintCassette } from '../../src/cassettes/tools/lint.ts'
import { mayRetry } from '../../src/upstream/failure.ts'
import { bodyText, scratch } from '../cassettes/recording-fixtures.ts'
import { record, startUpstream } from './upstream.ts'

const directory = scratch()
let out = ''
let count = 0
beforeEach(() => {
  out = join(directory, `${++count}.har`)
})

/** A server below HTTP: what it does with each connection is up to the test. */
async function startRaw(
  onRequest: (socket: import('node:net').Socket, request: string, nth: number) => void,
) {
  let requests = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data) => onRequest(socket, String(data), ++requests))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as import('node:net').AddressInfo
  return { url: new URL(`http://127.0.0.1:${port}`), requests: () => requests }
}

describe('an upstream in trouble', () => {
  it('that cannot be reached is answered with 502 and no address; a recording of nothing else is not written', async () => {
    const recorder = await record(new URL('http://127.0.0.1:1'), out)
    const response = await fetch(`${recorder.url}/v1/score/x`)
    expect(response.status).toBe(502)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    const { detail, code } = (await response.json()) as { detail: string; code: string }
    expect({ detail, code }).toEqual({ detail: 'It refused the connection.', code: 'UPSTREAM_UNAVAILABLE' })
    await expect(recorder.finish()).rejects.toMatchObject({ reason: 'unanswered' })
    expect(existsSync(out)).toBe(false)
  })

  it('that breaks off before it answers is asked again only where that is safe', async () => {
    const upstream = await startRaw((socket, _request, nth) => {
      if (nth === 2) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      else socket.destroy()
    })
    const recorder = await record(upstream.url, out)
    expect(await fetch(recorder.url).then((response) => response.text())).toBe('ok')
    expect(upstream.requests()).toBe(2)
    expect((await fetch(recorder.url, { method: 'POST', body: 'x' })).status).toBe(502)
    expect(upstream.requests()).toBe(3)
    expect(await recorder.finish()).toMatchObject({ exchanges: 2, aborted: 1 })
    expect(loadCassette(out).interactions.map(({ reply }) => reply?.status)).toEqual([200, undefined])
    const broken = Object.assign(new Error(''), { code: 'ECONNRESET' })
    expect([
      mayRetry('GET', false, broken),
      mayRetry('GET', true, broken),
      mayRetry('DELETE', false, broken),
    ]).toEqual([true, false, false])
  })

  it('that breaks off in the middle of its body breaks off for the client too', async () => {
    const upstream = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')
      setTimeout(() => socket.destroy(), 20)
    })
    const recorder = await record(upstream.url, out)
    await expect(fetch(recorder.url).then((response) => response.text())).rejects.toThrow()
    await expect(recorder.finish()).rejects.toMatchObject({ reason: 'unanswered' })
  })

  it('that answers 503 with Retry-After is not asked again', async () => {
    const upstream = await startUpstream((_req, res) => res.writeHead(503, { 'retry-after': '1' }).end())
    const recorder = await record(upstream.url, out)
    expect((await fetch(recorder.url)).status).toBe(503)
    expect(upstream.seen).toHaveLength(1)
  })

  it('that answers early does not swallow the next request on the connection', async () => {
    const upstream = await startUpstream((_req, res) => res.writeHead(413).end('early'))
    const recorder = await record(upstream.url, out)
    const socket = connect(recorder.port, '127.0.0.1')
    const replies: string[] = []
    socket.on('data', (data) => replies.push(String(data)))
    socket.write('POST /first HTTP/1.1\r\nHost: h\r\nContent-Length: 400001\r\n\r\nx')
    await expect.poll(() => replies.join('')).toContain('early')
    socket.write(Buffer.alloc(400_000, 120))
    socket.write('GET /second HTTP/1.1\r\nHost: h\r\n\r\n')
    await expect.poll(() => replies.join('').match(/ 413 /g)).toHaveLength(2)
    socket.destroy()
    await recorder.finish()
    const targets = loadCassette(out).interactions.map(({ request, reply }) => [
      request.target,
      request.body.length,
      reply?.status,
    ])
    expect(targets).toEqual([
      ['/first', 400_001, 413],
      ['/second', 0, 413],
    ])
  })
})

describe('an upstream that is slow', () => {
  it('to begin its answer is given up with 504, and what was asked passes once', async () => {
    const upstream = await startUpstream(() => {})
    const failures: string[] = []
    const recorder = await record(upstream.url, out, {
      headersMs: 1000,
      onFailure: (request, { code, cause }) => failures.push(`${request} ${code} ${cause}`),
    })
    const response = await fetch(`${recorder.url}/v1/payments/fund`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(504)
    expect(await response.json()).toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      detail: 'It did not answer in time.',
    })
    expect(failures).toEqual(['POST /v1/payments/fund UPSTREAM_TIMEOUT UND_ERR_HEADERS_TIMEOUT'])
    expect(upstream.seen).toHaveLength(1)
  })

  it('to go on with its answer has all the time that it wants', async () => {
    const upstream = await startUpstream((_req, res) => {
      res.writeHead(200).write('slow ')
      setTimeout(() => res.end('but sure'), 1500)
    })
    const recorder = await record(upstream.url, out, { headersMs: 1000 })
    expect(await fetch(recorder.url).then((response) => response.text())).toBe('slow but sure')
  })
})

describe('a client that goes away', () => {
  it.each([
    ['before the reply', false],
    ['in the middle of the reply', true],
  ])('%s leaves nothing open at the upstream', async (_name, answers) => {
    const upstream = await startUpstream((_req, res) => {
      if (answers) res.writeHead(200).write('begin')
    })
    const recorder = await record(upstream.url, out)
    const socket = connect(recorder.port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    if (answers) await once(socket, 'data')
    else await expect.poll(() => upstream.seen).toHaveLength(1)
    socket.destroy()
    await expect.poll(() => upstream.open.size).toBe(0)
    await expect(recorder.finish()).rejects.toMatchObject({ reason: 'unanswered' })
  })

  it('in the middle of its body ends the upload', async () => {
    const upstream = await startUpstream(() => {})
    const recorder = await record(upstream.url, out)
    const socket = connect(recorder.port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nhalf')
    await expect.poll(() => upstream.open.size).toBe(1)
    await wait(20)
    socket.destroy()
    await expect.poll(() => upstream.open.size).toBe(0)
    await expect(recorder.finish()).rejects.toMatchObject({ reason: 'unanswered' })
  })
})

describe('a body that is too long for the recording', () => {
  it('passes all the same: its digest is recorded, or that its answer was not kept, and the rest as ever', async () => {
    const upstream = await startUpstream((req, res) => (req.url === '/small' ? res.end('{}') : req.pipe(res)))
    const onBad = vi.fn()
    const recorder = await record(upstream.url, out, {
      onBad,
      bounds: { bodyBytes: 1000, heldBytes: 400_000 },
    })
    const body = Buffer.alloc(200_000, 'x')
    const response = await fetch(recorder.url, { method: 'POST', body })
    expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true)
    await fetch(new URL('/small', recorder.url), { method: 'POST', body })
    expect(onBad).not.toHaveBeenCalled()
    const recorded = await recorder.finish()
    expect(recorded?.withoutReply).toMatchObject([{ entry: 1, isFault: true }])
    const [echoed, small] = loadCassette(out).interactions
    expect(bodyText(echoed?.request)).toBe(bodyDigest(body))
    expect(echoed).toMatchObject({ reply: undefined, noReply: 'beyond-bound' })
    expect([bodyText(small?.request), bodyText(small?.reply)]).toEqual([bodyDigest(body), '{}'])
    const named = lintCassette(out, { deciding: { rules: [], scores: {} } }).map(
      ({ at, message }) => `${at.entry} ${message}`,
    )
    expect(named.filter((text) => text.includes('digest of a body'))).toHaveLength(2)
  })

  it('or too many at once: they pass, and the recording says that it is incomplete', async () => {
    const upstream = await startUpstream((req, res) => req.pipe(res))
    const onBad = vi.fn()
    const recorder = await record(upstream.url, out, { onBad, bounds: { bodyBytes: 4000, heldBytes: 1000 } })
    const body = Buffer.alloc(3000, 'x')
    const response = await fetch(recorder.url, { method: 'POST', body })
    expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true)
    expect(onBad).toHaveBeenCalledExactlyOnceWith('the bodies on their way were longer than 1000 bytes.')
    await expect(recorder.finish()).rejects.toMatchObject({ reason: 'incomplete-recording' })
    expect(existsSync(out)).toBe(false)
  })
})

describe('a cassette', () => {
  it('has one recorder at a time', async () => {
    const upstream = await startUpstream((_req, res) => res.end())
    await record(upstream.url, out)
    await expect(record(upstream.url, out)).rejects.toMatchObject({ reason: 'busy' })
  })

  it('is not made of nothing', async () => {
    const upstream = await startUpstream((_req, res) => res.end())
    const recorder = await record(upstream.url, out)
    expect(await recorder.finish()).toBeUndefined()
    const name = basename(out, '.har')
    expect(readdirSync(directory).filter((file) => file.startsWith(`${name}.`))).toEqual([])
  })
})
