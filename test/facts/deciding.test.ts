import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { DEFAULT_OUTCOMES, DEFAULT_SCORES } from '../../src/config/outcomes.ts'
import { record, replay } from '../../src/sandgate.ts'
import { readPublishedOutcomes } from '../../src/simulator/published-outcomes.ts'
import { WAIT_MS } from '../support/effort.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { ask, type Client, signIn } from './partner.ts'

const directory = temporaryDirectory('deciding')
const file = (name: string) => join(directory, name)

const OWN_RULE = {
  id: 'our-bad-phone',
  operations: ['kyc.submit'],
  field: 'phone',
  test: { equals: '+2250712340000' },
  outcome: 'rejected',
}
const SCORES = { 'CUS-VIP': 850, 'CUS-0003': 301 }

let gateway: Gateway
beforeAll(async () => {
  const config = { outcomes: [OWN_RULE], scores: SCORES, recording: { directory } }
  gateway = await startGateway({ runs: 'here', config })
})

const kyc = (client: Client, phone: string) => ask(client, 'POST', '/v1/kyc/submit', { phone })
const score = (client: Client, reference: string) => ask(client, 'GET', `/v1/score?customerRef=${reference}`)
const open = (client: Client, customerRef: string) => {
  const person = { phone: '+2250712345678', firstName: 'Awa', lastName: 'Koné' }
  return ask(client, 'POST', '/v1/accounts/open', { customerRef, ...person })
}

describe('GET /v1/sandbox/outcomes', () => {
  it('tells without a token what decides, as data that can be read back', async () => {
    const response = await fetch(`${gateway.url}/v1/sandbox/outcomes`)
    expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([200, '300'])
    const document = (await response.json()) as { magicInputs: object[]; namedOutcomes: object[] }
    expect(document.magicInputs).toEqual([
      {
        operation: 'kyc.submit',
        field: 'phone',
        test: { equals: '+2250712340000' },
        outcome: 'rejected',
        rule: 'our-bad-phone',
      },
    ])
    expect(document.namedOutcomes).toContainEqual(
      expect.objectContaining({ operation: 'payments.fund', test: { equals: 'failed' }, rule: 'requested' }),
    )
    expect(readPublishedOutcomes(document)).toEqual({ rules: [OWN_RULE], scores: SCORES })
  })
})

describe('a recording of a sandbox with rules of its own', () => {
  const cassette = file('own.har')

  beforeAll(async () => {
    const recorder = await record({ upstream: gateway.url, out: cassette, mode: 'all' })
    const client = await signIn(recorder.url, gateway)
    await kyc(client, OWN_RULE.test.equals)
    await kyc(client, '+2250712345678')
    await score(client, 'CUS-VIP')
    await score(client, 'CUS-0003')
    await score(client, 'NOPE-1')
    await open(client, 'CUS-made-up-1')
    await score(client, 'CUS-made-up-1')
    await recorder.finish()
  })

  it('carries them, asked for before anything passed and never recorded', () => {
    const { outcomes, interactions, version } = loadCassette(cassette)
    expect(version).toBe(2)
    expect(outcomes).toEqual({ from: 'sandbox', rules: [OWN_RULE], scores: SCORES })
    expect(interactions.map(({ request }) => request.target)).not.toContain('/v1/sandbox/outcomes')
  })

  it('compares what decides there, and takes another value for what does not', async () => {
    const tape = await replay(cassette)
    const client = await signIn(tape.url, gateway)
    expect(await kyc(client, '+2250799999999')).toMatchObject({ outcome: 'approved' })
    expect(await kyc(client, OWN_RULE.test.equals)).toMatchObject({ outcome: 'rejected' })
    expect(await score(client, 'CUS-0003')).toMatchObject({ score: 301 })
    expect(await score(client, 'CUS-0001')).toMatchObject({ status: 424 })
    expect(await score(client, 'NOPE-1')).toMatchObject({ status: 404 })
    expect(await score(client, 'NOPE-2')).toMatchObject({ status: 424 })
    const told = (await (await fetch(`${tape.url}/v1/sandbox/outcomes`)).json()) as object
    expect(readPublishedOutcomes(told)).toEqual({ rules: [OWN_RULE], scores: SCORES })
    await tape.close()
  })

  it('binds a reference in a read only where this run has made one as well; --volatile by hand outranks it', async () => {
    for (const [makes, volatile, status] of [
      [true, [], 200],
      [false, [], 424],
      // Bound to the first one that decides nothing, which nobody had made.
      [false, ['customerRef'], 404],
    ] as const) {
      const tape = await replay(cassette, { volatile })
      const client = await signIn(tape.url, gateway)
      if (makes) await open(client, 'CUS-of-this-run')
      expect(await score(client, 'CUS-of-this-run')).toMatchObject({ status })
      const offered = tape
        .misses()
        .flatMap(({ closest }) => closest.flatMap(({ reasons }) => reasons.map(({ rule }) => rule)))
      if (status === 424) expect(offered).toContain('--volatile /customerRef')
      await tape.close()
    }
  })

  it('replays what was read before it was made', async () => {
    const out = file('later.har')
    const recorder = await record({ upstream: gateway.url, out, mode: 'all' })
    const told = async (client: Client, reference: string) => [
      (await score(client, reference)).status,
      (await open(client, reference)).status,
      (await score(client, reference)).status,
    ]
    expect(await told(await signIn(recorder.url, gateway), 'CUS-later-1')).toEqual([404, 201, 200])
    await recorder.finish()
    const tape = await replay(out)
    expect(await told(await signIn(tape.url, gateway), 'CUS-later-2')).toEqual([404, 201, 200])
    await tape.close()
  })
})

describe('a sandbox that tells nothing, or nonsense', () => {
  const answers: Record<string, (n: number) => [number, string] | undefined> = {
    'nothing at all': () => undefined,
    'no such path': () => [404, '{}'],
    'a page': () => [200, '<html>'],
    'a pattern that takes for ever': () => [200, published([{ ...OWN_RULE, test: { matches: '(a+)+b' } }])],
    'too many rules': () => [
      200,
      published(Array.from({ length: 1001 }, (_, i) => ({ ...OWN_RULE, id: `r-${i}` }))),
    ],
    'an outcome that there is not': () => [200, published([{ ...OWN_RULE, outcome: 'maybe' }])],
  }
  const published = (rules: readonly (typeof OWN_RULE | object)[]) =>
    JSON.stringify({
      magicInputs: rules.map((rule) => {
        const { id, operations, ...rest } = rule as typeof OWN_RULE
        return { ...rest, operation: operations[0], rule: id }
      }),
      namedOutcomes: [],
      seededReferences: [],
    })
  let answer: ((n: number) => [number, string] | undefined) | undefined
  const server = createServer((req, res) => {
    const told = req.url === '/v1/sandbox/outcomes' ? answer?.(0) : ([200, '{}'] as [number, string])
    if (told) res.writeHead(told[0], { 'content-type': 'application/json' }).end(told[1])
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })

  it.each(Object.keys(answers))('is recorded with the built-in rules: %s', async (name) => {
    answer = answers[name]
    const out = file(`${name}.har`)
    const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const recorder = await record({ upstream, out, mode: 'all' })
    await fetch(`${recorder.url}/v1/accounts`)
    await recorder.finish()
    expect(loadCassette(out).outcomes).toEqual({
      from: 'built-in',
      rules: DEFAULT_OUTCOMES,
      scores: DEFAULT_SCORES,
    })
  })
})

describe('rules that change while the front door records', () => {
  it('finish the recording, which goes on as NAME-2 under the new ones', async () => {
    const operator = (method: string, path: string, body?: object) =>
      fetch(`${own.operatorUrl}${path}`, {
        method,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })
    const own = await startGateway({ config: { scores: SCORES, recording: { directory } } })
    expect((await operator('POST', '/recordings', { name: 'moving', partner: null })).status).toBe(201)
    const client = await signIn(own.url, own)
    await score(client, 'CUS-VIP')
    changeScores(own, { 'CUS-VIP': 400 })
    await expect.poll(async () => (await score(client, 'CUS-VIP')).score, { timeout: WAIT_MS }).toBe(400)
    await expect
      .poll(async () => JSON.stringify(await (await operator('GET', '/recordings')).json()))
      .toContain('"moving-2"')
    expect(
      ((await (await operator('DELETE', '/recordings/moving')).json()) as { path: string }).path,
    ).toMatch(/moving-2\.har$/)
    const [before, after] = ['moving', 'moving-2'].map((name) => loadCassette(file(`${name}.har`)))
    expect(before?.outcomes?.scores).toEqual(SCORES)
    expect(after?.outcomes?.scores).toEqual({ 'CUS-VIP': 400 })
    for (const cassette of [before, after]) expect(cassette?.interactions.length).toBeGreaterThan(0)
  })
})

function changeScores(gateway: Gateway, scores: object): void {
  const [path] =
    /\S+sandgate\.yaml/.exec(readFileSync(`/proc/${gateway.pid}/cmdline`, 'utf8').replaceAll('\0', ' ')) ?? []
  if (!path) throw new Error('the gateway has a configuration')
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, `${text.replace(/^scores:\n(?: .*\n)+/m, '')}${stringify({ scores })}`)
}
