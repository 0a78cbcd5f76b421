import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A server under measurement. It is stopped (SIGSTOP) whenever another one is measured. */
export type Subject = {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly pause: () => void
  readonly resume: () => void
  readonly stop: () => Promise<void>
}

const SERVER_CORE = '0'
const ROOT = resolve(import.meta.dirname, '../..')

export const CLIENT = { id: 'key_bench', secret: 'sk_sandbox_benchmark_key_on_loopback_only' }

/** A bare server of bench/peers, as the other side of a ratio. */
export function startPeer(name: string, file: string): Promise<Subject> {
  return start(name, [join(import.meta.dirname, 'peers', file)], () => {})
}

/** The product's own command, with limits and caps that the load does not reach. */
export async function startGateway(name: string, settings = ''): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), 'sandgate-bench-'))
  const config = join(directory, 'sandgate.yaml')
  writeFileSync(config, `${GENEROUS}${settings}`)
  const command = ['dist/cli/main.js', 'serve', '--config', config, '--port', '0', '--operator-port', '0']
  return start(name, [...command, '--data', join(directory, 'data')], () =>
    rmSync(directory, { recursive: true, force: true }),
  )
}

const HUGE = 1_000_000_000
const GENEROUS = `
rateLimits:
  groups: { token: ${HUGE}, accounts.open: ${HUGE}, kyc.submit: ${HUGE}, payments.fund: ${HUGE}, payments.cashout: ${HUGE}, credit.simulate: ${HUGE}, credit.apply: ${HUGE}, other: ${HUGE} }
caps:
  - { product: payments.fund, period: day, unit: amount, limit: 9007199254740991 }
partners:
  - id: demo
    name: Demo partner
    tenant: tn_sandbox_demo
    scopes: [accounts:read, accounts:write, kyc:initiate, payments:write, webhooks:register]
    keys: [{ id: key_bench, sha256: 5c1bc90c1b0f52833a03b53f1920b80eced532b029aba1e62f9caac63bda4060 }]
`

async function start(name: string, args: readonly string[], cleanUp: () => void): Promise<Subject> {
  const child = spawn('taskset', ['-c', SERVER_CORE, process.execPath, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await listeningUrl(child)
  const { pid } = child
  if (pid === undefined) throw new Error(`${name} has no process id`)
  return {
    name,
    url,
    pid,
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    stop: () =>
      new Promise((done) => {
        child.once('exit', () => {
          cleanUp()
          done()
        })
        child.kill('SIGCONT')
        child.kill('SIGTERM')
      }),
  }
}

/** The first URL that the server prints; what it prints later is thrown away. */
function listeningUrl(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let text = ''
    child.once('exit', (code) => fail(new Error(`the server ended with ${code} before it listened`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      if (text.length > 65_536) return
      text += chunk.toString()
      const url = /http:\/\/127\.0\.0\.1:[0-9]+/.exec(text)?.[0]
      if (url) done(url)
    })
  })
}

export async function accessToken(url: string): Promise<string> {
  const response = await fetch(`${url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: CLIENT.id, client_secret: CLIENT.secret }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return token
}
