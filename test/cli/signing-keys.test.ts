import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { partner } from '../support/partners.ts'

const client = partner('signing')
let gateway: Gateway
let config = ''

beforeAll(async () => {
  gateway = await startGateway({ partners: [client] })
  config = join(temporaryDirectory('cli'), 'sandgate.yaml')
  writeFileSync(
    config,
    `partners: []\noperator: { port: 18999 }\nstore: { path: ${JSON.stringify(gateway.dataDir)} }\n`,
  )
})

afterAll(() => gateway.stop())

/** Runs the program that ships. */
async function sandgate(...args: string[]): Promise<{ stdout: string; stderr: string; code: number }> {
  const command = join(import.meta.dirname, '../../dist/cli/main.js')
  return promisify(execFile)(process.execPath, [command, ...args, '--config', config]).then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  )
}

async function newToken(): Promise<string> {
  const body = new URLSearchParams({ client_id: client.keyId, client_secret: client.secret })
  const response = await fetch(`${gateway.url}/auth/token`, { method: 'POST', body })
  return ((await response.json()) as { access_token: string }).access_token
}

const read = (accessToken: string) =>
  fetch(`${gateway.url}/v1/webhooks/ip-ranges`, { headers: { authorization: `Bearer ${accessToken}` } })

it('a rotation through the operator listener fails no valid token, and new tokens use the new key', async () => {
  const before = await newToken()
  const { stdout, code } = await sandgate('signing-keys', 'rotate', '--operator', gateway.operatorUrl)
  expect(code).toBe(0)
  expect(stdout).toMatch(/active/)
  expect(stdout).toMatch(/retiring/)
  const after = await newToken()
  const kid = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()).kid
  expect(kid(after)).not.toBe(kid(before))
  expect((await read(before)).status).toBe(200)
  expect((await read(after)).status).toBe(200)
  const jwks = (await (await fetch(`${gateway.url}/.well-known/jwks.json`)).json()) as {
    keys: { kid: string }[]
  }
  expect(jwks.keys.map((key) => key.kid)).toEqual([kid(after), kid(before)])
})

it('a running gateway keeps its directory: without its operator listener nothing is rotated', async () => {
  const { code, stderr } = await sandgate('signing-keys', 'rotate')
  expect(code).toBe(4)
  expect(stderr).toContain('--operator')
})

it('when nothing runs, the keys of the data directory are listed and rotated', async () => {
  await gateway.stop()
  const listed = await sandgate('signing-keys', 'list')
  expect(listed.code).toBe(0)
  expect(listed.stdout.match(/active|retiring/g)).toHaveLength(2)
  const rotated = await sandgate('signing-keys', 'rotate')
  expect(rotated.stdout.match(/active|retiring/g)).toHaveLength(3)
})
