import { execFile, spawn } from 'node:child_process'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryDirectory } from '../support/gateway.ts'

const COMMAND = join(import.meta.dirname, '../../dist/cli/main.js')
const directory = temporaryDirectory('keys-live')
const config = join(directory, 'sandgate.yaml')
const run = promisify(execFile)
let base = ''
let gateway: ReturnType<typeof spawn>

beforeAll(async () => {
  cpSync('config', directory, { recursive: true })
  const args = ['serve', '--config', config, '--store', 'memory', '--port', '0', '--operator-port', '0']
  gateway = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
  for await (const line of createInterface({ input: gateway.stdout ?? process.stdin })) {
    if (!line.includes('"listening"')) continue
    base = (JSON.parse(line) as { partnerUrl: string }).partnerUrl
    break
  }
})

afterAll(() => {
  gateway.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
})

async function signIn(clientId: string, secret: string): Promise<{ status: number; token: string }> {
  const body = new URLSearchParams({ client_id: clientId, client_secret: secret })
  const response = await fetch(`${base}/auth/token`, { method: 'POST', body })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return { status: response.status, token }
}

/** Asks ten times in a second until the answer is `status`; on a busy machine the second is longer, not the tries. */
async function within(status: number, ask: () => Promise<number>): Promise<number> {
  let last = await ask()
  for (let tries = 0; last !== status && tries < 10; tries++) {
    await new Promise((next) => setTimeout(next, 100))
    last = await ask()
  }
  return last
}

it('a key that is created and revoked is so in the running gateway within a second, its tokens included', async () => {
  const create = ['keys', 'create', '--partner', 'demo', '--write', '--config', config]
  const { stdout } = await run(process.execPath, [COMMAND, ...create])
  const id = /- id: (key_(?!demo)\S+)/.exec(readFileSync(join(directory, 'partners.yaml'), 'utf8'))?.[1] ?? ''
  const secret = stdout.trim()
  expect(await within(200, async () => (await signIn(id, secret)).status)).toBe(200)

  const { token } = await signIn(id, secret)
  const read = async () =>
    (await fetch(`${base}/v1/webhooks/ip-ranges`, { headers: { authorization: `Bearer ${token}` } })).status
  expect(await read()).toBe(200)
  await run(process.execPath, [COMMAND, 'keys', 'revoke', id, '--config', config])
  expect(await within(401, read)).toBe(401)
  expect((await signIn(id, secret)).status).toBe(401)
})
