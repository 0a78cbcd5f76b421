import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { partners } from '../support/partners.ts'
import { rawConnection } from '../support/raw.ts'

const LAME_DUCK_MS = 3000
const CLIENTS = 24

const start = (server: object = {}) =>
  startGateway({ partners: partners(1), config: { server: { lameDuckMs: LAME_DUCK_MS, ...server } } })

type Seen = { status?: number | undefined; closes?: boolean; error?: string }

/** One client with a connection that it keeps: it asks again as soon as it was answered, until it is told to stop. */
async function client({ url }: Gateway, seen: Seen[], isOver: () => boolean): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  while (!isOver()) {
    seen.push(
      await new Promise<Seen>((resolve) => {
        http
          .get(`${url}/.well-known/oauth-authorization-server`, { agent }, (response) => {
            response
              .resume()
              .once('end', () =>
                resolve({ status: response.statusCode, closes: response.headers.connection === 'close' }),
              )
          })
          .once('error', ({ message }) => resolve({ error: message }))
      }),
    )
    await new Promise((next) => setTimeout(next, 20))
  }
  agent.destroy()
}

async function operator({ operatorUrl }: Gateway): Promise<number[]> {
  const paths = ['/livez', '/readyz', '/metrics']
  return Promise.all(
    paths.map((path) =>
      fetch(operatorUrl + path).then(({ status, body }) => body?.cancel().then(() => status) ?? 0),
    ),
  )
}

describe('after SIGTERM', () => {
  it('clients with kept connections see no reset and no refusal while the lame-duck time lasts', async () => {
    const gateway = await start()
    const seen = Array.from({ length: CLIENTS }, (): Seen[] => [])
    /** Each of them has had as many answers that keep its connection, or that close it. */
    const haveAll = (closes: boolean, count: number) =>
      seen.every((each) => each.filter((one) => one.closes === closes).length >= count)
    let isOver = false
    const clients = Promise.all(seen.map((each) => client(gateway, each, () => isOver)))
    await expect.poll(() => haveAll(false, 2)).toBe(true)
    gateway.signal('SIGTERM')
    await expect.poll(() => operator(gateway)).toEqual([200, 503, 200])
    // The clients stop long before the time is over, also on a machine with other work.
    await expect.poll(() => haveAll(true, 2)).toBe(true)
    isOver = true
    await clients
    const isRefused = ({ status, error }: Seen) => error !== undefined || (status !== 200 && status !== 429)
    expect(seen.flat().filter(isRefused)).toEqual([])
    expect(await gateway.exited).toEqual({ code: 0, signal: null })
  })

  it('requests that were sent one behind the other are all answered before the connection closes', async () => {
    const gateway = await start()
    const connection = await rawConnection(gateway)
    gateway.signal('SIGTERM')
    await expect.poll(() => operator(gateway)).toEqual([200, 503, 200])
    const one = 'GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: x\r\n\r\n'
    connection.write(one.repeat(3))
    const answers = [await connection.next(), await connection.next(), await connection.next()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'keep-alive', 'close'])
    gateway.signal('SIGTERM')
    await gateway.exited
  })

  it('operators are answered until the partner listener is long closed', async () => {
    const gateway = await start({ lameDuckMs: 0, drainMs: 60_000 })
    const held = await rawConnection(gateway)
    held.write('GET /portal/usage HTTP/1.1\r\nHost: x\r\n')
    const inFlight = await rawConnection(gateway)
    inFlight.write('POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nclient')
    await new Promise((next) => setTimeout(next, 100))
    gateway.signal('SIGTERM')
    await expect
      .poll(() =>
        rawConnection(gateway).then(
          () => 'open',
          () => 'refused',
        ),
      )
      .toBe('refused')
    expect(await operator(gateway)).toEqual([200, 503, 200])
    // Nothing is in flight any more: what is waited for has gone.
    for (const { socket } of [held, inFlight]) socket.destroy()
    expect(await gateway.exited).toEqual({ code: 0, signal: null })
  })

  it('a second signal ends the lame-duck time', async () => {
    const gateway = await start({ lameDuckMs: 60_000 })
    gateway.signal('SIGTERM')
    await expect.poll(() => operator(gateway)).toEqual([200, 503, 200])
    const again = setInterval(() => gateway.signal('SIGTERM'), 100)
    expect(await gateway.exited.finally(() => clearInterval(again))).toEqual({
      code: null,
      signal: 'SIGTERM',
    })
  })

  it('there is no lame-duck time by default while only this machine is served', async () => {
    const gateway = await startGateway({ runs: 'here' })
    const startedAt = performance.now()
    await gateway.stop()
    expect(performance.now() - startedAt).toBeLessThan(4000)
  })
})

describe('npm start', () => {
  it('passes SIGTERM on, and ends when the gateway has ended', async () => {
    const env = {
      ...process.env,
      SANDGATE_LISTEN_PORT: '0',
      SANDGATE_OPERATOR_PORT: '0',
      SANDGATE_STORE_ENGINE: 'memory',
    }
    // Without the build before it, and in a process group of its own, so that whatever is left can be ended.
    const npm = spawn('npm', ['start', '--silent', '--ignore-scripts'], {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      const operatorUrl = await listening(npm.stdout)
      const exited = once(npm, 'exit')
      npm.kill('SIGTERM')
      await exited
      await expect(fetch(`${operatorUrl}/livez`)).rejects.toThrow()
    } finally {
      try {
        process.kill(-(npm.pid ?? 0), 'SIGKILL')
      } catch {
        // Nothing is left.
      }
    }
  })
})

async function listening(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, operatorUrl] = line.includes('listening') ? (line.match(/http:\/\/[^\s",]+/g) ?? []) : []
    if (operatorUrl !== undefined) return operatorUrl
  }
  throw new Error('the gateway did not listen')
}
