import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { RecordMode } from '../../src/start/record-mode.ts'
import { type Session, type SessionOptions, startSession } from '../../src/start/recording.ts'
import { scratch } from '../cassettes/recording-fixtures.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { partner } from '../support/partners.ts'
import { type PartnerClient, signIn } from './partner-client.ts'

/** `{"alg":` in base64url: how a token begins, and no digest by chance. */
const TOKEN_START = 'eyJhbGciOi'

const one = partner('episodes')
const two = partner('second')
const root = scratch()
const opening = join(root, 'opening.har')
const loaded = loadConfig({ file: null })
if (!loaded.ok) throw new Error('the built-in configuration is good')
const { config } = loaded
let gateway: Gateway
let out = ''
let count = 0

beforeAll(async () => {
  gateway = await startGateway({ runs: 'here', partners: [one, two] })
  const recording = await startSession(sessionOptions('once', { out: opening }))
  const client = await signIn(recording.url, one)
  expect(await open(client, person())).toMatchObject({ status: 201 })
  await recording.finish()
})
beforeEach(async () => {
  // Token exchanges are counted per key and minute.
  await gateway.advance(61)
  out = join(root, String(++count), 'tests.har')
})

function sessionOptions(mode: RecordMode, more: Partial<SessionOptions>): SessionOptions {
  return { mode, out, upstream: new URL(gateway.url), port: 0, config, ...more }
}

async function session(mode: RecordMode, more: Partial<SessionOptions> = {}): Promise<Session> {
  const started = await startSession(sessionOptions(mode, more))
  let isFinished = false
  onTestFinished(async () => {
    if (!isFinished) await started.finish().catch(() => {})
  })
  return {
    ...started,
    finish: () => {
      isFinished = true
      return started.finish()
    },
  }
}

type Person = { readonly customerRef: string; readonly phone: string }
let people = 0
/** Everybody has values of their own, in every run. */
function person(): Person {
  const n = String(++people).padStart(4, '0')
  return { customerRef: `CUS-${n}-${crypto.randomUUID()}`, phone: `+22507123${n}1` }
}

const open = (client: PartnerClient, { customerRef, phone }: Person) =>
  client.post('/v1/accounts/open', { customerRef, phone, firstName: 'Awa', lastName: 'Koné' })
const kyc = (client: PartnerClient, { customerRef, phone }: Person) =>
  client.post('/v1/kyc/submit', { customerRef, phone })

/** What a body says of a person, in the cassette. */
function recorded(operation: string): Person[] {
  return loadCassette(out)
    .interactions.filter((each) => each.operation === operation)
    .map(({ request }) => JSON.parse(Buffer.from(request.body).toString()) as Person)
}

/** A cassette of one client who opens an account for one person, which was recorded once. */
function recordOpening(): string {
  mkdirSync(dirname(out))
  copyFileSync(opening, out)
  return readFileSync(out, 'utf8')
}

describe('new_episodes', () => {
  it('replays what is known, passes on what is not, and the next run finds both', async () => {
    recordOpening()
    const more = await session('new_episodes')
    expect(more).toMatchObject({ doing: 'continue', loaded: 2 })
    const [awa, binta] = [person(), person()]
    const client = await signIn(more.url, one)
    const opened = await open(client, awa)
    expect(opened).toMatchObject({ status: 201, body: { phone: awa.phone } })
    expect(await kyc(client, awa)).toMatchObject({ status: 200 })
    expect(await kyc(client, binta)).toMatchObject({ status: 200 })
    expect(await more.finish()).toMatchObject({ exchanges: 2, aborted: 0 })
    expect(more.ledger()).toMatchObject({ loaded: 2, served: 1, live: 1, missed: 0, forwarded: 2 })
    expect(more.misses()).toEqual([])

    const operations = loadCassette(out).interactions.map(({ operation, sequence }) => [sequence, operation])
    expect(operations).toEqual([
      [1, 'auth.token'],
      [2, 'accounts.open'],
      [3, 'kyc.submit'],
      [4, 'kyc.submit'],
    ])
    // The same person is the same, under the recorded names; another one is another.
    const [account] = recorded('accounts.open')
    const [same, other] = recorded('kyc.submit')
    expect(same).toEqual({ customerRef: account?.customerRef, phone: account?.phone })
    expect(other?.customerRef).not.toBe(account?.customerRef)
    expect(other?.phone).not.toBe(account?.phone)

    const replay = await session('none')
    const again = await signIn(replay.url, { ...one, secret: 'any' })
    const [fatou, mariam] = [person(), person()]
    await open(again, fatou)
    expect(await kyc(again, fatou)).toMatchObject({ status: 200, body: { phone: fatou.phone } })
    expect(await kyc(again, mariam)).toMatchObject({ status: 200, body: { phone: mariam.phone } })
    await replay.finish()
    expect(replay.ledger()).toMatchObject({ loaded: 4, served: 3, live: 1, missed: 0, unused: [] })
  })

  it('knows a person again who was first seen in a request that was passed on', async () => {
    recordOpening()
    const more = await session('new_episodes')
    const client = await signIn(more.url, one)
    const awa = person()
    await kyc(client, awa)
    await open(client, awa)
    await more.finish()
    const [account] = recorded('accounts.open')
    expect(recorded('kyc.submit')).toEqual([{ customerRef: account?.customerRef, phone: account?.phone }])
  })

  it('knows a person again who is on the tape and not in this run, where a cassette key tells', async () => {
    const cassetteKey = 'a-key-for-cassettes'
    const awa = person()
    const recording = await session('once', { cassetteKey })
    await open(await signIn(recording.url, one), awa)
    await recording.finish()
    const more = await session('new_episodes', { cassetteKey })
    const client = await signIn(more.url, one)
    await kyc(client, awa)
    await kyc(client, person())
    await more.finish()
    const [account] = recorded('accounts.open')
    const [same, other] = recorded('kyc.submit')
    expect(same?.phone).toBe(account?.phone)
    expect(other?.phone).not.toBe(account?.phone)
  })

  it('keeps two customers two when one of them has the name that the other one had in the recording', async () => {
    const awa = person()
    const recording = await session('once')
    await open(await signIn(recording.url, one), awa)
    await recording.finish()
    const more = await session('new_episodes')
    const client = await signIn(more.url, one)
    const binta = person()
    await open(client, binta)
    await kyc(client, { ...person(), customerRef: awa.customerRef })
    await kyc(client, binta)
    await more.finish()
    const [account] = recorded('accounts.open')
    const [other, same] = recorded('kyc.submit')
    expect(account?.customerRef).toBe(awa.customerRef)
    expect(same?.customerRef).toBe(awa.customerRef)
    expect(other?.customerRef).toBe(binta.customerRef)
  })

  it('takes a token anew from the upstream when the one that it has is about to expire', async () => {
    recordOpening()
    let now = Date.now()
    const more = await session('new_episodes', { clock: { now: () => now } })
    const client = await signIn(more.url, one)
    await kyc(client, person())
    const exchanges = async () => {
      const metrics = await (await fetch(`${gateway.operatorUrl}/metrics`)).text()
      const lines = metrics.split('\n').filter((line) => /^\S*requests\S*\{.*auth\.token/.test(line))
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    }
    const before = await exchanges()
    await kyc(client, person())
    expect((await exchanges()) - before).toBe(0)
    now += 24 * 3_600_000
    await kyc(client, person())
    expect((await exchanges()) - before).toBe(1)
  })

  it('writes neither a secret nor a personal value, at no time', async () => {
    recordOpening()
    const more = await session('new_episodes')
    const awa = person()
    await kyc(await signIn(more.url, one), awa)
    const files = () =>
      readdirSync(dirname(out)).map((file) => readFileSync(join(dirname(out), file), 'latin1'))
    const leaks = () => [one.secret, awa.phone, TOKEN_START].filter((text) => files().join('').includes(text))
    await expect.poll(() => files().length).toBe(3)
    expect(leaks()).toEqual([])
    await more.finish()
    expect(leaks()).toEqual([])
    expect(files()).toHaveLength(1)
  })

  it('asks the upstream for nothing where everything is known, and leaves the file as it is', async () => {
    const before = recordOpening()
    const more = await session('new_episodes', { upstream: new URL('http://127.0.0.1:1') })
    expect(await open(await signIn(more.url, one), person())).toMatchObject({ status: 201 })
    expect(await more.finish()).toBeUndefined()
    expect(more.ledger()).toMatchObject({ served: 1, live: 1, missed: 0, forwarded: 0 })
    expect(readFileSync(out, 'utf8')).toBe(before)
    expect(readdirSync(dirname(out))).toEqual([basename(out)])
  })

  it('records a token exchange that is new, once, however many requests follow', async () => {
    recordOpening()
    const more = await session('new_episodes')
    const client = await signIn(more.url, two, { scope: 'payments:write' })
    for (const amount of [1077, 2077])
      expect(await client.post('/v1/payments/fund', { amount })).toMatchObject({ status: 200 })
    await more.finish()
    const { interactions } = loadCassette(out)
    expect(interactions.slice(2).map(({ operation, reply }) => [operation, reply?.status])).toEqual([
      ['auth.token', 200],
      ['payments.fund', 200],
      ['payments.fund', 200],
    ])
  })

  it('puts what is new for an unknown client where its answers came from', async () => {
    recordOpening()
    const more = await session('new_episodes')
    const client = await signIn(more.url, two)
    await open(client, person())
    await kyc(client, person())
    await more.finish()
    expect(new Set(loadCassette(out).interactions.map(({ lane }) => lane))).toEqual(new Set([one.keyId]))
  })

  it('passes on what the client sent: an account of the tape is not there upstream', async () => {
    recordOpening()
    const more = await session('new_episodes')
    const client = await signIn(more.url, two)
    const { body } = await open(client, person())
    const missing = await client.get(`/v1/accounts/${body.accountId}`)
    expect(missing).toMatchObject({ status: 404, body: { code: 'ACCOUNT_NOT_FOUND' } })
    await more.finish()
    expect(loadCassette(out).interactions.at(-1)).toMatchObject({
      operation: 'accounts.read',
      request: { target: `/v1/accounts/${body.accountId}` },
      reply: { status: 404 },
    })
  })

  it('lets a request miss when the upstream gives its client no token', async () => {
    const before = recordOpening()
    const reasons: unknown[] = []
    const more = await session('new_episodes', { onMiss: (_report, reason) => reasons.push(reason) })
    const client = await signIn(more.url, { ...one, secret: 'sk_sandbox_wrong_but_good_for_the_tape' })
    expect(await kyc(client, person())).toMatchObject({ status: 424, body: { code: 'CASSETTE_MISS' } })
    expect(await more.finish()).toBeUndefined()
    expect(reasons).toEqual(['the upstream has refused the token exchange (401).'])
    expect(more.ledger()).toMatchObject({ missed: 1, forwarded: 0 })
    expect(more.misses()).toHaveLength(1)
    expect(readFileSync(out, 'utf8')).toBe(before)
  })

  it('leaves the file as it is when no request that was passed on had a reply', async () => {
    const before = recordOpening()
    const more = await session('new_episodes', { upstream: new URL('http://127.0.0.1:1') })
    expect((await fetch(`${more.url}/v1/unknown`)).status).toBe(502)
    await expect(more.finish()).rejects.toMatchObject({ reason: 'unanswered' })
    expect(readFileSync(out, 'utf8')).toBe(before)
    expect(readdirSync(dirname(out))).toEqual([basename(out)])
  })

  it('names itself in everything that leads to a next request', async () => {
    recordOpening()
    const more = await session('new_episodes')
    const metadata = await fetch(`${more.url}/.well-known/oauth-authorization-server`)
    expect(await metadata.json()).toMatchObject({
      issuer: more.url,
      token_endpoint: `${more.url}/auth/token`,
    })
  })

  it('takes up what a recorder that was killed had added', async () => {
    const before = recordOpening()
    const killed = await session('new_episodes')
    await kyc(await signIn(killed.url, one), person())
    const journal = out.replace('.har', '.cassette.jsonl')
    await expect.poll(() => readFileSync(journal, 'utf8').split('\n').length).toBe(4)
    const left = readFileSync(journal)
    await killed.finish()
    writeFileSync(out, before)
    writeFileSync(journal, left)

    const next = await session('new_episodes', { upstream: new URL('http://127.0.0.1:1') })
    expect(next.loaded).toBe(3)
    expect(await kyc(await signIn(next.url, one), person())).toMatchObject({ status: 200 })
    expect(await next.finish()).toMatchObject({ exchanges: 1, recovered: { recovered: 2, dropped: 0 } })
    expect(next.ledger()).toMatchObject({ forwarded: 0, missed: 0 })
    expect(existsSync(journal)).toBe(false)
    expect(loadCassette(out).interactions).toHaveLength(3)
  })
})
