import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeHar } from '../../src/cassettes/file/har/write.ts'
import { createSecrets } from '../../src/cassettes/redaction/secrets/secrets.ts'
import { createSend } from '../../src/cli/sandbox-client.ts'
import { OPERATIONS } from '../../src/operations/operations.ts'
import { scratch } from '../cassettes/recording-fixtures.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { partner } from '../support/partners.ts'
import { cassetteOf, recordFrom, sandgate } from './cassette-fixtures.ts'

type Moved = { status: number; body: Record<string, unknown>; without?: string }
type Change = (path: string, reply: Moved) => void

const directory = scratch()
const file = join(directory, 'story.har')
const demo = partner('demo-one')
const env = { SANDGATE_CLIENT_SECRET: demo.secret }
let gateway: Gateway
let change: Change = () => {}
let seen: string[] = []
/** The sandbox of another day: the same gateway behind somebody who changes its answers. */
const moved = createServer(async (req, res) => {
  seen.push(`${req.method} ${req.url} ${req.headers['idempotency-key'] ?? ''}`)
  const headers = Object.entries(req.headers).flatMap(([name, value]) =>
    value === undefined || ['host', 'connection', 'content-length'].includes(name)
      ? []
      : [[name, String(value)] as const],
  )
  const request = {
    method: req.method ?? '',
    target: req.url ?? '',
    httpVersion: '1.1' as const,
    headers,
    body: await bodyOf(req),
  }
  const { status, headers: lines, body } = await createSend(new URL(gateway.url))(request)
  const reply: Moved = { status, body: JSON.parse(Buffer.from(body).toString()) as Record<string, unknown> }
  change(request.target, reply)
  for (const [name, value] of lines)
    if (!/^(content-length|connection|keep-alive)$/i.test(name)) res.setHeader(name, value)
  if (reply.without) res.removeHeader(reply.without)
  res.writeHead(reply.status).end(JSON.stringify(reply.body))
})

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const movedUrl = () => `http://127.0.0.1:${(moved.address() as AddressInfo).port}`
const verify = (url: string, ...more: string[]) =>
  sandgate(['cassette', 'verify', file, '--against', url, ...more], env)

beforeAll(async () => {
  gateway = await startGateway({
    runs: 'here',
    partners: [demo],
    config: { rateLimits: { groups: { token: 1000 } } },
  })
  await new Promise<void>((done) => moved.listen(0, '127.0.0.1', done))
  const { exchanges, send, login } = recordFrom(gateway.url, demo)
  await send('GET', '/v1/accounts')
  await login()
  const key = ['Idempotency-Key', '1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10'] as const
  const customer = { customerRef: 'C-1', phone: '+2250712345678', firstName: 'Awa', lastName: 'Koné' }
  const { accountId } = await send('POST', '/v1/accounts/open', customer, [key])
  await send('POST', '/v1/accounts/open', customer, [key])
  await send('GET', `/v1/accounts/${accountId}`)
  await send('POST', '/v1/payments/fund', { amount: 5077, phone: '+2250712345678' })
  await send('POST', '/v1/payments/fund', { amount: 'much' })
  await send('GET', '/v1/accounts?limit=1')
  await send('GET', '/portal/usage')
  await login('accounts:read')
  await send('POST', '/v1/accounts/open', customer)
  writeHar(file, cassetteOf(exchanges, { origin: gateway.url }), createSecrets())
})

afterAll(() => {
  moved.close()
})

describe('cassette verify', () => {
  it('finds nothing to break in the sandbox that was recorded, however often it asks', async () => {
    for (const _ of [1, 2]) {
      const { code, out, err } = await verify(gateway.url)
      expect(err).toBe('')
      expect(out).not.toContain('breaking  ')
      expect(out).toMatch(/^11 verified, 0 skipped, 0 breaking, \d+ harmless$/m)
      expect(code).toBe(0)
    }
  })

  it('finds nothing to break in any operation, with its example', async () => {
    const { exchanges, send, login } = recordFrom(gateway.url, demo)
    await login()
    const known = new Map<string, string>()
    // The writes first: they make what the reads ask for.
    for (const row of [...OPERATIONS].sort((a, b) => b.method.localeCompare(a.method))) {
      const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) => known.get(name) ?? `missing-${name}`)
      const query = new URLSearchParams(
        Object.entries(row.exampleQuery ?? {}).map(([k, v]): [string, string] => [k, String(v)]),
      )
      const reply = await send(row.method, query.size > 0 ? `${path}?${query}` : path, row.exampleBody)
      for (const [name, value] of Object.entries(reply))
        if (name.endsWith('Id')) known.set(name, String(value))
    }
    expect(exchanges.map(({ reply }) => reply?.status).filter((status) => (status ?? 0) >= 300)).toEqual([])
    const every = join(directory, 'every.har')
    writeHar(every, cassetteOf(exchanges, { origin: gateway.url }), createSecrets())
    const argv = ['cassette', 'verify', every, '--against', gateway.url]
    const { out, code } = await sandgate(argv, env)
    expect(out).toMatch(new RegExp(`^${OPERATIONS.length + 1} verified, 0 skipped, 0 breaking`, 'm'))
    expect(code).toBe(0)
  })

  it('sends live identifiers and fresh keys, the same one for a recorded retry', async () => {
    seen = []
    const ids: unknown[] = []
    change = (path, { body }) => {
      if (path === '/v1/accounts/open' && body.accountId) ids.push(body.accountId)
    }
    await verify(movedUrl())
    const opened = seen.filter((line) => line.startsWith('POST /v1/accounts/open'))
    expect(opened[0]).toBe(opened[1])
    expect(opened[0]).not.toContain('1f0e9c52')
    expect(ids[0]).toBe(ids[1])
    expect(seen.map((line) => line.trimEnd())).toContain(`GET /v1/accounts/${ids[0]}`)
  })

  it('reports what was added, removed, and what has another type, value or status; and ends with 1', async () => {
    change = (path, reply) => {
      if (path === '/v1/payments/fund' && reply.status < 300) {
        reply.body.fee = 12
        delete reply.body.outcome
        reply.body.amount = '5077'
        reply.body.currency = 'EUR'
        reply.body.access_token = 'eyJhbGciOiJSUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl'
      }
      if (path.startsWith('/v1/accounts/acc_')) reply.status = 404
    }
    const { code, out } = await verify(movedUrl(), '--json')
    expect(code).toBe(1)
    const report = JSON.parse(out)
    const found = report.drifts.map(({ at, kind, breaking }: Record<string, unknown>) => [at, kind, breaking])
    expect(found).toEqual(
      expect.arrayContaining([
        ['reply-body /fee', 'added', false],
        ['reply-body /outcome', 'removed', true],
        ['reply-body /amount', 'type', true],
        ['reply-body /currency', 'value', true],
        ['status', 'status', true],
      ]),
    )
    expect(report).toMatchObject({ file, verified: 11, breaking: 4 })
    expect(out).not.toContain('eyJhbGciOi')
    const text = await verify(movedUrl(), '--volatile', 'currency')
    expect(text.out).toMatch(/harmless {2}reply-body \/currency: value "XOF" -> "EUR"/)
    expect(text.out).toMatch(/11 verified, 0 skipped, 3 breaking/)
  })

  it('does not send what needs an identifier that it did not get', async () => {
    change = (path, reply) => {
      if (path !== '/v1/accounts/open') return
      delete reply.body.accountId
      reply.without = 'location'
    }
    const { code, out } = await verify(movedUrl())
    expect(code).toBe(1)
    expect(out).toContain('skipped: it needs a live accountId, which no reply has held')
  })

  it('follows no redirect, and ends when it gets no token', async () => {
    change = (_, reply) => {
      reply.status = 307
    }
    const { code, err } = await verify(movedUrl())
    expect(err).toMatch(/the sandbox gave no token for key_demo-one: 307\n/)
    expect(code).toBe(1)
  })

  it.each([
    ['', /name the sandbox with --against URL/],
    ['ftp://127.0.0.1', /name the sandbox with --against URL/],
    ['http://me:secret@127.0.0.1', /name the sandbox with --against URL/],
  ])('takes a URL, not "%s"', async (url, message) => {
    const argv = ['cassette', 'verify', file, ...(url ? ['--against', url] : [])]
    expect(await sandgate(argv, env)).toMatchObject({ code: 2, err: expect.stringMatching(message) })
  })

  it('says when there is no secret, no cassette and no sandbox', async () => {
    const argv = ['cassette', 'verify', file, '--against', 'http://127.0.0.1:1']
    expect(await sandgate(argv)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/set SANDGATE_CLIENT_SECRET/),
    })
    expect(await sandgate(argv, env)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/nothing answers there/),
    })
    expect(await sandgate(['cassette', 'verify', 'gone.har', '--against', gateway.url], env)).toMatchObject({
      code: 7,
    })
    const stranger = await sandgate(['cassette', 'verify', file, '--against', gateway.url], {
      SANDGATE_CLIENT_SECRET: 'sk_sandbox_000000000000000000000000',
    })
    expect(stranger.code).toBe(1)
  })
})
