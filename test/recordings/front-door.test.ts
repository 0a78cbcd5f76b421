import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { replay } from '../../src/sandgate.ts'
import { COMMAND } from '../support/command.ts'
import { runHere } from '../support/command-line.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { partner } from '../support/partners.ts'

const one = partner('recorded')
const two = partner('unrecorded')

/** A partner's program: signs in, pays, and reads; returns the number of answers that it did not expect. */
async function story(base: string, client_id: string, client_secret: string, ask?: string): Promise<number> {
  const body = new URLSearchParams({ client_id, client_secret })
  const token = await fetch(`${base}/auth/token`, { method: 'POST', body })
  const { access_token } = (await token.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}` }
  const paid = await fetch(`${base}/v1/payments/fund`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify({ amount: 5077, phone: '+2250712345678' }),
  })
  const refused = await fetch(`${base}/v1/score?customerRef=CUS-NOBODY`, { headers })
  const asked = ask ? await fetch(base + ask, { headers }) : { status: 200 }
  const good = [token.status === 200, paid.status === 200, refused.status === 404, asked.status === 200]
  return good.filter((each) => !each).length
}

/** The same as a process of its own. */
const PROGRAM = `${story}
const { SANDGATE_URL, SECRET, ASK } = process.env
process.exitCode = await story(SANDGATE_URL, '${one.keyId}', SECRET, ASK)`

let gateway: Gateway
const directory = temporaryDirectory('recordings')
const cassette = join(directory, 'story.har')

const operator = (method: string, path: string, body?: unknown) =>
  fetch(`${gateway.operatorUrl}${path}`, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })

async function program(url: string, secret: string): Promise<void> {
  expect(await story(url, one.keyId, secret)).toBe(0)
}

async function sandgate(args: readonly string[], env: Record<string, string> = {}) {
  return promisify(execFile)(process.execPath, [COMMAND, ...args], {
    env: { ...process.env, CI: '', SECRET: 'any', ...env },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}

beforeAll(async () => {
  gateway = await startGateway({ partners: [one, two], config: { recording: { directory } } })
  expect((await operator('POST', '/recordings', { name: 'story', partner: one.id })).status).toBe(201)
  await program(gateway.url, one.secret)
  expect(await (await operator('GET', '/recordings')).json()).toMatchObject({
    recordings: [{ name: 'story', partner: one.id, state: 'recording', exchanges: 3 }],
  })
  expect((await operator('DELETE', '/recordings/story')).status).toBe(200)
})

describe('a recording of the front door', () => {
  it('holds what passed, with the origin of each answer, refusals included', () => {
    const { interactions } = loadCassette(cassette)
    expect(interactions.map(({ operation, origin, reply }) => [operation, origin, reply?.status])).toEqual([
      ['auth.token', 'simulator:default', 200],
      ['payments.fund', 'simulator:payment-amount-77', 200],
      ['score.read', 'edge:SCORE_NOT_FOUND', 404],
    ])
  })

  it('holds no secret and no personal datum', () => {
    const text = readFileSync(cassette, 'utf8')
    expect(text).not.toContain(one.secret)
    expect(text).not.toContain('+2250712345678')
    expect(text).not.toMatch(/eyJhbGciOi/)
  })

  it('of one partner holds nothing of another', async () => {
    await operator('POST', '/recordings', { name: 'other', partner: two.id })
    await program(gateway.url, one.secret)
    expect((await operator('DELETE', '/recordings/other')).status).toBe(200)
    expect(loadCassette(join(directory, 'other.har')).interactions).toEqual([])
  })

  it('is refused for a bad name, an unknown partner and a name that is being recorded', async () => {
    expect((await operator('POST', '/recordings', { name: '../x' })).status).toBe(400)
    expect((await operator('POST', '/recordings', { name: 'x', partner: 'nobody' })).status).toBe(400)
    expect((await operator('POST', '/recordings', { name: 'twice' })).status).toBe(201)
    expect((await operator('POST', '/recordings', { name: 'twice' })).status).toBe(409)
    await operator('DELETE', '/recordings/twice')
    expect((await operator('DELETE', '/recordings/nothing')).status).toBe(404)
  })
})

describe('sandgate replay', () => {
  const run = ['--', process.execPath, '--input-type=module', '-e', PROGRAM]

  it('runs a command against the tape, with any secret, and says what became of the recording', async () => {
    const { code, stderr } = await sandgate(['replay', cassette, '--fail-unused', ...run])
    expect(stderr).toContain('loaded 3, served 2, live 1, repeated 0, unused 0, missed 0, forwarded 0')
    expect(code).toBe(0)
  })

  it('explains a miss and fails, whatever the command thinks of it', async () => {
    const junit = join(directory, 'misses.xml')
    const asking = ['--', 'env', 'SECRET=any', 'ASK=/v1/webhooks/ip-ranges', ...run.slice(1)]
    const { code, err } = await runHere(['replay', cassette, '--junit', junit, ...asking])
    expect(code).toBe(1)
    expect(err).toContain('CASSETTE MISS')
    expect(readFileSync(junit, 'utf8')).toContain('<testcase')
  })

  it('fails when nothing was served, and passes the exit code of the command on', async () => {
    expect((await runHere(['replay', cassette, '--', 'true'])).code).toBe(1)
    expect((await sandgate(['replay', cassette, '--', 'sh', '-c', 'exit 9'])).code).toBe(9)
  })

  it('says what is wrong with a file, and ends with a code of its own', async () => {
    const missing = await runHere(['replay', join(directory, 'nothing.har')])
    expect(missing.code).toBe(7)
    expect(missing.err).toContain('nothing.har')
    expect((await runHere(['replay'])).code).toBe(2)
  })
})

describe('replay, in a test file', () => {
  it('answers from the tape and returns the ledger', async () => {
    const tape = await replay(cassette)
    await program(tape.url, 'whatever')
    expect(await tape.close()).toMatchObject({ served: 2, live: 1, missed: 0, unused: [] })
  })

  it('answers 424 with the report where the tape has nothing', async () => {
    const tape = await replay(cassette)
    const body = new URLSearchParams({ client_id: one.keyId, client_secret: 'x' })
    const token = (await (await fetch(`${tape.url}/auth/token`, { method: 'POST', body })).json()) as {
      access_token: string
    }
    const headers = { authorization: `Bearer ${token.access_token}` }
    const response = await fetch(`${tape.url}/v1/webhooks/ip-ranges`, { headers })
    expect(response.status).toBe(424)
    expect(await response.json()).toMatchObject({ code: 'CASSETTE_MISS' })
    expect(tape.misses()).toHaveLength(1)
    await tape.close()
  })

  it('keeps parallel clients apart by the lane in their path', async () => {
    const tape = await replay(cassette)
    await Promise.all(['a', 'b', 'c'].map((lane) => program(`${tape.url}/_lane/${lane}`, 'x')))
    expect(await tape.close()).toMatchObject({ missed: 0 })
  })
})
