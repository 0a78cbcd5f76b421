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
/** A partner's project, with the types of the document of the gateway. */
let project: string

beforeAll(async () => {
  gateway = await startGateway({ partners: [client], runs: 'here' })
  project = temporaryDirectory('typed')
  const document = await fetch(`${gateway.url}/openapi.json`)
  writeFileSync(join(project, 'openapi.json'), await document.text())
  await run('sh', ['scripts/generate-types.sh', join(project, 'openapi.json'), join(project, 'api.d.ts')])
})

/** What the compiler of TypeScript complains about. */
async function faultsOf(file: string, options: readonly string[]): Promise<string> {
  const tsc = resolve('node_modules/typescript/bin/tsc')
  const line = [tsc, '--ignoreConfig', '--strict', ...options, file]
  const { stdout } = await run(process.execPath, line, { cwd: project }).catch(
    (error: { stdout: string }) => error,
  )
  return stdout
}

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
  mkdirSync(join(project, 'out'))
  symlinkSync(resolve('node_modules'), join(project, 'node_modules'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(project, 'program.ts'), PROGRAM)
  // The declarations are checked below; those of the libraries would be most of what this costs.
  const options = '--target es2023 --module nodenext --types node --skipLibCheck --outDir out'
  expect(await faultsOf('program.ts', options.split(' '))).toBe('')
  const { stdout } = await run(process.execPath, [join(project, 'out/program.js')], {
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
  rmSync(join(project, 'node_modules'))
})

/** A partner's code: each line that must not compile says so. */
const LINES = `
import type { components, operations, paths } from './api.d.ts'

type Fund = operations['payments.fund']
const request: Fund['requestBody']['content']['application/json'] = { amount: 5077, metadata: { till: '4' } }
const headers: Fund['parameters']['header'] = {
  'Idempotency-Key': '8f14e45f-ceea-467f-a0e6-2e9b1c3d5a70',
  'X-Sandbox-Outcome': 'failed',
}
// @ts-expect-error an outcome of another operation
headers['X-Sandbox-Outcome'] = 'rejected'
// @ts-expect-error the key is required
const keyless: Fund['parameters']['header'] = {}
// @ts-expect-error money is a number
const text: components['schemas']['PaymentRequest'] = { amount: '5077' }

export function next(payment: components['schemas']['Payment']): string {
  return payment.code === 'PAYMENT_FAILED' ? (payment.resolution ?? '') : payment.paymentId
}
type Refused = Fund['responses'][400]['content']['application/problem+json']
export function explain(problem: Refused): string {
  switch (problem.code) {
    case 'PARTNER_LIMIT_EXCEEDED':
      return String(problem.resetAt)
    case 'VALIDATION_FAILED':
      return (problem.errors ?? []).map(({ detail }) => detail).join()
    // @ts-expect-error not a code of this status
    case 'RATE_LIMITED':
    default:
      return problem.resolution
  }
}
type Query = paths['/v1/score']['get']['parameters']['query']
const query: Query = { customerRef: 'CUS-0001' }
export { headers, keyless, query, request, text }
`

it('types that a partner generates from the document compile under strict and say what the interface says', async () => {
  writeFileSync(join(project, 'use.ts'), LINES)
  const options = [
    '--noEmit',
    '--target',
    'es2022',
    '--module',
    'esnext',
    '--types',
    '',
    '--skipDefaultLibCheck',
  ]
  expect(await faultsOf('use.ts', options)).toBe('')
})
