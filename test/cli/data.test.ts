import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { runHere } from '../support/command-line.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { get, post } from '../support/http.ts'
import { partner, partnerConfig } from '../support/partners.ts'

const client = partner('holder')
let gateway: Gateway
let config = ''

beforeAll(async () => {
  gateway = await startGateway({ partners: [client], runs: 'here' })
  config = join(temporaryDirectory('cli'), 'sandgate.yaml')
  const settings = {
    operator: { port: 18_998 },
    store: { path: gateway.dataDir },
    partners: [partnerConfig(client)],
  }
  writeFileSync(config, stringify(settings))
})
afterAll(() => gateway.stop())

const sandgate = (...args: string[]) => runHere([...args, '--config', config])

const used = (out: string, kind: string) => Number(new RegExp(`^${kind} +([0-9]+) `, 'm').exec(out)?.[1])
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
  expect([used(shown.out, 'accounts'), used(shown.out, 'webhooks'), shown.code]).toEqual([1, 1, 0])
  expect(shown.out).toMatch(/^keys +[0-9]+ +1073741824 +bytes$/m)
  const some = await sandgate('data', 'reset', ...on, '--kind', 'webhooks')
  expect([used(some.out, 'accounts'), used(some.out, 'webhooks')]).toEqual([1, 0])
  const all = await sandgate('data', 'reset', ...on)
  expect([used(all.out, 'accounts'), used(all.out, 'keys'), all.code]).toEqual([0, 0, 0])
  expect((await get(gateway, '/v1/accounts')).json.items).toEqual([])
})

it('what cannot be meant is refused with what can', async () => {
  const kind = await sandgate('data', 'reset', '--partner', 'holder', '--kind', 'scores')
  expect([kind.code, kind.err]).toEqual([2, expect.stringContaining('accounts, sessions, webhooks, keys')])
  const nobody = await sandgate('data', 'usage', '--partner', 'nobody')
  expect([nobody.code, nobody.err]).toEqual([2, expect.stringContaining('there are holder')])
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
  expect([used(asked.out, 'accounts'), asked.code]).toEqual([1, 0])
  await gateway.stop()
  const shown = await sandgate('data', 'usage', '--partner', 'holder')
  expect([used(shown.out, 'accounts'), shown.code]).toEqual([1, 0])
  const reset = await sandgate('data', 'reset', '--partner', 'holder', '--kind', 'accounts')
  expect([used(reset.out, 'accounts'), reset.code]).toEqual([0, 0])
  expect(used((await sandgate('data', 'usage', '--partner', 'holder')).out, 'keys')).toBeGreaterThan(0)
})
