import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { bodyText, scratch } from '../cassettes/recording-fixtures.ts'
import { WAIT_MS } from '../support/effort.ts'
import { type Handler, rawExchange, record, startUpstream } from './upstream.ts'

const directory = scratch()
let out = ''
let count = 0
beforeEach(() => {
  out = join(directory, `${++count}.har`)
})

const BINARY = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256))
const GZIP = gzipSync('{"amount":10.00}')

/** Odd replies by their path. */
const REPLIES: Readonly<Record<string, Handler>> = {
  '/binary': (_req, res) => res.writeHead(200, ['Content-Type', 'application/octet-stream']).end(BINARY),
  '/gzip': (_req, res) =>
    res.writeHead(200, ['Content-Type', 'application/json', 'Content-Encoding', 'gzip']).end(GZIP),
  '/cookies': (_req, res) =>
    res
      .writeHead(200, 'Fine by me', [
        'Set-Cookie',
        'a=1; Path=/',
        'set-cookie',
        'b=2',
        'Set-Cookie',
        'c=3',
        'X-Latin',
        'caf\xe9',
      ])
      .end('{"big":9007199254740993,"amount":10.00}'),
  '/none': (_req, res) => res.writeHead(204, ['X-Kept', 'yes']).end(),
  '/moved': (_req, res) => res.writeHead(302, ['Location', 'http://elsewhere.invalid/x?a=%2F']).end(),
  '/chunks': (_req, res) => {
    res.writeHead(200, ['Content-Type', 'text/plain', 'Trailer', 'X-Sum'])
    res.write('one ')
    res.addTrailers([['X-Sum', '42']])
    setTimeout(() => res.end('two'), 20)
  },
  '/hop': (_req, res) =>
    res.writeHead(200, ['Connection', 'close, X-Hop', 'X-Hop', 'gone', 'X-End', 'kept']).end('ok'),
}

const byPath: Handler = (req, res) => {
  res.sendDate = false
  req
    .resume()
    .on('end', () => (REPLIES[new URL(req.url ?? '', 'http://x').pathname] ?? REPLIES['/binary'])?.(req, res))
}

const NEWLINE = '\r\n'
const head = (...lines: string[]) => `${lines.join(NEWLINE)}${NEWLINE}${NEWLINE}`
const MULTIPART =
  head('--b', 'Content-Disposition: form-data; name="f"; filename="x.bin"') +
  '\u0001\u0002' +
  NEWLINE +
  '--b--'

/** Head lines that only concern a connection, and the length of chunks, may differ. */
function essence(reply: Buffer): string {
  const [top = '', ...rest] = reply.toString('latin1').split('\r\n\r\n')
  const lines = top.split('\r\n').filter((line) => !/^(?:connection|keep-alive|x-hop):/i.test(line))
  return `${lines.join('\n')}\n\n${rest.join('\r\n\r\n')}`
}

describe('what passes through the recorder arrives as it was', () => {
  it.each([
    ['a binary body', head('GET /binary HTTP/1.1', 'Host: h', 'Connection: close')],
    [
      'a compressed body',
      head('GET /gzip HTTP/1.1', 'Host: h', 'Accept-Encoding: gzip', 'Connection: close'),
    ],
    ['repeated and oddly spelt header lines', head('GET /cookies HTTP/1.1', 'Host: h', 'Connection: close')],
    ['a reply to HEAD', head('HEAD /cookies HTTP/1.1', 'Host: h', 'Connection: close')],
    ['204', head('GET /none HTTP/1.1', 'Host: h', 'Connection: close')],
    ['a redirect', head('GET /moved HTTP/1.1', 'Host: h', 'Connection: close')],
    ['chunks and a trailer', head('GET /chunks HTTP/1.1', 'Host: h', 'Connection: close')],
    [
      'what belongs to the connection, which stays behind',
      head('GET /hop HTTP/1.1', 'Host: h', 'Connection: close'),
    ],
    ['a client of HTTP/1.0', head('GET /gzip HTTP/1.0')],
  ])('%s', async (_name, request) => {
    const upstream = await startUpstream(byPath)
    const recorder = await record(upstream.url, out)
    const direct = await rawExchange(upstream.port, request)
    expect(essence(await rawExchange(recorder.port, request))).toBe(essence(direct))
  })

  it.each([
    [
      'a multipart body',
      head(
        'POST /v1/x HTTP/1.1',
        'Host: h',
        'Content-Type: multipart/form-data; boundary=b',
        `Content-Length: ${MULTIPART.length}`,
        'Connection: close',
      ) + MULTIPART,
    ],
    [
      'a chunked body of no known type',
      `${head('PUT /a//b/../c;d?q=%zz&&=&q HTTP/1.1', 'Host: h', 'Content-Type: not a type', 'X-Twice: 1', 'x-twice: 2', 'Transfer-Encoding: chunked', 'Connection: close, X-Drop', 'X-Drop: 1', 'X-Sandgate-Lane: me')}3\r\n\u0000\u00ff{\r\n0\r\n\r\n`,
    ],
    [
      'a body with GET',
      `${head('GET /%2e%2e/x HTTP/1.1', 'Host: h', 'Content-Length: 2', 'Connection: close')}hi`,
    ],
    ['another method', head('PROPFIND /x HTTP/1.1', 'Host: h', 'Content-Length: 0', 'Connection: close')],
    [
      'text that is no UTF-8',
      `${head(
        'PATCH /x HTTP/1.1',
        'Host: h',
        'Content-Type: text/plain',
        'X-Latin: caf\u00e9',
        'Content-Length: 1',
        'Connection: close',
      )}\u00e9`,
    ],
    [
      'a request that expects 100-continue',
      head('POST /x HTTP/1.1', 'Host: h', 'Expect: 100-continue', 'Content-Length: 2', 'Connection: close') +
        'hi',
    ],
  ])('to the upstream: %s', async (_name, request) => {
    const upstream = await startUpstream(byPath)
    const recorder = await record(upstream.url, out)
    const bytes = Buffer.from(request, 'latin1')
    await rawExchange(upstream.port, bytes)
    await rawExchange(recorder.port, bytes)
    const plain = (index: number) => {
      const { rawHeaders = [], ...rest } = upstream.seen[index] ?? {}
      const lines: string[] = []
      for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
      // How a body is framed is between two neighbours.
      const local = /^(?:host|connection|content-length|x-drop|x-sandgate-lane|expect|transfer-encoding):/i
      return { ...rest, lines: lines.filter((line) => !local.test(line)) }
    }
    expect(plain(1)).toEqual(plain(0))
    expect(upstream.seen[1]?.rawHeaders.slice(0, 2)).toEqual(['host', `127.0.0.1:${upstream.port}`])
    expect(upstream.seen[1]?.rawHeaders.join()).not.toMatch(/x-sandgate-lane|x-drop/i)
  })

  it('is in the cassette as it was', async () => {
    const upstream = await startUpstream(byPath)
    const recorder = await record(upstream.url, out)
    await fetch(`${recorder.url}/_lane/one/v1/binary`, { headers: { 'X-Sandgate-Lane': 'two' } })
    await fetch(`${recorder.url}/_lane/one/cookies`)
    expect(await recorder.finish()).toMatchObject({ path: out, exchanges: 2, aborted: 0 })
    const { origin, interactions } = loadCassette(out)
    expect(origin).toBe(upstream.url.origin)
    expect(interactions.map(({ lane, request }) => [lane, request.target])).toEqual([
      ['two', '/v1/binary'],
      ['one', '/cookies'],
    ])
    expect(Buffer.from(interactions[0]?.reply?.body ?? [])).toEqual(BINARY)
    expect(bodyText(interactions[1]?.reply)).toBe('{"big":9007199254740993,"amount":10.00}')
    const cookies = interactions[1]?.reply?.headers.filter(([name]) => name.toLowerCase() === 'set-cookie')
    expect(cookies?.map(([name]) => name)).toEqual(['Set-Cookie', 'set-cookie', 'Set-Cookie'])
    expect(upstream.seen.map(({ target }) => target)).toEqual(['/v1/binary', '/cookies'])
  })
})

describe('a request that asks for another protocol', () => {
  it('passes as any other, and its connection closes behind it', async () => {
    const upstream = await startUpstream(byPath)
    const recorder = await record(upstream.url, out)
    const upgrade = head('GET /gzip HTTP/1.1', 'Host: h', 'Connection: Upgrade', 'Upgrade: websocket')
    const text = String(await rawExchange(recorder.port, upgrade + head('GET /none HTTP/1.1', 'Host: h')))
    expect(text.match(/^(HTTP\/1\.1 \d+|Connection: .+)/gim)).toEqual(['HTTP/1.1 200', 'Connection: close'])
  })
})

describe('the head of a reply', () => {
  it('does not wait for its body', async () => {
    const upstream = await startUpstream((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    })
    const recorder = await record(upstream.url, out)
    const response = await fetch(recorder.url, { signal: AbortSignal.timeout(WAIT_MS) })
    expect(response.status).toBe(200)
    await response.body?.cancel()
  })
})
