import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { startRecorder } from '../../src/recorder/recorder.ts'
import { replay, type Tape } from '../../src/sandgate.ts'
import { scratch } from '../cassettes/recording-fixtures.ts'
import { runs } from '../support/effort.ts'
import { type Handler, openUpstream, rawExchange, record, startUpstream } from './upstream.ts'

const directory = scratch()
let count = 0
const fresh = () => join(directory, `choosing-${++count}.har`)

const NAMES = ['accept-language', 'prefer', 'x-api-mode', 'if-none-match'] as const
type Asked = { readonly target: string } & Readonly<Partial<Record<(typeof NAMES)[number], string>>>

const ETAG = '"v1"'

/** Answers by the headers of the request, and says by which. */
const choosy: Handler = (req, res) => {
  const { headers, url = '' } = req
  const isPage = url.startsWith('/made/page')
  const type = isPage ? 'text/html' : 'application/json'
  const language = isPage ? (headers['accept-language'] ?? 'none') : 'none'
  const said = { language, prefer: headers.prefer ?? 'none', mode: headers['x-api-mode'] ?? 'none' }
  const vary = 'Accept-Encoding, X-Api-Mode, Accept-Language, User-Agent'
  if (headers['if-none-match'] === ETAG) return void res.writeHead(304, { etag: ETAG, vary }).end()
  res.writeHead(200, { 'content-type': type, etag: ETAG, vary }).end(JSON.stringify(said))
}

const asks: fc.Arbitrary<Asked> = fc.record(
  {
    target: fc.constantFrom('/made/page', '/made/data'),
    'accept-language': fc.constantFrom('fr', 'en'),
    ...({ prefer: fc.constantFrom('respond-async', 'return=minimal') } as const),
    'x-api-mode': fc.constantFrom('a', 'b'),
    'if-none-match': fc.constantFrom(ETAG, '"old"'),
  },
  { requiredKeys: ['target', 'accept-language'] },
)

async function ask(port: number, { target, ...headers }: Asked) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `GET ${target} HTTP/1.1\r\nHost: h\r\n${lines.join('')}Connection: close\r\n\r\n`
  const [head = '', body] = String(await rawExchange(port, request)).split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), body: body?.replace(/^[0-9a-f]+\r\n|\r\n0$/g, '') ?? '' }
}

const portOf = (url: string) => Number(new URL(url).port)

describe('headers that choose an answer', () => {
  it('give each request the answer that it had, in any order', async () => {
    const upstream = await startUpstream(choosy)
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(asks, { minLength: 1, maxLength: 6, selector: (one) => JSON.stringify(one) }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        async (session, shuffle) => {
          const path = fresh()
          const recorder = await record(upstream.url, path)
          const had = []
          for (const one of session) had.push({ one, answer: await ask(portOf(recorder.url), one) })
          await recorder.finish()
          const tape = await replay(path)
          const order = had.map((each) => ({ each, at: shuffle.next().value })).sort((a, b) => a.at - b.at)
          for (const { each } of order)
            expect(await ask(portOf(tape.url), each.one), JSON.stringify(each.one)).toEqual(each.answer)
          expect(await tape.close()).toMatchObject({ missed: 0 })
        },
      ),
      { numRuns: runs(12) },
    )
  })

  const CHOICES: readonly (readonly [name: string, recorded: Asked, sent: Asked])[] = [
    ['prefer', { target: '/made/data', prefer: 'respond-async' }, { target: '/made/data' }],
    ['x-api-mode', { target: '/made/data', 'x-api-mode': 'a' }, { target: '/made/data', 'x-api-mode': 'b' }],
    ['x-api-mode', { target: '/made/data' }, { target: '/made/data', 'x-api-mode': 'b' }],
    [
      'accept-language',
      { target: '/made/page', 'accept-language': 'fr' },
      { target: '/made/page', 'accept-language': 'en' },
    ],
    ['if-none-match', { target: '/made/data', 'if-none-match': ETAG }, { target: '/made/data' }],
    [
      'if-none-match',
      { target: '/made/data', 'if-none-match': '"old"' },
      { target: '/made/data', 'if-none-match': ETAG },
    ],
  ]
  type Told = readonly [headers: string, body?: string]
  const JSON_TYPE = 'Content-Type: application/json'
  const FACTS: readonly (readonly [name: string, recorded: Told, sent: Told])[] = [
    ['header range', ['Range: bytes=0-3'], ['']],
    ['header if-none-match', ['Range: bytes=0-3'], ['Range: bytes=0-3\r\nIf-None-Match: "1"']],
    ['header if-modified-since', ['If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT'], ['']],
    ['header if-match', ['If-Match: "1"', '{}'], ['If-Match: "2"', '{}']],
    ['header if-match', ['', '{}'], ['If-Match: "2"', '{}']],
    ['header if-unmodified-since', ['', '{}'], ['If-Unmodified-Since: Thu, 01 Jan 2026 00:00:00 GMT', '{}']],
    ['header x-http-method-override', ['', '{}'], ['X-HTTP-Method-Override: DELETE', '{}']],
    ['header content-type', [`${JSON_TYPE}; charset=iso-8859-1`, '{}'], [JSON_TYPE, '{}']],
    ['header content-type', [JSON_TYPE, '{}'], [`${JSON_TYPE}; version=2`, '{}']],
    ['header x-sandbox-outcome', ['X-Sandbox-Outcome: a\r\nX-Sandbox-Outcome: b'], ['X-Sandbox-Outcome: a']],
    ['body', [JSON_TYPE, '{"note":"\xff"}'], [JSON_TYPE, '{"note":"\xfe"}']],
    ['/password', [JSON_TYPE, '{"password":"aB3-dE6-gH9"}'], [JSON_TYPE, '{"password":""}']],
  ]
  const askOf = (port: number, row: number, { target, ...headers }: Asked) =>
    ask(port, { ...headers, target: `${target}/${row}` })
  const tell = async (port: number, row: number, [headers, body]: Told) => {
    const [method, length] = body === undefined ? ['GET', ''] : ['POST', `Content-Length: ${body.length}`]
    const lines = [`${method} /made/fact/${row} HTTP/1.1`, 'Host: h', headers, length, 'Connection: close']
    const head = lines.filter((line) => line !== '').join('\r\n')
    return String(await rawExchange(port, Buffer.from(`${head}\r\n\r\n${body ?? ''}`, 'latin1')))
  }

  /** One recording of all of them, each under a path of its own. */
  let tape: Tape
  beforeAll(async () => {
    const upstream = await openUpstream((req, res) =>
      req.url?.startsWith('/made/fact') ? res.end('ok') : choosy(req, res),
    )
    const path = fresh()
    const recorder = await startRecorder({ upstream: upstream.url, out: path, port: 0, leftover: 'resume' })
    for (const [row, [, recorded]] of CHOICES.entries()) await askOf(portOf(recorder.url), row, recorded)
    for (const [row, [, recorded]] of FACTS.entries()) await tell(portOf(recorder.url), row, recorded)
    await recorder.finish()
    upstream.close()
    tape = await replay(path)
    return async () => void (await tape.close())
  })

  it.each(CHOICES.map(([name, , sent], row) => [name, row, sent] as const))(
    'with another %s the request is a miss that names it',
    async (name, row, sent) => {
      expect(await askOf(portOf(tape.url), row, sent)).toMatchObject({
        status: 424,
        body: expect.stringContaining(`header ${name}`),
      })
    },
  )

  it.each(FACTS.map(([name, recorded, sent], row) => [name, row, recorded, sent] as const))(
    'and what else decides is in a miss that names %s',
    async (name, row, recorded, sent) => {
      const missed = await tell(portOf(tape.url), row, sent)
      expect(missed).toContain('424 ')
      expect(missed).toContain(name)
      expect(await tell(portOf(tape.url), row, recorded)).toContain('200 OK')
    },
  )

  it('do not keep a full answer from a client that asks whether it has changed, nor a language from data', async () => {
    const upstream = await startUpstream(choosy)
    const path = fresh()
    const recorder = await record(upstream.url, path)
    await ask(portOf(recorder.url), { target: '/made/data', 'accept-language': 'fr' })
    await recorder.finish()
    const tape = await replay(path)
    const condition = { target: '/made/data', 'accept-language': 'en', 'if-none-match': ETAG } as const
    expect(await ask(portOf(tape.url), condition)).toMatchObject({ status: 200 })
    await tape.close()
  })

  it('are written redacted', async () => {
    const upstream = await startUpstream((_req, res) => res.writeHead(200, { vary: 'X-Mode' }).end('ok'))
    const path = fresh()
    const recorder = await record(upstream.url, path)
    const secret = 'sk_sandbox_0VhYx3kQm4Zq9TtB2nR7wLc1d'
    await fetch(recorder.url, { headers: { 'x-mode': secret, 'x-other': 'left out' } })
    await recorder.finish()
    const { request } = loadCassette(path).interactions[0] ?? {}
    expect(request?.headers.at(-1)).toEqual(['x-mode', 'redacted-sandbox-key-1'])
    expect(JSON.stringify(request?.headers)).not.toMatch(/x-other/)
    const tape = await replay(path)
    expect((await fetch(tape.url, { headers: { 'x-mode': secret } })).status).toBe(200)
    await tape.close()
  })
})

describe('CORS', () => {
  it('is recorded, a preflight compares method and header names, and an echoed Origin is the live one', async () => {
    const upstream = await startUpstream((req, res) => {
      res.writeHead(req.method === 'OPTIONS' ? 204 : 200, {
        'access-control-allow-origin': req.headers.origin ?? '*',
        'access-control-allow-methods': 'PUT, POST',
        'access-control-max-age': '60',
        vary: 'Origin',
      })
      res.end()
    })
    const preflight = (own: string, origin: string, method: string, names: string) =>
      fetch(`${own}/made/up`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': names,
        },
      })
    const path = fresh()
    const recorder = await record(upstream.url, path)
    await preflight(recorder.url, 'https://app.example', 'PUT', 'content-type, x-a')
    await fetch(`${recorder.url}/made/up`, { headers: { origin: 'https://app.example' } })
    await recorder.finish()
    const tape = await replay(path)
    const other = await preflight(tape.url, 'http://localhost:5173', 'PUT', 'X-A,Content-Type')
    expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'http://localhost:5173',
    ])
    expect(other.headers.get('access-control-allow-methods')).toBe('PUT, POST')
    const read = await fetch(`${tape.url}/made/up`, { headers: { origin: 'http://localhost:5173' } })
    expect(read.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
    expect((await preflight(tape.url, 'https://app.example', 'POST', 'content-type, x-a')).status).toBe(424)
    expect((await preflight(tape.url, 'https://app.example', 'PUT', 'content-type')).status).toBe(424)
    await tape.close()
  })
})
