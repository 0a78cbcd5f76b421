import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { COMMAND, sandgate } from '../support/command.ts'
import { runHere } from '../support/command-line.ts'
import { freePort } from '../support/free-port.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'

/** From an empty directory, against one gateway, as any partner would. */
let gateway: Gateway
let directory = ''
let env: Record<string, string> = {}
let token = ''

beforeAll(async () => {
  gateway = await startGateway({ config: { rateLimits: { groups: { token: 1000 } } } })
  directory = temporaryDirectory('call')
  const { keyId, secret } = gateway.nextPartner()
  env = { SANDGATE_URL: gateway.url, SANDGATE_CLIENT_ID: keyId, SANDGATE_CLIENT_SECRET: secret }
  token = (await runHere(['token'], env, directory)).out.trim()
})

afterAll(() => gateway.stop())

const run = (...args: string[]) => sandgate(directory, args, env)
/** With a token that is there already, as in a script of many calls. */
const call = (...args: string[]) => runHere(['call', ...args], { ...env, SANDGATE_TOKEN: token }, directory)

describe('sandgate token', () => {
  it('prints a token and nothing else', async () => {
    const { code, out, err } = await run('token')
    expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  it('narrows its scopes, and shows the whole answer as JSON', async () => {
    const { out } = await runHere(
      ['token', '--scopes', 'payments:write,accounts:read', '--json'],
      env,
      directory,
    )
    expect(JSON.parse(out)).toMatchObject({ token_type: 'Bearer', scope: 'accounts:read payments:write' })
  })

  it('says why there is none, and never the secret', async () => {
    const secret = 'sk_sandbox_never_printed_0123456789'
    const { code, out, err } = await runHere(['token'], { ...env, SANDGATE_CLIENT_SECRET: secret }, directory)
    expect(err).toMatch(/^sandgate token: 401, and no token\nINVALID_CLIENT\n/)
    expect(err + out).not.toContain(secret)
    expect({ code, out }).toEqual({ code: 8, out: '' })
  })
})

describe('sandgate call', () => {
  it('makes one call with a token and a key of its own, typed by the schema', async () => {
    const { code, out, err } = await run('call', 'payments.fund', 'amount=5077', 'reference=007')
    expect(JSON.parse(out)).toMatchObject({ amount: 5077, reference: '007', outcome: 'success' })
    expect(err).toMatch(/^Idempotency-Key: [0-9a-f-]{36}\n200\n/)
    expect(err).toContain('X-Sandbox-Rule: payment-amount-77')
    expect(code).toBe(0)
  })

  it('sends the same request again with the key that it showed', async () => {
    const key = '1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d11'
    const first = await call('payments.fund', 'amount=5077', '--key', key)
    const second = await call('payments.fund', 'amount=5077', '--key', key)
    expect(second.out).toBe(first.out)
    expect(second.err).toContain('Idempotency-Replayed: true')
  })

  it('puts names into the path, the query and the body, and reads a body from a file or a pipe', async () => {
    writeFileSync(
      join(directory, 'account.json'),
      '{"customerRef":"C-1","phone":"+2250700000001","firstName":"Awa","lastName":"x"}',
    )
    const opened = await call('accounts.open', '@account.json', 'lastName=Koné').then(({ err }) => err)
    expect(opened).toContain('lastName is given twice')
    const { out } = await call('accounts.open', '@account.json', 'country=CI')
    const { accountId } = JSON.parse(out)
    expect(JSON.parse((await call('accounts.read', `accountId=${accountId}`)).out)).toMatchObject({
      country: 'CI',
    })
    expect(JSON.parse((await call('accounts.list', 'limit=1')).out).items).toHaveLength(1)
    const piped = await new Promise<string>((resolve) => {
      const child = execFile(
        process.execPath,
        [COMMAND, 'call', 'payments.fund', '@-'],
        { cwd: directory, env: { ...process.env, ...env, SANDGATE_TOKEN: token } },
        (_, stdout) => resolve(stdout),
      )
      child.stdin?.end('{"amount":1000}')
    })
    expect(JSON.parse(piped)).toMatchObject({ amount: 1000, outcome: 'failed' })
  })

  it('shows a refusal in words, and ends with 8', async () => {
    const { code, out, err } = await call('payments.fund', 'amount=many')
    expect(err).toMatch(/VALIDATION_FAILED\nThe request is not valid\n.*\n {2}#\/amount: must be/)
    expect(err).toContain('Correct everything listed')
    expect(JSON.parse(out)).toMatchObject({ code: 'VALIDATION_FAILED' })
    expect(code).toBe(8)
  })

  it('takes header lines, commas and all, and prints the whole head when asked', async () => {
    const { out, err } = await call(
      'payments.fund',
      'amount=12345',
      '-i',
      '--quiet',
      '--header',
      'X-Sandbox-Outcome: failed',
      '--header',
      'Accept: application/json, */*',
    )
    expect(out).toMatch(/^HTTP\/1\.1 200\n[\s\S]*X-Request-Id: \S+\n[\s\S]*\n\n\{[\s\S]*"outcome":"failed"/i)
    expect(err).toBe('')
  })

  it.each([
    [['payment.fund'], 'there is no operation payment.fund; did you mean payments.fund?'],
    [['payments.fund', 'amuont=1'], 'there is no parameter amuont; did you mean amount?'],
    [['accounts.read'], 'it needs accountId=VALUE; see sandgate call accounts.read --help'],
    [['accounts.list', 'limt=1'], 'there is no parameter limt; did you mean limit?'],
    [['accounts.list', '@account.json'], 'accounts.list has no body'],
    [['payments.fund', '@nowhere.json'], 'nowhere.json cannot be read (ENOENT)'],
    [['payments.fund', '--header', 'Host: elsewhere'], '--header cannot set Host'],
    [['payments.fund', '--header', 'nothing'], "--header takes one line such as 'X-Sandbox-Outcome: failed'"],
    [['auth.token'], 'sandgate token asks for a token'],
    [[], 'name an operation, such as payments.fund'],
  ])('%j is told what is wrong, and nothing is sent', async (args, message) => {
    const { code, out, err } = await runHere(['call', ...args], {}, directory)
    expect(err).toContain(message)
    expect({ code, out }).toEqual({ code: 2, out: '' })
  })

  it('shows what an operation takes, and an example that works', async () => {
    const { out } = await call('payments.fund', '--help')
    expect(out).toMatch(/amount +Required\. /)
    const [, example = ''] = /Example:\n {2}sandgate call (.*)\n/.exec(out) ?? []
    expect((await call(...example.split(' '))).code).toBe(0)
    expect((await call('--list')).out).toContain('accounts.open: Open an account.\n    customerRef phone')
  })
})

describe('what is sent goes nowhere else', () => {
  it('names what to start where nothing answers, and ends with 9', async () => {
    const SANDGATE_URL = `http://127.0.0.1:${await freePort()}`
    const { code, err } = await runHere(['call', 'accounts.list'], { SANDGATE_URL }, directory)
    expect(err).toMatch(/nothing answers there; start a gateway with sandgate serve, or set SANDGATE_URL/)
    expect(code).toBe(9)
  })

  it.each([
    [{ SANDGATE_URL: 'http://sandbox.example.com' }, 'use https, or say --allow-http'],
    [{ SANDGATE_URL: 'https://sandbox.example.com' }, 'the demo partner exists on this machine only'],
    [{ SANDGATE_URL: 'https://me:pw@sandbox.example.com' }, 'SANDGATE_URL must be an http or https URL'],
    [{ SANDGATE_CLIENT_ID: 'key_demo' }, 'set SANDGATE_CLIENT_SECRET as well'],
    [{ SANDGATE_TOKEN: 'two words' }, 'SANDGATE_TOKEN is no token'],
  ])('%j is refused before anything is sent', async (settings, message) => {
    const { code, err } = await runHere(['call', 'accounts.list'], settings, directory)
    expect(err).toContain(message)
    expect(err).not.toContain('pw')
    expect(code).toBe(2)
  })

  it('follows no redirect, repeats no token, and steers no terminal', async () => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(request.url ?? '')
      const detail = `${request.headers.authorization} \u001b[2J`
      if (request.url === '/v1/accounts') response.writeHead(307, { location: '/elsewhere' }).end()
      else response.writeHead(500).end(JSON.stringify({ title: 'Broken', detail }))
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const SANDGATE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const settings = { SANDGATE_URL, SANDGATE_TOKEN: 'a.secret.token' }
    const led = await runHere(['call', 'accounts.list'], settings, directory)
    expect(led).toMatchObject({
      code: 8,
      err: expect.stringContaining('It leads to /elsewhere, where nothing was sent.'),
    })
    const broken = await runHere(['call', 'score.read', 'customerRef=C-1'], settings, directory)
    expect(broken).toMatchObject({ code: 9, err: expect.stringContaining('Bearer [secret] \\u001b[2J') })
    expect(seen).toEqual(['/v1/accounts', '/v1/score?customerRef=C-1'])
  })
})

it('--quiet starts a gateway without a greeting, and nothing and half a command end with 2', async () => {
  expect(gateway.logs()).toContain('Sandgate answers partners on')
  const quiet = await startGateway({ flags: ['--quiet'] })
  onTestFinished(() => void quiet.stop())
  expect(quiet.logs()).not.toContain('Sandgate answers partners on')
  for (const args of [[], ['cassette']]) {
    const { code, out, err } = await sandgate(directory, args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('--help')
  }
})
