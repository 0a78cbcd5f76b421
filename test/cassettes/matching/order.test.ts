import { describe, expect, it } from 'vitest'
import { interactions, json, uuid } from './by-hand.ts'
import { createClient } from './client.ts'
import { cassetteOf, Miss, replaying, tapeOf } from './recording.ts'
import { createSandbox } from './sandbox.ts'

const POLL = interactions(
  ['GET /v1/accounts/acc_1', 200, { state: 'PENDING' }],
  ['GET /v1/accounts/acc_1', 200, { state: 'PENDING' }],
  ['GET /v1/accounts/acc_1', 200, { state: 'DONE' }],
)

it('a poll replays PENDING, PENDING, DONE and stays on DONE', async () => {
  const client = createClient(replaying(tapeOf(cassetteOf(POLL))), 'live')
  const states = []
  for (let i = 0; i < 5; i++) states.push((await client.get('/v1/accounts/acc_1')).body.state)
  expect(states).toEqual(['PENDING', 'PENDING', 'DONE', 'DONE', 'DONE'])
})

describe('a list before and after a change', () => {
  const LISTED = interactions(
    ['GET /v1/webhooks', 200, { items: [], nextCursor: null }],
    [
      'POST /v1/webhooks',
      201,
      { webhookId: 'wh_0000000001' },
      { key: uuid(1), body: { url: 'https://a.example' } },
    ],
    ['GET /v1/webhooks', 200, { items: [{ webhookId: 'wh_0000000001' }], nextCursor: null }],
  )
  const start = () => createClient(replaying(tapeOf(cassetteOf(LISTED))), 'live')
  const register = { url: 'https://a.example' }

  it('shows the change only after it', async () => {
    const client = start()
    const first = await client.get('/v1/webhooks')
    const again = await client.get('/v1/webhooks')
    await client.post('/v1/webhooks', register)
    const after = await client.get('/v1/webhooks')
    expect([first, again, after].map(({ body }) => (body.items as unknown[]).length)).toEqual([0, 0, 1])
  })

  it('shows the change to a client that changed first', async () => {
    const client = start()
    await client.post('/v1/webhooks', register)
    const after = await client.get('/v1/webhooks')
    const again = await client.get('/v1/webhooks')
    expect([after, again].map(({ body }) => (body.items as unknown[]).length)).toEqual([1, 1])
  })

  it('is there for a client that never changes anything', async () => {
    const client = start()
    expect((await client.get('/v1/webhooks')).body.items).toEqual([])
  })
})

describe('the profile strict', () => {
  const strict = async () => {
    const sandbox = createSandbox()
    const client = createClient(sandbox.client(), 'a')
    await client.post('/v1/kyb/submit', { businessRef: 'BUS-1' })
    await client.post('/v1/webhooks', { url: 'https://a.example', events: ['*'] })
    await client.get('/v1/webhooks')
    return createClient(replaying(tapeOf(cassetteOf(sandbox.interactions()), { profile: 'strict' })), 'b')
  }

  it('takes the recorded order', async () => {
    const client = await strict()
    await client.post('/v1/kyb/submit', { businessRef: 'BUS-1' })
    await client.post('/v1/webhooks', { url: 'https://a.example', events: ['*'] })
    expect((await client.get('/v1/webhooks')).status).toBe(200)
  })

  it('rejects a read before the change that it shows, and says so', async () => {
    const client = await strict()
    const missed = await client.get('/v1/webhooks').catch((error: unknown) => error)
    expect(missed).toBeInstanceOf(Miss)
    const reasons = (missed as Miss).report.closest[0]?.reasons.map(({ kind }) => kind)
    expect(reasons).toEqual(['order', 'profile'])
  })
})

describe('idempotent retries', () => {
  const body = { amount: 5077 }
  const PAID = interactions(
    ['POST /v1/payments/fund', 200, { paymentId: 'pay_00000001', amount: 5077 }, { key: uuid(1), body }],
    [
      'POST /v1/payments/fund',
      200,
      { paymentId: 'pay_00000001', amount: 5077 },
      {
        key: uuid(1),
        body,
        reply: { ...json(200, { paymentId: 'pay_00000001' }), headers: [['Idempotency-Replayed', 'true']] },
      },
    ],
    ['POST /v1/payments/fund', 200, { paymentId: 'pay_00000002', amount: 5077 }, { key: uuid(2), body }],
  )

  it('get the stored answer, marked, and consume nothing', async () => {
    const tape = tapeOf(cassetteOf(PAID))
    const client = createClient(replaying(tape), 'live')
    const key: [string, string] = ['Idempotency-Key', client.uuid()]
    const first = await client.post('/v1/payments/fund', body, [key])
    const retry = await client.post('/v1/payments/fund', body, [key])
    const second = await client.post('/v1/payments/fund', body)
    expect(retry.reply.body).toEqual(first.reply.body)
    expect(first.header('idempotency-replayed')).toBeUndefined()
    expect(retry.header('idempotency-replayed')).toBe('true')
    expect(second.body.paymentId).toBe('pay_00000002')
    expect(tape.ledger()).toMatchObject({ served: 2, repeated: 1, missed: 0 })
  })

  it('count as used with their original when they were recorded', async () => {
    const tape = tapeOf(cassetteOf(PAID))
    const client = createClient(replaying(tape), 'live')
    await client.post('/v1/payments/fund', body)
    await client.post('/v1/payments/fund', body)
    expect(tape.ledger().unused).toEqual([])
  })

  it('with another body are a reuse of the key', () => {
    const tape = tapeOf(cassetteOf(PAID))
    const ask = (amount: string) =>
      tape.match({
        lane: 'key_demo',
        operation: 'payments.fund',
        now: 0,
        request: {
          method: 'POST',
          target: '/v1/payments/fund',
          httpVersion: '1.1',
          headers: [
            ['Content-Type', 'application/json'],
            ['Idempotency-Key', uuid(9)],
          ],
          body: Buffer.from(`{"amount":${amount}}`),
        },
      }).kind
    expect([ask('5077'), ask('5000'), ask('5077.0'), ask('5077')]).toEqual([
      'hit',
      'refused',
      'refused',
      'hit',
    ])
  })

  it('meet a recorded 409 and 5xx in order, because those were not stored', async () => {
    const refused = (status: number, code: string) => json(status, { code })
    const recorded = interactions(
      [
        'POST /v1/payments/fund',
        503,
        {},
        { key: uuid(1), body, origin: 'edge:STORE_UNAVAILABLE', reply: refused(503, 'STORE_UNAVAILABLE') },
      ],
      ['POST /v1/payments/fund', 200, { paymentId: 'pay_00000001' }, { key: uuid(1), body }],
      [
        'POST /v1/payments/fund',
        409,
        {},
        {
          key: uuid(1),
          body,
          origin: 'edge:IDEMPOTENCY_IN_PROGRESS',
          reply: refused(409, 'IDEMPOTENCY_IN_PROGRESS'),
        },
      ],
      [
        'POST /v1/payments/fund',
        200,
        {},
        { key: uuid(1), body, reply: { ...json(200, {}), headers: [['Idempotency-Replayed', 'true']] } },
      ],
    )
    const tape = tapeOf(cassetteOf(recorded))
    const client = createClient(replaying(tape), 'live')
    const key: [string, string] = ['Idempotency-Key', client.uuid()]
    const statuses = []
    for (let i = 0; i < 5; i++) statuses.push((await client.post('/v1/payments/fund', body, [key])).status)
    expect(statuses).toEqual([503, 200, 409, 200, 200])
    expect(tape.ledger().unused).toEqual([])
  })
})

it('a recorded refusal of the moment comes in order, and a read does not stay on it', async () => {
  const recorded = interactions(
    ['GET /v1/accounts/acc_1', 401, { code: 'TOKEN_EXPIRED' }, { origin: 'edge:TOKEN_EXPIRED' }],
    ['GET /v1/accounts/acc_1', 200, { accountId: 'acc_1' }],
    ['GET /v1/accounts/acc_1', 429, { code: 'RATE_LIMITED' }, { origin: 'edge:RATE_LIMITED' }],
  )
  const client = createClient(replaying(tapeOf(cassetteOf(recorded))), 'live')
  const statuses = []
  for (let i = 0; i < 5; i++) statuses.push((await client.get('/v1/accounts/acc_1')).status)
  expect(statuses).toEqual([401, 200, 429, 200, 200])
})
