import { once } from 'node:events'
import net from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { get, newCaller } from '../support/http.ts'
import { partner, partners } from '../support/partners.ts'
import { rawConnection } from '../support/raw.ts'

const PER_ADDRESS = 20
const HEADERS_MS = 500

let gateway: Gateway
const sockets: net.Socket[] = []

beforeAll(async () => {
  const server = { connectionsPerAddress: PER_ADDRESS, headersTimeoutMs: HEADERS_MS, maxConnections: 100 }
  const config = { server, listen: { trustedProxies: ['127.0.0.77/32'] } }
  gateway = await startGateway({ partners: partners(3), config })
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
})

/** Opens connections that say nothing; how many of them are still open a moment later, and what they were told. */
async function connect(from: string, count: number, text = '') {
  const port = Number(new URL(gateway.url).port)
  const told: string[] = []
  const ends: Promise<unknown>[] = []
  for (let i = 0; i < count; i++) {
    const socket = net.connect({ port, host: '127.0.0.1', localAddress: from })
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (data) => told.push(String(data)))
    ends.push(new Promise((resolve) => socket.once('close', resolve)))
    await once(socket, 'connect')
    if (text !== '') socket.write(text)
  }
  const own = sockets.slice(-count)
  return { open: () => own.filter(({ destroyed }) => !destroyed).length, told, ended: Promise.all(ends), own }
}

const until = async (holds: () => boolean | Promise<boolean>) => {
  for (let i = 0; i < 2000; i++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('it did not come to be')
}
const HALF = 'GET /v1/accounts HTTP/1.1\r\n'

describe('connections', () => {
  it('of one address are bounded, and those beyond are closed without a word', async () => {
    const from = gateway.nextAddress()
    const flood = await connect(from, PER_ADDRESS * 3, HALF)
    await until(() => flood.open() <= PER_ADDRESS)
    expect(flood.open()).toBeGreaterThan(0)
    expect(flood.told.length).toBeLessThanOrEqual(PER_ADDRESS)
    const metrics = await (await fetch(`${gateway.operatorUrl}/metrics`)).text()
    expect(Number(/^sandgate_connections_refused_total ([0-9]+)$/m.exec(metrics)?.[1])).toBe(PER_ADDRESS * 2)
    expect((await get(newCaller(gateway), '/v1/accounts')).status).toBe(200)
    for (const socket of flood.own) socket.destroy()
    // Whoever closes some may open others.
    await until(async () => {
      const connection = await rawConnection(gateway, from)
      connection.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      const reply = await connection.next().catch(() => undefined)
      return reply?.status === 200
    })
  })

  it('of a trusted proxy are those of its clients, and have no bound of their own', async () => {
    const proxy = await connect('127.0.0.77', PER_ADDRESS * 2, HALF)
    const connection = await rawConnection(gateway, '127.0.0.77')
    connection.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.1\r\n\r\n')
    expect((await connection.next()).status).toBe(200)
    connection.socket.destroy()
    for (const socket of proxy.own) socket.destroy()
  })

  it('that say nothing are closed in silence when the time for headers is over, at nobody’s cost', async () => {
    const caller = { ...newCaller(gateway), from: gateway.nextAddress() }
    const idle = await connect(caller.from, PER_ADDRESS - 2)
    await idle.ended
    expect(idle.told).toEqual([])
    const reply = await get(caller, '/openapi.json', { token: null })
    expect(Number(reply.headers['x-ratelimit-remaining'])).toBe(
      Number(reply.headers['x-ratelimit-limit']) - 1,
    )
    expect(gateway.logs()).not.toContain('"status":408')
  })
})

it('a host that fills the operator listener is bounded too', async () => {
  const one = await startGateway({
    partners: [partner('p')],
    config: { server: { connectionsPerAddress: 5 } },
  })
  const port = Number(new URL(one.operatorUrl).port)
  const held: net.Socket[] = []
  for (let i = 0; i < 15; i++) {
    const socket = net.connect({ port, host: '127.0.0.1', localAddress: '127.0.0.9' })
    socket.on('error', () => {})
    held.push(socket)
    await once(socket, 'connect')
  }
  await until(() => held.filter(({ destroyed }) => !destroyed).length === 5)
  expect((await fetch(`${one.operatorUrl}/livez`)).status).toBe(200)
  for (const socket of held) socket.destroy()
  await one.stop()
})
