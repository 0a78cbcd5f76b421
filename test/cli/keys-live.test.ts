import { cpSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { runHere } from '../support/command-line.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { exchange, transmit } from '../support/http.ts'

const directory = temporaryDirectory('keys-live')
const partners = join(directory, 'config/partners.yaml')
let gateway: Gateway
let operatorPort = 0

beforeAll(async () => {
  cpSync('config', join(directory, 'config'), { recursive: true })
  operatorPort = await freePort()
})

/** The configuration of the directory, as a gateway in `dataDir` has it. */
const config = () => ({
  store: { path: join(directory, 'data') },
  operator: { port: operatorPort },
  partners,
  log: { format: 'json' },
})

function start(flags: readonly string[]): Promise<Gateway> {
  return startGateway({
    config: stringify(config()),
    dataDir: join(directory, 'data'),
    flags,
    clock: 'system',
  })
}

const run = (...args: string[]) =>
  runHere(
    args,
    { SANDGATE_STORE_PATH: join(directory, 'data'), SANDGATE_OPERATOR_PORT: String(operatorPort) },
    directory,
  )

async function newKey(): Promise<{ id: string; secret: string; err: string }> {
  const { out, err } = await run('keys', 'create', '--partner', 'demo', '--write')
  const keys = parse(readFileSync(partners, 'utf8')).flatMap((each: { keys: { id: string }[] }) => each.keys)
  return { id: keys.at(-1).id, secret: out.trim(), err }
}

const signIn = ({ id, secret }: { id: string; secret: string }) =>
  exchange(gateway, { client_id: id, client_secret: secret })
const read = (token: string) =>
  transmit(gateway, 'GET', '/v1/webhooks/ip-ranges', null, { authorization: `Bearer ${token}` })

describe.each([
  ['its data directory', []],
  ['its operator listener', ['--store', 'memory', '--operator-port']],
])('a running gateway that is reached through %s', (_, flags) => {
  beforeAll(async () => {
    gateway = await start(flags.length === 0 ? [] : [...flags, String(operatorPort)])
    return async () => void (await gateway.stop())
  })

  it('knows a key when the command says so, and refuses it and its tokens when the next one does', async () => {
    const key = await newKey()
    expect(key.err).toContain('The running gateway knows it.')
    const granted = await signIn(key)
    expect(granted.status).toBe(200)
    expect((await read(granted.json.access_token)).status).toBe(200)

    const { code, err } = await run('keys', 'revoke', key.id)
    const [refused, again] = [await read(granted.json.access_token), await signIn(key)]
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('from now on') })
    expect([refused.status, refused.json.code]).toEqual([401, 'TOKEN_INVALID'])
    expect(again.status).toBe(401)
  })

  it('goes on refusing a revoked key when the files are read again, and says so again', async () => {
    const key = await newKey()
    const { access_token: token } = (await signIn(key)).json
    expect(await run('keys', 'revoke', key.id)).toMatchObject({ err: expect.stringContaining('from now on') })
    const reloads = () => gateway.logs().match(/configuration reloaded/g)?.length ?? 0
    const before = reloads()
    gateway.signal('SIGHUP')
    await expect.poll(reloads).toBeGreaterThan(before)
    expect((await read(token)).status).toBe(401)
    const again = await run('keys', 'revoke', key.id)
    expect(again).toMatchObject({ code: 0, err: expect.stringMatching(/revoked already[\s\S]*from now on/) })
  })
})

it('a gateway that reads other files is left alone, and the command says that none was reached', async () => {
  gateway = await startGateway({ flags: ['--operator-port', String(operatorPort)] })
  const { err } = await run('keys', 'revoke', 'key_demo')
  await gateway.stop()
  expect(err).toMatch(/No running gateway was reached: .* 409: This gateway does not read that file\./)
})

it('without a gateway the command says that none was reached', async () => {
  expect((await newKey()).err).toMatch(
    /No running gateway was reached: no gateway runs on the data directory/,
  )
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
