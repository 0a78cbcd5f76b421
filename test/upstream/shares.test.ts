import { once } from 'node:events'
import net from 'node:net'
import { expect, it } from 'vitest'
import { startGateway } from '../support/gateway.ts'
import { type Caller, callerFor, get, token } from '../support/http.ts'
import { partners } from '../support/partners.ts'
import { endAfterEachTest, startFront } from './front.ts'
import { answer, scripted } from './scripted.ts'

endAfterEachTest()

const MB = 1 << 20
const LIST = JSON.stringify({ items: [], nextCursor: null })

/** Asks for a list and reads nothing of the answer. */
async function askWithoutReading({ gateway, from }: Caller, bearer: string): Promise<net.Socket> {
  const { port, hostname } = new URL(gateway.url)
  const socket = net.connect({ port: Number(port), host: hostname, localAddress: from })
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  socket.write(`GET /v1/accounts?limit=2 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\n\r\n`)
  return socket
}

it('a partner that reads nothing of its answers keeps its own share of the connections, and those for a while', async () => {
  const body = Buffer.alloc(16 * MB, 0x20)
  const { url, requests } = await scripted((socket, { target }) =>
    socket.write(answer(200, target.endsWith('limit=2') ? body : LIST)),
  )
  const gateway = await startGateway({
    partners: partners(2),
    config: {
      decisions: { from: 'upstream' },
      upstream: { url, connections: 6, connectTimeoutMs: 200 },
      server: { answerTimeoutMs: 1000 },
    },
  })
  const [evil, good] = gateway.partners.map((one) => callerFor(gateway, one)) as [Caller, Caller]
  const bearer = await token(evil)
  const sockets = await Promise.all(Array.from({ length: 12 }, () => askWithoutReading(evil, bearer)))
  await expect.poll(() => requests.length).toBe(3)
  const own = await get(evil, '/v1/accounts')
  expect([own.status, own.json.code, own.headers['retry-after']]).toEqual([502, 'UPSTREAM_UNAVAILABLE', '1'])
  expect((await get(good, '/v1/accounts')).status).toBe(200)
  // Twelve and one have waited in vain, and more than half have failed: that is nobody's trouble but theirs.
  const ready: unknown = await (await fetch(`${gateway.operatorUrl}/readyz`)).json()
  expect(ready).toMatchObject({ upstream: { breaker: 'closed' } })
  // Nobody has read, so the connections end, and with them those to the upstream.
  await expect.poll(async () => (await get(evil, '/v1/accounts')).status).toBe(200)
  for (const socket of sockets) socket.destroy()
  await gateway.stop()
})

it('a client that waits for the upstream for longer than it may leave an answer unread gets the whole of it', async () => {
  const { url } = await scripted((socket) => {
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${LIST.length}\r\n\r\n`,
    )
    setTimeout(() => socket.write(LIST), 700)
  })
  const front = await startFront(url, { settings: { 'server.answerTimeoutMs': 200 } })
  expect(await front.get()).toMatchObject({ status: 200, body: LIST })
})

it('an answer in more codings than anybody uses is a broken one, before any of them is undone', async () => {
  const codings = [`Content-Encoding: ${'gzip, '.repeat(5000)}gzip`]
  const { url } = await scripted((socket) => socket.write(answer(200, 'x', codings)))
  const front = await startFront(url)
  const before = process.memoryUsage().rss
  expect(await front.get()).toMatchObject({ status: 502, code: 'UPSTREAM_INDETERMINATE' })
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * MB)
})
