import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runHere } from '../support/command-line.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { exchange, get } from '../support/http.ts'
import { partner } from '../support/partners.ts'
import { keepSigningKey } from '../support/signing-key.ts'

const client = partner('signing')
const directory = temporaryDirectory('cli')
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway({ partners: [client] })
  configure(gateway.dataDir)
})
afterAll(() => gateway.stop())

/** The port is nobody's: only the data directory leads to the gateway. */
function configure(path: string): void {
  writeFileSync(join(directory, 'sandgate.yaml'), `partners: []\nstore: { path: ${JSON.stringify(path)} }\n`)
}

const run = (...args: string[]) => runHere(['signing-keys', ...args], {}, directory)

async function newToken(): Promise<string> {
  const { json } = await exchange(gateway, { client_id: client.keyId, client_secret: client.secret })
  return json.access_token
}

const kidOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid
const read = (token: string) => get(gateway, '/v1/webhooks/ip-ranges', { token })
const states = (out: string) => out.match(/\b(active|next|retiring)\b/g)

describe('a rotation', () => {
  it('is published at once, signs later, and is not made twice', async () => {
    const before = await newToken()
    const { out, code } = await run('rotate')
    expect({ code, states: states(out) }).toEqual({ code: 0, states: ['active', 'next'] })
    expect(kidOf(await newToken())).toBe(kidOf(before))
    const { json, headers } = await get(gateway, '/.well-known/jwks.json', { token: null })
    expect(json.keys).toHaveLength(2)
    expect(headers['cache-control']).toBe('max-age=300')
    expect((await run('rotate')).out).toBe(out)
  })

  it('with --now signs with the published key at once, and fails no valid token', async () => {
    const before = await newToken()
    const { out } = await run('rotate', '--now')
    expect(states(out)).toEqual(['active', 'retiring'])
    const after = await newToken()
    expect(kidOf(after)).not.toBe(kidOf(before))
    expect([(await read(before)).status, (await read(after)).status]).toEqual([200, 200])
  })

  it('with --leaked ends what every other key has signed', async () => {
    const before = await newToken()
    expect((await read(before)).status).toBe(200)
    await run('rotate')
    const { out } = await run('rotate', '--leaked')
    expect(states(out)).toEqual(['active'])
    expect((await read(before)).json.code).toBe('TOKEN_INVALID')
    expect((await read(await newToken())).status).toBe(200)
  })

  it('takes one of --now and --leaked', async () => {
    expect((await run('rotate', '--now', '--leaked')).code).toBe(2)
  })
})

it('the commands talk to nobody but the gateway of their data directory', async () => {
  const operatorPort = new URL(gateway.operatorUrl).port
  const other = temporaryDirectory('other')
  keepSigningKey(other)
  const config = `partners: []\nstore: { path: ${JSON.stringify(other)} }\noperator: { port: ${operatorPort} }\n`
  writeFileSync(join(directory, 'sandgate.yaml'), config)
  const before = (await get(gateway, '/.well-known/jwks.json', { token: null })).json
  const { out, code } = await run('rotate', '--now')
  expect({ code, states: states(out) }).toEqual({ code: 0, states: ['active', 'retiring'] })
  expect((await get(gateway, '/.well-known/jwks.json', { token: null })).json).toEqual(before)
  const named = await run('list', '--operator', gateway.operatorUrl)
  expect(named.out).toContain(before.keys[0].kid)
  configure(gateway.dataDir)
})

/** A client that holds the JWKS as jose does by default, on a clock that moves with the gateway's. */
function warmClient() {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const jwks = createRemoteJWKSet(new URL('http://sandbox.example/.well-known/jwks.json'), {
    [customFetch]: () => fetch(`${gateway.url}/.well-known/jwks.json`),
  })
  return {
    verify: (token: string) => jwtVerify(token, jwks, { audience: 'partner-sandbox' }),
    advance: async (seconds: number) => {
      await gateway.advance(seconds)
      vi.setSystemTime(Date.now() + seconds * 1000)
    },
  }
}

describe('a client that keeps the JWKS', () => {
  afterAll(() => vi.useRealTimers())

  it('verifies every token through a rotation, a restart and a kill -9, though it asks but every half minute', async () => {
    const { verify, advance } = warmClient()
    let passed = 0
    const pass = async (seconds: number) => {
      await advance(seconds)
      passed += seconds
    }
    const again = async () => {
      gateway = await startGateway({ partners: [client], dataDir: gateway.dataDir })
      await gateway.advance(passed)
    }
    const kids = new Set<string>()
    const check = async () => {
      const token = await newToken()
      kids.add(kidOf(token))
      await verify(token)
    }
    await check()
    await run('rotate')
    await check()
    await pass(120)
    await gateway.stop()
    await again()
    await check()
    await pass(120)
    await gateway.kill()
    await again()
    await check()
    expect(kids.size).toBe(1)
    for (let step = 0; step < 4; step++) {
      await pass(29)
      await check()
    }
    expect(kids.size).toBe(2)
    expect(states((await run('list')).out)).toEqual(['active', 'retiring'])
  })

  it('refuses a token of a key that signs at once: the wait is what it needs', async () => {
    const { verify } = warmClient()
    await verify(await newToken())
    await run('rotate', '--now')
    await expect(verify(await newToken())).rejects.toThrow(/no applicable key/)
  })
})

it('when nothing runs, the keys of the data directory are listed and rotated', async () => {
  await gateway.stop()
  const before = states((await run('list')).out) ?? []
  const rotated = await run('rotate')
  expect({ code: rotated.code, states: states(rotated.out) }).toEqual({
    code: 0,
    states: ['active', 'next', ...before.slice(1)],
  })
})
