import { describe, expect, it } from 'vitest'
import { exitCode, ledgerText } from '../../../src/cassettes/tape/ledger.ts'
import { interactions, json, uuid } from '../matching/by-hand.ts'
import { createClient, requestOf } from '../matching/client.ts'
import { cassetteOf, replaying, tapeOf } from '../matching/recording.ts'
import { createSandbox, LANE, T0 } from '../matching/sandbox.ts'

const NOW = Date.UTC(2030, 5, 1, 12)

describe('time', () => {
  const record = async () => {
    const sandbox = createSandbox()
    const client = createClient(sandbox.client(), 'recording')
    const made = await client.post('/v1/kyc/widget/session', {})
    await client.get(`/v1/kyc/widget/session/${made.body.sessionId}`)
    return { made, cassette: cassetteOf(sandbox.interactions()) }
  }

  it('shift renders instants around now, with their intervals and spelling, and one instant as one', async () => {
    const { cassette } = await record()
    let now = NOW
    const client = createClient(replaying(tapeOf(cassette), { now: () => now }), 'live')
    const made = await client.post('/v1/kyc/widget/session', {})
    now += 60_000
    const read = await client.get(`/v1/kyc/widget/session/${made.body.sessionId}`)
    expect(made.body).toMatchObject({
      createdAt: '2030-06-01T12:00:00.000Z',
      expiresAt: '2030-06-01T12:15:00.000Z',
    })
    expect(read.body).toEqual(made.body)
    expect(read.header('date')).toBe('Sat, 01 Jun 2030 12:01:00 GMT')
    // Recorded in whole seconds, rounded up.
    expect(Number(read.header('x-ratelimit-reset')) - now / 1000).toBeOneOf([60, 61])
  })

  it('freeze serves them as recorded', async () => {
    const { made, cassette } = await record()
    const client = createClient(replaying(tapeOf(cassette, { time: 'freeze' }), { now: NOW }), 'live')
    expect((await client.post('/v1/kyc/widget/session', {})).reply).toEqual(made.reply)
  })

  it('keeps precision, offset and what the client has sent', async () => {
    const at = {
      startAt: '2026-01-15T10:30:00+01:00',
      doneAt: '2026-01-15T09:30:00.123456Z',
      epochAt: 1768469400,
      noAt: 'soon',
      dueAt: '2026-02-01T00:00:00Z',
    }
    const recorded = interactions(['POST /v1/other', 200, at, { key: uuid(1), body: { dueAt: at.dueAt } }])
    const client = createClient(replaying(tapeOf(cassetteOf(recorded)), { now: T0 + 3_600_000 }), 'live')
    expect((await client.post('/v1/other', { dueAt: at.dueAt })).body).toEqual({
      startAt: '2026-01-15T11:30:00+01:00',
      doneAt: '2026-01-15T10:30:00.123456Z',
      epochAt: 1768473000,
      noAt: 'soon',
      dueAt: at.dueAt,
    })
  })
})

it('live values replace recorded ones at their places only, byte for byte elsewhere', async () => {
  const reply =
    '{ "customerRef" : "CUS-A",\r\n "note":"CUS-A", "amount":10.00, "big":9007199254740993, "caf\\u00e9":"\\/" }'
  const recorded = interactions([
    'POST /v1/other',
    200,
    {},
    { key: uuid(1), body: { customerRef: 'CUS-A' }, reply: { ...json(200, {}), body: Buffer.from(reply) } },
  ])
  const client = createClient(replaying(tapeOf(cassetteOf(recorded))), 'live')
  const { reply: live } = await client.post('/v1/other', { customerRef: 'CUS-"B"' })
  expect(Buffer.from(live.body).toString()).toBe(reply.replace('"CUS-A"', '"CUS-\\"B\\""'))
  expect(live.headers.find(([name]) => name === 'Content-Length')?.[1]).toBe(String(live.body.length))
})

it('the request id and the origin of the replay take the place of the recorded ones', async () => {
  const body = {
    type: 'https://sandbox.example.com/docs/errors/ACCOUNT_NOT_FOUND',
    instance: 'urn:sandgate:request:req_0',
    requestId: 'req_0',
  }
  const recorded = interactions(['GET /v1/accounts/acc_1', 404, body, { origin: 'edge:ACCOUNT_NOT_FOUND' }])
  const found = tapeOf(cassetteOf(recorded)).match({
    lane: LANE,
    operation: 'accounts.read',
    request: requestOf('GET', '/v1/accounts/acc_1'),
    now: T0,
    requestId: 'req_live',
    origin: 'http://127.0.0.1:8080',
  })
  if (found.kind !== 'hit') throw new Error('expected a hit')
  expect(JSON.parse(Buffer.from(found.reply.body).toString())).toEqual({
    type: 'http://127.0.0.1:8080/docs/errors/ACCOUNT_NOT_FOUND',
    instance: 'urn:sandgate:request:req_live',
    requestId: 'req_live',
  })
  expect(found.reply.headers.find(([name]) => name === 'X-Request-Id')?.[1]).toBe('req_live')
})

describe('what the gateway judges by itself', () => {
  const recorded = interactions(
    [
      'POST /auth/token',
      401,
      { code: 'INVALID_CLIENT' },
      { operation: 'auth.token', origin: 'edge:INVALID_CLIENT', body: 'client_id=key_demo' },
    ],
    [
      'POST /auth/token',
      200,
      { scope: 'accounts:read payments:write' },
      { operation: 'auth.token', body: 'client_id=key_demo' },
    ],
    ['POST /v1/payments/fund', 400, {}, { origin: 'edge:VALIDATION_FAILED', body: '{"amount":0}' }],
    ['GET /v1/accounts', 429, { code: 'RATE_LIMITED' }, { origin: 'edge:RATE_LIMITED' }],
  )
  const token = { ...requestOf('POST', '/auth/token', [], 'client_id=key_demo') }
  const live = (request = token, operation = 'auth.token') => ({ lane: LANE, operation, request, now: T0 })

  it('the token exchange: recorded refusals in order, then live grants with the recorded scopes', () => {
    const tape = tapeOf(cassetteOf(recorded))
    const first = tape.exchange(live(), undefined)
    expect(first.kind === 'answered' && first.hit.reply.status).toBe(401)
    const scopes = ['accounts:read', 'payments:write']
    expect(tape.exchange(live(), undefined)).toEqual({ kind: 'granted', scopes })
    expect(tape.exchange(live(), undefined)).toEqual({ kind: 'granted', scopes })
  })

  it('a refusal that was judged live counts a recorded one with its code as used', () => {
    const tape = tapeOf(cassetteOf(recorded))
    const request = requestOf('POST', '/v1/payments/fund', [], '{"amount":0}')
    const refusal = { code: 'VALIDATION_FAILED', isOurs: true }
    expect(tape.match(live(request, 'payments.fund'), refusal)).toMatchObject({
      kind: 'refused',
      twin: { sequence: 3 },
    })
    expect(tape.ledger()).toMatchObject({ live: 1, served: 0, refused: [] })
  })

  it('a recorded refusal of the moment is on the tape', () => {
    const found = tapeOf(cassetteOf(recorded)).match(live(requestOf('GET', '/v1/accounts'), 'accounts.list'))
    expect(found.kind === 'hit' && found.reply.status).toBe(429)
  })
})

describe('the ledger', () => {
  const recorded = interactions(['GET /v1/accounts', 200, {}], ['GET /v1/webhooks', 200, {}])

  it('fails a replay of which nothing was served, and one that missed', async () => {
    const tape = tapeOf(cassetteOf(recorded))
    expect(exitCode(tape.ledger())).toBe(1)
    const client = createClient(replaying(tape), 'live')
    await client.get('/v1/accounts')
    expect(exitCode(tape.ledger())).toBe(0)
    expect(exitCode(tape.ledger(), { failUnused: true })).toBe(1)
    await client.get('/v1/score?customerRef=x').catch(() => undefined)
    expect(exitCode(tape.ledger())).toBe(1)
  })

  it('a request that was passed on has not missed, and fails the run under CI alone', async () => {
    const tape = tapeOf(cassetteOf(recorded))
    await createClient(replaying(tape), 'live')
      .get('/v1/score?customerRef=x')
      .catch(() => undefined)
    tape.forwarded()
    expect(tape.ledger()).toMatchObject({ served: 0, missed: 0, forwarded: 1 })
    expect([exitCode(tape.ledger()), exitCode(tape.ledger(), { ci: true })]).toEqual([0, 1])
  })

  it('names a read that was answered with what was true before something that this run had done', async () => {
    const listed = (ids: string[]) => ({ items: ids })
    const tape = tapeOf(
      cassetteOf(
        interactions(
          ['GET /v1/webhooks', 200, listed([])],
          ['POST /v1/webhooks', 201, {}, { key: uuid(1), body: { url: 'https://x.example' } }],
        ),
      ),
    )
    const client = createClient(replaying(tape), 'live')
    await client.post('/v1/webhooks', { url: 'https://x.example' })
    expect((await client.get('/v1/webhooks')).body).toEqual(listed([]))
    expect(tape.ledger().late).toEqual([
      { file: 'test.har', sequence: 1, method: 'GET', operation: 'webhooks.list', lane: LANE },
    ])
    expect(ledgerText(tape.ledger())).toContain(
      '\n  answered late: test.har entry 1, GET webhooks.list, lane key_demo\n',
    )
  })

  it('names what is no operation by its path', () => {
    const tape = tapeOf(cassetteOf(interactions(['GET /openapi.json?lang=fr', 200, {}])))
    const [unused] = tape.ledger().unused
    expect(unused).toMatchObject({ method: 'GET', operation: '/openapi.json' })
  })

  it('reads as text', async () => {
    const tape = tapeOf(cassetteOf(recorded))
    const client = createClient(replaying(tape), 'live')
    await client.get('/v1/accounts')
    await client.get('/v1/accounts')
    expect(ledgerText(tape.ledger(), { failUnused: true })).toBe(
      [
        'cassette: loaded 2, served 1, live 0, repeated 1, unused 1, missed 0, forwarded 0',
        '  unused: test.har entry 2, GET webhooks.list, lane key_demo',
        '  failed: 1 unused (--fail-unused)',
        '',
      ].join('\n'),
    )
  })
})
