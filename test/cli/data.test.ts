import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { get, post } from '../support/http.ts'
import { partner, partnerConfig } from '../support/partners.ts'

const client = partner('holder')
let gateway: Gateway
let config = ''

beforeAll(async () => {
  gateway = await startGateway({ partners: [client] })
  config = join(temporaryDirectory('cli'), 'sandgate.yaml')
  const settings = {
    operator: { port: 18_998 },
    store: { path: gateway.dataDir },
    partners: [partnerConfig(client)],
  }
  writeFileSync(config, stringify(settings))
})
afterAll(() => gateway.stop())

async function sandgate(...args: string[]): Promise<{ stdout: string; stderr: string; code: number }> {
  const command = join(import.meta.dirname, '../../dist/cli/main.js')
  return promisify(execFile)(process.execPath, [command, ...args, '--config', config]).then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  )
}

const used = (stdout: string, kind: string) =>
  Number(new RegExp(`^${kind} +([0-9]+) `, 'm').exec(stdout)?.[1])
const open = () =>
  post(gateway, '/v1/accounts/open', {
    customerRef: 'C',
    phone: '+2250700000001',
    firstName: 'A',
    lastName: 'B',
  })
const hook = () => post(gateway, '/v1/webhooks', { url: 'https://a.example/', events: ['*'] })

it('what a partner holds is shown and deleted through the operator listener of a running gateway', async () => {
  await open()
  await hook()
  const on = ['--partner', 'holder', '--operator', gateway.operatorUrl]
  const shown = await sandgate('data', 'usage', ...on)
  expect([used(shown.stdout, 'accounts'), used(shown.stdout, 'webhooks'), shown.code]).toEqual([1, 1, 0])
  expect(shown.stdout).toMatch(/^keys +[0-9]+ +1073741824 +bytes$/m)
  const some = await sandgate('data', 'reset', ...on, '--kind', 'webhooks')
  expect([used(some.stdout, 'accounts'), used(some.stdout, 'webhooks')]).toEqual([1, 0])
  const all = await sandgate('data', 'reset', ...on)
  expect([used(all.stdout, 'accounts'), used(all.stdout, 'keys'), all.code]).toEqual([0, 0, 0])
  expect((await get(gateway, '/v1/accounts')).json.items).toEqual([])
})

it('what cannot be meant is refused with what can', async () => {
  const kind = await sandgate('data', 'reset', '--partner', 'holder', '--kind', 'scores')
  expect([kind.code, kind.stderr]).toEqual([2, expect.stringContaining('accounts, sessions, webhooks, keys')])
  const nobody = await sandgate('data', 'usage', '--partner', 'nobody')
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('there are holder')])
  for (const [path, init] of [
    ['/data/nobody', {}],
    ['/data/nobody/reset', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }],
  ] as const)
    expect((await fetch(gateway.operatorUrl + path, init)).status).toBe(404)
  for (const body of ['{"kind":"scores"}', '[]', '{"kind":"keys","x":1}', 'null'])
    expect(
      (
        await fetch(`${gateway.operatorUrl}/data/holder/reset`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        })
      ).status,
    ).toBe(400)
})

it('a running gateway is asked through its directory; when nothing runs, the directory is looked into', async () => {
  await open()
  const asked = await sandgate('data', 'usage', '--partner', 'holder')
  expect([used(asked.stdout, 'accounts'), asked.code]).toEqual([1, 0])
  await gateway.stop()
  const shown = await sandgate('data', 'usage', '--partner', 'holder')
  expect([used(shown.stdout, 'accounts'), shown.code]).toEqual([1, 0])
  const reset = await sandgate('data', 'reset', '--partner', 'holder', '--kind', 'accounts')
  expect([used(reset.stdout, 'accounts'), reset.code]).toEqual([0, 0])
  expect(used((await sandgate('data', 'usage', '--partner', 'holder')).stdout, 'keys')).toBeGreaterThan(0)
})
