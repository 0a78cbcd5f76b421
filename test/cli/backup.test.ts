import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { restore } from '../../src/backup/restore.ts'
import { FENCE_MARK } from '../../src/store/fences.ts'
import { decodeNumber } from '../../src/store/keyspace.ts'
import { openLmdb } from '../../src/store/lmdb-backing.ts'
import { COMMAND, sandgate } from '../support/command.ts'
import { runHere } from '../support/command-line.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { exchange, get, post, type Reply } from '../support/http.ts'
import { partner, partnerConfig } from '../support/partners.ts'

const client = partner('kept', { rateLimits: { 'payments.fund': 100_000 } })
const here = temporaryDirectory('backups')
/** Tokens name it, whatever the port. */
const config = { tokens: { issuer: 'http://sandbox.example' } }
const [whole, elsewhere] = [join(here, 'whole'), join(here, 'elsewhere')]
let gateway: Gateway

/** Runs a command on a data directory; the ports of its configuration are nobody's. */
function data(path: string, ...args: string[]) {
  const settings = { store: { path }, operator: { port: 18_997 }, partners: [partnerConfig(client)] }
  const file = join(here, 'sandgate.yaml')
  writeFileSync(file, stringify(settings))
  return runHere(['data', ...args, '--config', file])
}

const pay = (key: string) => post(gateway, '/v1/payments/fund', { amount: 1077 }, { key })
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** What was paid before the backup began, and while it was written. */
const before = new Map<string, Reply>()
const meanwhile = new Map<string, Reply>()
let token = ''

beforeAll(async () => {
  gateway = await startGateway({ partners: [client], config })
  const credentials = { client_id: client.keyId, client_secret: client.secret }
  token = (await exchange(gateway, credentials)).json.access_token
  let isWritten = false
  const payInto = async (paid: Map<string, Reply>, isEnough: () => boolean) => {
    while (!isEnough()) {
      const key = randomUUID()
      paid.set(key, await pay(key))
    }
  }
  const four = (paid: Map<string, Reply>, isEnough: () => boolean) =>
    Promise.all(Array.from({ length: 4 }, () => payInto(paid, isEnough)))
  await four(before, () => before.size >= 40)
  const payers = four(meanwhile, () => isWritten)
  const done = await data(gateway.dataDir, 'backup', whole)
  isWritten = true
  await payers
  expect(done).toMatchObject({ code: 0, out: expect.stringContaining('with the signing keys') })
})
afterAll(() => gateway.stop())

describe('a backup of a gateway that runs', () => {
  it('is for its owner alone', () => {
    expect(modeOf(whole)).toBe('700')
    const names = readdirSync(whole).sort()
    expect(names).toEqual(['backup.json', 'data.mdb', 'signing-keys.json'])
    for (const name of names) expect(modeOf(join(whole, name))).toBe('600')
  })

  it('is taken through the socket of the data directory, and not through the operator listener', async () => {
    const response = await fetch(`${gateway.operatorUrl}/backup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ directory: join(here, 'by-port') }),
    })
    expect([response.status, existsSync(join(here, 'by-port'))]).toEqual([403, false])
  })

  it.each([
    ['has a backup already', () => whole],
    [
      'has something else in it',
      () => {
        const directory = join(here, 'other')
        mkdirSync(directory)
        writeFileSync(join(directory, 'notes'), '')
        return directory
      },
    ],
    ['is in the data directory', () => join(gateway.dataDir, 'copy')],
    ['is the data directory', () => gateway.dataDir],
    ['is a file', () => join(here, 'sandgate.yaml')],
    ['cannot be made', () => '/proc/copy'],
  ])('is not written where the directory %s', async (_, directoryOf) => {
    const directory = directoryOf()
    const list = () =>
      existsSync(directory) && statSync(directory).isDirectory() ? readdirSync(directory).sort() : []
    const were = list()
    const { code, err, out } = await data(gateway.dataDir, 'backup', directory)
    expect({ code, out, lines: err.split('\n').length, now: list() }).toEqual({
      code: 1,
      out: '',
      lines: 2,
      now: were,
    })
  })
})

describe('what was restored', () => {
  it('knows every key that had been finished, verifies the tokens, and goes on with higher fences', async () => {
    expect(await data(elsewhere, 'restore', whole)).toMatchObject({
      code: 0,
      err: expect.stringContaining('unknown again'),
    })
    expect(modeOf(elsewhere)).toBe('700')
    for (const name of readdirSync(elsewhere)) expect(modeOf(join(elsewhere, name))).toBe('600')
    const db = openLmdb(elsewhere)
    expect(decodeNumber(db.getBinary(Buffer.from(FENCE_MARK)) ?? Buffer.alloc(16))).toBeGreaterThan(2 ** 40)
    await db.close()

    const first = gateway
    gateway = await startGateway({ partners: [client], config, dataDir: elsewhere, runs: 'here' })
    expect((await get(gateway, '/v1/webhooks/ip-ranges', { token })).status).toBe(200)
    for (const [key, reply] of before) {
      const again = await pay(key)
      expect(again.headers['idempotency-replayed']).toBe('true')
      expect(again.bytes.equals(reply.bytes)).toBe(true)
    }
    // Of those that came while it was written some are in it, each as it was, and the others are new.
    for (const [key, reply] of meanwhile) {
      const again = await pay(key)
      if (again.headers['idempotency-replayed'] === 'true') expect(again.bytes.equals(reply.bytes)).toBe(true)
      else expect(again.status).toBe(200)
    }
    const { json } = await get(gateway, '/portal/usage', {})
    const cap = json.caps.find(({ product }: { product: string }) => product === 'payments.fund')
    expect(cap.used).toBe(1077 * (before.size + meanwhile.size))
    await first.stop()
  })

  it('is not restored over what is there, nor while a gateway runs', async () => {
    expect(await data(join(here, 'none'), 'restore', join(here, 'none'))).toMatchObject({
      code: 4,
      err: expect.stringContaining('is no whole backup'),
    })
    const running = await data(elsewhere, 'restore', whole)
    expect(running).toMatchObject({ code: 4, err: expect.stringContaining(`process ${gateway.pid} runs`) })
    await gateway.stop()
    const keys = readFileSync(join(elsewhere, 'signing-keys.json'))
    const full = await data(elsewhere, 'restore', whole)
    expect(full).toMatchObject({ code: 4, err: expect.stringContaining('is not empty') })
    expect(readFileSync(join(elsewhere, 'signing-keys.json')).equals(keys)).toBe(true)
    gateway = await startGateway({ partners: [client], config, dataDir: elsewhere, runs: 'here' })
  })

  it.each<[string, (directory: string) => void]>([
    ['has no manifest, because it was never finished', (at) => rmSync(join(at, 'backup.json'))],
    [
      'has a manifest that is none',
      (at) => writeFileSync(join(at, 'backup.json'), '{"version": 1, "files": ['),
    ],
    ['is of a newer version', (at) => writeFileSync(join(at, 'backup.json'), '{"version": 2}')],
    ['is cut', (at) => truncateSync(join(at, 'data.mdb'), 20_000)],
    ['is longer', (at) => appendFileSync(join(at, 'data.mdb'), 'x')],
    [
      'has other signing keys',
      (at) =>
        writeFileSync(
          join(at, 'signing-keys.json'),
          readFileSync(join(at, 'signing-keys.json')).fill('x', 9, 10),
        ),
    ],
    ['lacks its signing keys', (at) => rmSync(join(at, 'signing-keys.json'))],
    [
      'names a file outside',
      (at) =>
        writeFileSync(
          join(at, 'backup.json'),
          readFileSync(join(at, 'backup.json'), 'utf8').replace('signing-keys.json', '../signing-keys.json'),
        ),
    ],
    ['is not there', (at) => rmSync(at, { recursive: true })],
  ])('is nothing where the backup %s', async (_, spoil) => {
    const [from, into] = [join(here, randomUUID()), join(here, randomUUID())]
    cpSync(whole, from, { recursive: true })
    spoil(from)
    const outcome = await restore(from, into)
    expect(outcome).toMatchObject({ ok: false, message: expect.stringMatching(/^[^\n]+$/) })
    expect(existsSync(into)).toBe(false)
  })

  it('into a directory that was made for it, and after a restore that was killed, is whole', async () => {
    const into = join(here, 'volume')
    mkdirSync(join(into, 'lost+found'), { recursive: true })
    // What a killed restore leaves: the lock of a process that is gone, and a part of a file.
    writeFileSync(join(into, 'restore.lock'), dead())
    writeFileSync(join(into, 'unfinished-restore'), '')
    copyFileSync(join(whole, 'signing-keys.json'), join(into, 'signing-keys.json'))
    writeFileSync(join(into, 'data.mdb'), 'part')
    expect(
      await sandgate(here, ['serve', '--port', '0', '--operator-port', '0', '--data', into]),
    ).toMatchObject({
      code: 4,
      err: expect.stringContaining('a restore into'),
    })
    expect((await data(into, 'restore', whole)).code).toBe(0)
    expect((await data(into, 'usage', '--partner', client.id)).code).toBe(0)
  })
})

describe('without a gateway', () => {
  it('a backup is taken from the data directory, and over one that was killed', async () => {
    await gateway.stop()
    const into = join(here, 'stopped')
    mkdirSync(into)
    writeFileSync(join(into, 'backup.lock'), dead())
    writeFileSync(join(into, 'unfinished-backup'), '')
    writeFileSync(join(into, 'data.mdb'), 'part')
    expect((await data(elsewhere, 'backup', into)).code).toBe(0)
    const again = join(here, 'again')
    expect((await data(again, 'restore', into)).code).toBe(0)
    expect((await data(again, 'usage', '--partner', client.id)).out).toBe(
      (await data(elsewhere, 'usage', '--partner', client.id)).out,
    )
  })

  it.runIf(process.platform === 'linux')('a disk that is full is said, and nothing stays', async () => {
    for (const [command, directory] of [
      ['backup', join(here, 'full')],
      ['restore', whole],
    ] as const) {
      const path = command === 'backup' ? elsewhere : join(here, 'full')
      const file = join(here, 'full.yaml')
      writeFileSync(file, stringify({ store: { path }, partners: [partnerConfig(client)] }))
      const limit = statSync(join(whole, 'data.mdb')).size - 5000
      const arguments_ = [
        `--fsize=${command === 'backup' ? 8192 : limit}`,
        process.execPath,
        COMMAND,
        'data',
        command,
        directory,
      ]
      const run = () =>
        execFileSync('prlimit', [...arguments_, '--config', file], { stdio: 'pipe', encoding: 'utf8' })
      expect(run).toThrow(/sandgate data (backup|restore): .*/)
      expect(existsSync(join(here, 'full'))).toBe(false)
    }
  })

  it('a store in memory has none', async () => {
    const file = join(here, 'memory.yaml')
    writeFileSync(file, stringify({ store: { engine: 'memory' }, partners: [partnerConfig(client)] }))
    for (const command of ['backup', 'restore'])
      expect((await runHere(['data', command, whole, '--config', file])).code).toBe(2)
  })
})

/** The lock of a process that has ended. */
function dead(): string {
  const pid = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }))
  const host = execFileSync('hostname', { encoding: 'utf8' }).trim()
  return JSON.stringify({ pid, host, started: '1', mark: 'gone' })
}
