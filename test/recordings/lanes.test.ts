import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { replay, type Tape } from '../../src/sandgate.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { partner } from '../support/partners.ts'

const one = partner('lanes')
const directory = temporaryDirectory('lanes')
const cassette = join(directory, 'lanes.har')

/** How a client names its lane, or that it does not. */
const CLIENTS = [
  { lane: 'by-header', prefix: '', headers: { 'x-sandgate-lane': 'by-header' } },
  { lane: 'by-path', prefix: '/_lane/by-path', headers: {} },
  { lane: 'header', prefix: '/_lane/path', headers: { 'x-sandgate-lane': 'header' } },
  { lane: one.keyId, prefix: '', headers: {} },
]

type Client = (typeof CLIENTS)[number]

/** Pays an amount of its own with a key of its own, and again with the same key. */
async function pay(base: string, { prefix, headers }: Client, amount: number) {
  const form = { client_id: one.keyId, client_secret: one.secret }
  const url = `${base}${prefix}`
  const body = new URLSearchParams(form)
  const token = await fetch(`${url}/auth/token`, { method: 'POST', headers, body })
  const { access_token } = (await token.json()) as { access_token: string }
  const request = {
    method: 'POST',
    headers: {
      ...headers,
      authorization: `Bearer ${access_token}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({ amount }),
  }
  const paid = await fetch(`${url}/v1/payments/fund`, request)
  const again = await fetch(`${url}/v1/payments/fund`, request)
  const { paymentId } = (await paid.json()) as { paymentId: string }
  return { status: paid.status, paymentId, replayed: again.headers.get('idempotency-replayed') }
}

let gateway: Gateway
let recorded: Awaited<ReturnType<typeof pay>>[]
let tape: Tape
const operator = (method: string, path: string, body?: string) =>
  fetch(`${gateway.operatorUrl}${path}`, {
    method,
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  })
const prefixed = () => fetch(`${gateway.url}/_lane/x/openapi.json`).then(({ status }) => status)

beforeAll(async () => {
  gateway = await startGateway({ runs: 'here', partners: [one], config: { recording: { directory } } })
  expect(await prefixed()).toBe(404)
  await operator('POST', '/recordings', '{"name":"lanes"}')
  recorded = await Promise.all(CLIENTS.map((client) => pay(gateway.url, client, 5077)))
  expect((await operator('DELETE', '/recordings/lanes')).status).toBe(200)
  tape = await replay(cassette)
})
afterAll(() => tape.close())

describe('a lane, while the front door records', () => {
  it('is named by a header, else before the path, else by the client', () => {
    const { interactions } = loadCassette(cassette)
    const lanes = new Map(interactions.map(({ lane, request }) => [lane, request.target]))
    expect([...lanes.keys()].sort()).toEqual(CLIENTS.map(({ lane }) => lane).sort())
    for (const { status, replayed } of recorded) expect([status, replayed]).toEqual([200, 'true'])
  })

  it('stands in the cassette as a lane alone, not in targets and headers', () => {
    const text = readFileSync(cassette, 'utf8')
    expect(text).not.toContain('_lane/')
    expect(text).not.toMatch(/x-sandgate-lane/i)
  })

  it('is part of a path only as long', async () => {
    expect(await prefixed()).toBe(404)
  })
})

describe('at replay', () => {
  it('clients that run at once get the answers of their lanes', async () => {
    const replayed = await Promise.all(CLIENTS.map((client) => pay(tape.url, client, 5077)))
    expect(replayed).toEqual(recorded)
    expect(tape.misses()).toEqual([])
  })
})
