import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { scratch } from '../cassettes/recording-fixtures.ts'
import { COMMAND, environmentOfADesk } from '../support/command.ts'
import { recordHere } from './command.ts'
import { type Handler, record, startUpstream } from './upstream.ts'

const root = scratch()
let out = ''
let count = 0
beforeEach(() => {
  out = join(root, String(++count), 'tests.har')
})

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [COMMAND, 'record', ...args], {
    env: { ...environmentOfADesk(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk)
  })
  const ended: Promise<Ended> = once(child, 'close').then(([code]) => ({ code, stdout, stderr }))
  return { child, ended }
}

const recording = (args: readonly string[], env: Record<string, string> = {}) => start(args, env).ended
/** A command that makes one request and ends with a code. */
const client = (code: number) => ['sh', '-ec', `curl -s -o /dev/null "$SANDGATE_URL"/v1/x; exit ${code}`]

const answering: Handler = (req, res) => req.resume().on('end', () => res.end('{"ok":true}'))

describe('sandgate record', () => {
  it.each([0, 3])('runs a command against the recorder, and ends with its exit code %i', async (code) => {
    const { url } = await startUpstream(answering)
    const run = code === 0 ? recordHere : recording
    const ended = await run(['--upstream', url.origin, '--out', out, '--', ...client(code)])
    expect(ended.stderr).toBe(
      `sandgate record: outcome rules: the built-in ones (8 magic inputs, 4 seeded references), because the sandbox does not tell them (GET /v1/sandbox/outcomes is 404)\nsandgate record: recorded 1 exchange, redacted 0 secret and 0 personal values: ${out}\n`,
    )
    expect(ended.stdout).toMatch(new RegExp(`^recording http://127\\.0\\.0\\.1:\\d+ -> ${url.origin}\n$`))
    expect(ended.code).toBe(code)
    expect(loadCassette(out).interactions).toHaveLength(1)
  })

  it('without a command records until it is stopped', async () => {
    const { url } = await startUpstream(answering)
    const { child, ended } = start(['--upstream', `${url.origin}/base/`, '--out', out])
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    const recorder = line.split(' ')[1]
    await fetch(`${recorder}/v1/score`)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining('recorded 1 exchange') })
    expect(loadCassette(out).interactions[0]).toMatchObject({
      operation: 'score.read',
      request: { target: '/v1/score' },
    })
  })

  it('writes no secret to the disk, at no time', async () => {
    const canaries = {
      basic: 'canary-basic-secret-4711',
      token: 'canary-access-token-0815',
      cookie: 'canary-cookie-31337',
      form: 'canary-form-secret-2718',
    }
    const directory = join(root, String(count))
    const leaks = () =>
      readdirSync(directory).flatMap((file) => {
        const text = readFileSync(join(directory, file), 'latin1')
        return Object.values(canaries).filter((secret) => text.includes(secret))
      })
    const { url } = await startUpstream((req, res) =>
      req.resume().on('end', () => {
        res.setHeader('Set-Cookie', `session=${canaries.cookie}`)
        res.setHeader('Content-Type', 'application/json')
        res.end(JSON.stringify({ access_token: canaries.token, token_type: 'Bearer', expires_in: 3600 }))
      }),
    )
    const { child, ended } = start(['--upstream', url.origin, '--out', out, '--mode', 'all'])
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    const recorder = line.split(' ')[1]
    const basic = Buffer.from(`someone:${canaries.basic}`).toString('base64')
    await fetch(`${recorder}/auth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, cookie: canaries.cookie },
      body: new URLSearchParams({ grant_type: 'client_credentials', client_secret: canaries.form }),
    })
    await fetch(`${recorder}/v1/unknown?token=${canaries.token}`, {
      headers: { authorization: `Bearer ${canaries.token}` },
    })
    expect(leaks()).toEqual([])
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 0 })
    expect(leaks()).toEqual([])
    expect(readFileSync(out, 'latin1')).not.toContain(basic)
    expect(loadCassette(out).interactions.map(({ lane }) => lane)).toEqual(['client-1', 'client-1'])
  })

  it('ends with 6 when nothing passed, and writes nothing', async () => {
    const { url } = await startUpstream(answering)
    const ended = await recordHere(['--upstream', url.origin, '--out', out, '--', 'true'])
    expect(ended).toMatchObject({ code: 6, stderr: expect.stringContaining('nothing passed') })
    expect(existsSync(out)).toBe(false)
  })

  it('ends with 6 when nothing was answered', async () => {
    const ended = await recordHere(['--upstream', 'http://127.0.0.1:1', '--out', out, '--', ...client(0)])
    expect(ended).toMatchObject({ code: 6, stderr: expect.stringContaining('no exchange had a reply') })
    expect(existsSync(out)).toBe(false)
    expect(ended.stderr).toContain(
      'GET /v1/…: UPSTREAM_UNAVAILABLE (ECONNREFUSED). It refused the connection.',
    )
  })

  it('ends with 6 when somebody records this cassette, or where it cannot be written', async () => {
    const { url } = await startUpstream(answering)
    const recorder = await record(url, out)
    const second = await recordHere(['--upstream', url.origin, '--out', out, '--', ...client(0)])
    expect(second).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringContaining(`process ${process.pid} is recording`),
    })
    await recorder.finish()
    writeFileSync(join(root, 'file'), '')
    const blocked = await recordHere(['--upstream', url.origin, '--out', join(root, 'file/tests.har')])
    expect(blocked).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('its directory cannot be made ('),
    })
  })

  it.each([
    [[], 'name the cassette with --out FILE'],
    [['--upstream', 'http://x'], 'name the cassette with --out FILE'],
    [['--upstream', 'ftp://x', '--out', 'a'], '--upstream takes an http or https URL'],
    [
      ['--upstream', 'http://u:p@x', '--out', 'a'],
      '--upstream takes an http or https URL without credentials',
    ],
    [
      ['--upstream', 'http://x', '--out', 'a', '--port', '99999'],
      '--port takes a number from 0 to 65535, not 99999',
    ],
    [
      ['--upstream', 'http://x', '--out', 'a', '--mode', 'some'],
      '--mode is one of none, once, new_episodes, all, not some',
    ],
    [
      ['--upstream', 'http://x', '--out', 'a', '--timeout', '0'],
      '--timeout takes a number of seconds from 1 to 86400, not 0',
    ],
    [['--out', 'a', '--mode', 'all'], 'name the sandbox with --upstream URL'],
    [['--out', 'a'], 'name the sandbox with --upstream URL'],
  ])('says what is wrong with %j', async (args, message) => {
    const ended = await recordHere(args)
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toContain(`sandgate record: ${message}`)
    expect(ended.stderr.trim()).not.toContain('\n')
  })
})
