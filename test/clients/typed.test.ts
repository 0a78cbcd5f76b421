import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { partner } from '../support/partners.ts'

const run = promisify(execFile)
const client = partner('typed')
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway({ partners: [client] })
})

/** A partner's program, typed by the document alone: it compiles only as long as the types say what is sent. */
const PROGRAM = `
import createClient from 'openapi-fetch'
import type { paths } from './api.js'

const { BASE = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env
const api = createClient<paths>({ baseUrl: BASE })
const key = () => ({ 'Idempotency-Key': crypto.randomUUID() })
const got = <T>(data: T | undefined): T => {
  if (data === undefined) throw new Error('refused')
  return data
}

const token = got(
  (await api.POST('/auth/token', { body: { client_id: CLIENT_ID, client_secret: CLIENT_SECRET } })).data,
)
api.use({
  onRequest: ({ request }) => {
    request.headers.set('authorization', 'Bearer ' + token.access_token)
    return request
  },
})
const account = got(
  (await api.POST('/v1/accounts/open', {
    params: { header: key() },
    body: { customerRef: 'CUS-1', phone: '+2250700000001', firstName: 'Awa', lastName: 'Koné' },
  })).data,
)
const { accountId } = account
const read = got((await api.GET('/v1/accounts/{accountId}', { params: { path: { accountId } } })).data)
const list = got((await api.GET('/v1/accounts', { params: { query: { limit: 1 } } })).data)
const kyc = got(
  (await api.POST('/v1/kyc/submit', { params: { header: key() }, body: { phone: '+2250000000001' } })).data,
)
const session = got((await api.POST('/v1/kyc/widget/session', { params: { header: key() }, body: {} })).data)
const { sessionId } = session
const open = got((await api.GET('/v1/kyc/widget/session/{sessionId}', { params: { path: { sessionId } } })).data)
const kyb = got(
  (await api.POST('/v1/kyb/submit', { params: { header: key() }, body: { businessRef: 'BUS-001' } })).data,
)
const fund = got(
  (await api.POST('/v1/payments/fund', { params: { header: key() }, body: { amount: 5077, accountId } })).data,
)
const cashout = got(
  (await api.POST('/v1/payments/cashout', { params: { header: key() }, body: { amount: 1077 } })).data,
)
const simulation = got(
  (await api.GET('/v1/credit/simulate', { params: { query: { amount: 50011, termMonths: 6 } } })).data,
)
const credit = got(
  (await api.POST('/v1/credit/apply', {
    params: { header: key() },
    body: { customerRef: 'CUS-1', amount: 50011, simulationId: simulation.simulationId },
  })).data,
)
const score = got((await api.GET('/v1/score', { params: { query: { customerRef: 'CUS-1' } } })).data)
const hook = got(
  (await api.POST('/v1/webhooks', {
    params: { header: key() },
    body: { url: 'https://partner.example.com/hook', events: ['*'] },
  })).data,
)
const usage = got((await api.GET('/portal/usage')).data)
const { error } = await api.GET('/v1/score', { params: { query: { customerRef: 'CUS-NOBODY' } } })
console.log(
  JSON.stringify({
    minted: token.liveKeyMinted,
    same: read.accountId === accountId && list.items[0]?.accountId === accountId,
    outcomes: [kyc.outcome, kyb.outcome, fund.outcome, cashout.outcome, simulation.outcome, credit.outcome],
    open: open.decision === undefined,
    band: score.band,
    delivered: hook.delivered,
    used: usage.caps.find(({ product }) => product === 'payments.fund')?.used,
    code: error?.code,
  }),
)
`

it('types generated from the document drive a typed client through the whole interface', async () => {
  const directory = temporaryDirectory('typed')
  mkdirSync(join(directory, 'out'))
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'))
  const document = await fetch(`${gateway.url}/openapi.json`)
  writeFileSync(join(directory, 'openapi.json'), await document.text())
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(directory, 'program.ts'), PROGRAM)
  await run('sh', ['scripts/generate-types.sh', join(directory, 'openapi.json'), join(directory, 'api.d.ts')])
  const options =
    '--ignoreConfig --strict --target es2023 --module nodenext --types node --outDir out program.ts'
  const tsc = resolve('node_modules/typescript/bin/tsc')
  const { stdout: faults } = await run(process.execPath, [tsc, ...options.split(' ')], {
    cwd: directory,
  }).catch((error: { stdout: string }) => error)
  expect(faults).toBe('')
  const { stdout } = await run(process.execPath, [join(directory, 'out/program.js')], {
    env: { ...process.env, BASE: gateway.url, CLIENT_ID: client.keyId, CLIENT_SECRET: client.secret },
  })
  expect(JSON.parse(stdout)).toEqual({
    minted: false,
    same: true,
    outcomes: ['approved', 'approved', 'success', 'success', 'approved', 'approved'],
    open: true,
    band: expect.any(String),
    delivered: false,
    used: 5077,
    code: 'SCORE_NOT_FOUND',
  })
  rmSync(join(directory, 'node_modules'))
})
