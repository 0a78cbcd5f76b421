import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMAND, environmentOfADesk } from '../support/command.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { type Caller, newCaller, type Reply, token } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { expectProblem } from '../support/problems.ts'
import { rawConnection } from '../support/raw.ts'

const MOST = 1000
let gateway: Gateway
let caller: Caller
let bearer: string
const children: (() => Promise<unknown>)[] = []
afterAll(() => Promise.all(children.map((end) => end())))

beforeAll(async () => {
  const server = { headerBytes: 65_536 }
  const listen = { trustedProxies: ['127.0.0.0/8'] }
  const rateLimits = { groups: { other: 1_000_000 } }
  // The published demo key is refused behind proxies; these partners have keys of their own.
  gateway = await startGateway({ partners: partners(2), config: { server, listen, rateLimits } })
  caller = newCaller(gateway)
  bearer = await token(caller)
})

/** So many lines in all: what a request needs, fillers, and one line behind them. */
function request(lines: number, last: string, needed: readonly string[] = ['Host: x']): string {
  const fillers = Array.from({ length: lines - needed.length - 1 }, () => 'a:')
  return [...needed, ...fillers, last].join('\r\n')
}

async function ask(at: Pick<Gateway, 'url'>, head: string, target = '/v1/accounts'): Promise<Reply> {
  const connection = await rawConnection(at as Gateway, gateway.nextAddress())
  connection.write(`GET ${target} HTTP/1.1\r\n${head}\r\n\r\n`)
  const reply = await connection.next()
  connection.socket.destroy()
  return reply
}

const withToken = () => ['Host: x', `Authorization: Bearer ${bearer}`]

describe('a line behind hundreds of others', () => {
  it.each([999, MOST])('is judged like the first, as the last of %d', async (lines) => {
    const withLast = (last: string) => ask(gateway, request(lines, last, withToken()))
    expect((await withLast('X-Fine: 1')).status).toBe(200)
    expectProblem(await withLast('X-Tenant-Id: tn_sandbox_other'), 'PARTNER_MISMATCH')
    for (const last of [
      `Authorization: Bearer ${bearer}`,
      'Host: y',
      'X_Tenant_Id: tn_sandbox_other',
      'Connection: x-tenant-id',
    ])
      expectProblem(await withLast(last), 'BAD_REQUEST')
    expectProblem(await withLast('Expect: the-unexpected'), 'EXPECTATION_FAILED')
  })

  it.each([999, MOST])('of a POST decides what is executed, as the last of %d', async (lines) => {
    const key = '1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10'
    const body = '{"amount":5077}'
    const needed = [...withToken(), 'Content-Type: application/json', `Content-Length: ${body.length}`]
    const paid = async (last: string, more: readonly string[] = []) => {
      const connection = await rawConnection(gateway)
      const head = request(lines, last, [...needed, ...more])
      connection.write(`POST /v1/payments/fund HTTP/1.1\r\n${head}\r\n\r\n${body}`)
      return connection.next()
    }
    const keyed = [`Idempotency-Key: ${key}`]
    expectProblem(await paid('Content-Encoding: gzip', keyed), 'UNSUPPORTED_MEDIA_TYPE')
    expectProblem(await paid('X-Sandbox-Outcome: nonsense', keyed), 'VALIDATION_FAILED')
    expectProblem(await paid(`Idempotency-Key: ${key}`, keyed), 'IDEMPOTENCY_KEY_INVALID')
  })

  it("is read when it is the trusted proxy's own X-Forwarded-For", async () => {
    const window = async (address: string) => {
      const reply = await ask(gateway, request(MOST, `X-Forwarded-For: ${address}`), '/openapi.json')
      return Number(reply.headers['x-ratelimit-remaining'])
    }
    const first = await window('198.51.100.1')
    expect(await window('198.51.100.1')).toBe(first - 1)
    expect(await window('198.51.100.2')).toBe(first)
  })
})

describe('more header lines than a request may have', () => {
  it.each([MOST + 1, 4000])(
    '%d of them are refused by the partner listener, whoever sends them',
    async (lines) => {
      const harmless = await ask(gateway, request(lines, 'X-Fine: 1', withToken()))
      expectProblem(harmless, 'HEADERS_TOO_LARGE')
      expect(harmless.headers.connection).toBe('close')
      expectProblem(
        await ask(gateway, request(lines, 'X-Tenant-Id: tn_sandbox_other', withToken())),
        'HEADERS_TOO_LARGE',
      )
      const exchange = await rawConnection(gateway)
      exchange.write(`POST /auth/token HTTP/1.1\r\n${request(lines, 'Content-Length: 0')}\r\n\r\n`)
      expectProblem(await exchange.next(), 'HEADERS_TOO_LARGE')
    },
  )

  it('are refused by the operator listener, which judges all that it takes', async () => {
    const operator = { url: gateway.operatorUrl }
    const host = ['Host: 127.0.0.1']
    expect((await ask(operator, request(MOST, 'X-Fine: 1', host), '/livez')).status).toBe(200)
    expect((await ask(operator, request(MOST, 'Origin: https://evil.example', host), '/livez')).status).toBe(
      403,
    )
    expect((await ask(operator, request(MOST, 'Host: evil.example', host), '/livez')).status).toBe(400)
    for (const lines of [MOST + 1, 4000])
      expect((await ask(operator, request(lines, 'X-Fine: 1', host), '/livez')).status).toBe(431)
  })

  it('are refused by a replay', async () => {
    const cassette = join(import.meta.dirname, '../../recordings/paging.har')
    const url = await run(['replay', cassette, '--port', '0'], /http:\/\/127[^\s",]+/)
    expect((await ask({ url }, request(MOST, 'X-Fine: 1'), '/openapi.json')).status).toBe(200)
    expectProblem(await ask({ url }, request(MOST + 1, 'X-Fine: 1'), '/openapi.json'), 'HEADERS_TOO_LARGE')
    expect((await ask({ url }, request(4000, 'X-Fine: 1'), '/openapi.json')).status).toBe(431)
  })

  it('are refused by a recorder, which passes on all that it takes', async () => {
    // What it passes on is searched for secrets: a large document would take longer than all else here.
    const small = '/.well-known/jwks.json'
    const out = join(temporaryDirectory('recording'), 'lines.har')
    const show = [
      '--',
      process.execPath,
      '-e',
      'console.log("at " + process.env.SANDGATE_URL); setInterval(() => {}, 1000)',
    ]
    const url = await run(['record', '--upstream', gateway.url, '--out', out, ...show], /(?<=at )http:\S+/)
    expect((await ask({ url }, request(MOST - 10, 'X-Fine: 1'), small)).status).toBe(200)
    expectProblemOfRecorder(await ask({ url }, request(MOST + 1, 'X-Fine: 1'), small))
    expectProblemOfRecorder(await ask({ url }, request(4000, 'X-Fine: 1'), small))
  })
})

function expectProblemOfRecorder(reply: Reply): void {
  expect([reply.status, reply.json.code]).toEqual([431, 'HEADERS_TOO_LARGE'])
}

/** Starts a command of the product and waits for the URL that it prints. */
async function run(args: readonly string[], wanted: RegExp): Promise<string> {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: environmentOfADesk(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A recorder ends its command when it is asked to end, and could not if it were killed.
  children.push(() => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    return ended
  })
  const said: string[] = []
  return new Promise((resolve, reject) => {
    const onLine = (line: string) => {
      said.push(line)
      const url = wanted.exec(line)?.[0]
      if (url !== undefined) resolve(url.replace(/\/$/, ''))
    }
    createInterface({ input: child.stdout }).on('line', onLine)
    createInterface({ input: child.stderr }).on('line', onLine)
    child.once('exit', (code) => reject(new Error(`ended with ${code}\n${said.join('\n')}`)))
  })
}
