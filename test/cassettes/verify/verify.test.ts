import { describe, expect, it } from 'vitest'
import type {
  CapturedExchange,
  CapturedReply,
  CapturedRequest,
  Cassette,
} from '../../../src/cassettes/interaction.ts'
import { type VerifyOptions, verifyCassette } from '../../../src/cassettes/verify/verify.ts'
import { cassetteOf } from '../../cli/cassette-fixtures.ts'
import { bodyText, exchange, HEADER } from '../recording-fixtures.ts'

type Answer = { status?: number; headers?: CapturedReply['headers']; body?: unknown }

/** A sandbox that answers in turn, and what it was sent. */
function sandbox(answers: readonly Answer[]) {
  const sent: CapturedRequest[] = []
  const waits: number[] = []
  let keys = 0
  const options: VerifyOptions = {
    send: async (request) => {
      if (request.target === '/auth/token') return reply({ body: { access_token: 'live-token' } })
      const answer = answers[sent.length] ?? {}
      sent.push(request)
      return reply(answer)
    },
    credentials: { clientId: 'key_a', clientSecret: 'secret' },
    newKey: () => `00000000-0000-4000-8000-00000000000${++keys}`,
    wait: async (ms) => void waits.push(ms),
  }
  const reply = ({ status = 200, headers, body = {} }: Answer): CapturedReply => ({
    status,
    headers: headers ?? [['Content-Type', 'application/json']],
    body: Buffer.from(JSON.stringify(body)),
  })
  return { options, sent, waits }
}

const json = (target: string, body: unknown, reply: unknown, more: Parameters<typeof exchange>[0] = {}) =>
  exchange({ target, body, reply, ...more })
const get = (target: string, reply: unknown, more: Parameters<typeof exchange>[0] = {}) =>
  exchange({ method: 'GET', target, reply, ...more })
const tape = (...exchanges: CapturedExchange[]): Cassette => cassetteOf(exchanges)

async function driftsOf(recorded: unknown, live: unknown, operation?: string) {
  const cassette = tape(get('/v1/things', recorded, operation === undefined ? {} : { operation }))
  const { drifts } = await verifyCassette(cassette, sandbox([{ body: live }]).options)
  return drifts.map(({ at, kind, breaking }) => `${at} ${kind}${breaking ? ' breaking' : ''}`)
}

describe('a live reply', () => {
  it.each([
    ['is the recorded one', { a: 1, b: [1, 'x', null] }, { b: [1, 'x', null], a: 1 }, []],
    ['spells a number otherwise', { a: 10 }, { a: 10.0 }, []],
    ['has another instant', { openedAt: '2026-01-15T09:30:00Z' }, { openedAt: '2027-02-01T00:00:00Z' }, []],
    [
      'has no instant where one was',
      { x: '2026-01-15T09:30:00Z' },
      { x: 'soon' },
      ['reply-body /x type breaking'],
    ],
    ['has more', { a: 1 }, { a: 1, b: 2 }, ['reply-body /b added']],
    ['has less', { a: 1, b: 2 }, { a: 1 }, ['reply-body /b removed breaking']],
    ['has a text for a number', { a: 1 }, { a: '1' }, ['reply-body /a type breaking']],
    ['has null for a text', { a: 'x' }, { a: null }, ['reply-body /a type breaking']],
    ['has another value', { a: 'x' }, { a: 'y' }, ['reply-body /a value breaking']],
    ['has other prose', { code: 'X', detail: 'a' }, { code: 'X', detail: 'b' }, ['reply-body /detail value']],
    ['has another volatile value', { reference: 'a' }, { reference: 'b' }, ['reply-body /reference value']],
    ['lacks an item', { a: [1, 2] }, { a: [1] }, ['reply-body /a/1 removed breaking']],
    ['has an item more', { a: [1] }, { a: [1, 2] }, ['reply-body /a/1 added']],
    ['is below another origin', { u: `${HEADER.origin}/p` }, { u: 'http://127.0.0.1:9/p' }, []],
    ['is no object', { a: 1 }, 'text', ['reply-body  type breaking']],
  ])('that %s', async (_, recorded, live, drifts) => {
    expect(await driftsOf(recorded, live)).toEqual(drifts)
  })

  it('of a list may be longer, shorter and about others, but not of another shape', async () => {
    const recorded = { items: [{ country: 'CI', n: 1 }], nextCursor: null }
    const live = { items: [{ country: 'SN' }, {}], nextCursor: 'abc' }
    expect(await driftsOf(recorded, live, 'accounts.list')).toEqual([
      'reply-body /items/0/country value',
      'reply-body /items/0/n removed breaking',
      'reply-body /items value',
      'reply-body /nextCursor value',
    ])
  })

  it('may differ where the recording itself does: a poll is faster or slower', async () => {
    const cassette = tape(get('/v1/x', { state: 'pending', n: 1 }), get('/v1/x', { state: 'done', n: 1 }))
    const { options } = sandbox([{ body: { state: 'done', n: 1 } }, { body: { state: 'failed', n: 2 } }])
    const { drifts } = await verifyCassette(cassette, options)
    expect(drifts.map(({ at, breaking }) => [at, breaking])).toEqual([
      ['reply-body /state', false],
      ['reply-body /state', false],
      ['reply-body /n', true],
    ])
  })

  it('of another status is that and nothing more', async () => {
    const { options } = sandbox([{ status: 404, body: { code: 'NOT_FOUND' } }])
    const { drifts } = await verifyCassette(tape(get('/v1/x', { a: 1 })), options)
    expect(drifts).toEqual([
      {
        sequence: 1,
        title: 'GET /v1/x',
        at: 'status',
        kind: 'status',
        breaking: true,
        recorded: '200',
        live: '404 NOT_FOUND',
      },
    ])
  })

  it('is asked for again when it was a limit of the moment', async () => {
    const late = { status: 429, headers: [['Retry-After', '7']] as const }
    const { options, sent, waits } = sandbox([late, late, { body: { a: 1 } }])
    const report = await verifyCassette(tape(get('/v1/x', { a: 1 })), options)
    expect(report).toEqual({ verified: 1, drifts: [], skipped: [] })
    expect([sent.length, waits]).toEqual([3, [7000, 7000]])
  })
})

describe('what is sent', () => {
  const key = ['Idempotency-Key', '11111111-1111-4111-8111-111111111111'] as const
  const lane = { headers: [key, ['Authorization', 'Bearer e30.e30.c2ln'] as const] }

  it('has live identifiers wherever the recorded ones stood, and a live token', async () => {
    const id = 'acc_1VhYx3kQm4Zq9TtB2nR7wLc1d'
    const url = 'https://sandbox.example.com/kyc/ks_2VhYx3kQm4Zq9TtB2nR7wLc1d'
    const cassette = tape(
      json('/v1/accounts/open', { customerRef: 'C-1' }, { accountId: id }, lane),
      json(
        '/v1/kyc/session',
        { accountId: id, amount: 10 },
        { sessionId: 'ks_2VhYx3kQm4Zq9TtB2nR7wLc1d', url },
      ),
      get(`/_lane/a/v1/accounts/${id}?accountId=${id}&x=%20`, { accountId: id }),
    )
    const { options, sent } = sandbox([{ body: { accountId: 'acc /live' } }])
    const { skipped } = await verifyCassette(cassette, options)
    expect(skipped).toEqual([])
    expect(sent[0]?.headers).toEqual([
      ['Content-Type', 'application/json'],
      ['Idempotency-Key', '00000000-0000-4000-8000-000000000001'],
      ['Authorization', 'Bearer live-token'],
    ])
    expect(bodyText(sent[1])).toBe('{"accountId":"acc /live","amount":10}')
    expect(sent[2]?.target).toBe('/v1/accounts/acc%20%2Flive?accountId=acc%20%2Flive&x=%20')
  })

  it('is a stand-in where a personal value was', async () => {
    const { options, sent } = sandbox([{ body: { phone: '+99900000001' } }])
    const phone = '+2250712345678'
    const { drifts } = await verifyCassette(tape(json('/v1/accounts/open', { phone }, { phone })), options)
    expect(bodyText(sent[0])).toBe('{"phone":"+99900000001"}')
    expect(drifts).toEqual([])
  })

  it('is nothing for what a fresh run cannot bring about', async () => {
    const refused = (status: number, code: string, origin?: CapturedExchange['origin']) => ({
      ...json('/v1/payments/fund', {}, { code }, { status }),
      ...(origin && { origin }),
    })
    const unanswered = { ...get('/v1/x', {}), reply: undefined }
    const { options, sent } = sandbox([])
    const { verified, skipped } = await verifyCassette(
      tape(
        refused(401, 'TOKEN_EXPIRED'),
        refused(429, 'RATE_LIMITED', 'edge:RATE_LIMITED'),
        refused(503, 'OVERLOADED'),
        unanswered,
      ),
      options,
    )
    expect([verified, sent]).toEqual([0, []])
    expect(skipped.map(({ sequence, reason }) => [sequence, reason])).toEqual([
      [1, 'TOKEN_EXPIRED depends on what had happened before'],
      [2, 'RATE_LIMITED depends on what had happened before'],
      [3, '503 was a fault of that moment'],
      [4, 'it has no recorded reply'],
    ])
  })
})

describe('a report of what a sandbox says now', () => {
  it('holds neither a secret nor a person, wherever they stand, and no path that could', async () => {
    const cassette = tape(get('/v1/things', { note: 'a', tag: 'b', more: {} }))
    const live = {
      note: 'for Mariam Traore',
      tag: 'Qx7Lw0pR4tYuZ',
      more: { 'Mariam Traore': 1, 'mariam@example.org': 2 },
      holder: { fullName: 'Mariam Traore', email: 'mariam@example.org', password: 'Qx7Lw0pR4tYuZ' },
    }
    const headers = [
      ['Content-Type', 'application/json'],
      ['Link', '</x?to=mariam@example.org>; rel=next'],
    ] as const
    const report = await verifyCassette(cassette, sandbox([{ headers, body: live }]).options)
    expect(report.drifts.length).toBeGreaterThan(5)
    expect(JSON.stringify(report)).not.toMatch(/Traore|mariam@|Qx7Lw0/)
  })

  it('repeats of a refused exchange of tokens no more than its code', async () => {
    const { options } = sandbox([])
    const refusing = { ...options, send: async () => refused('client_secret Qx7Lw0pR4tYuZ is wrong') }
    await expect(verifyCassette(tape(get('/v1/x', {}, { headers: BEARER })), refusing)).rejects.toThrow(
      /for key_a: 401$/,
    )
    const coded = { ...options, send: async () => refused('invalid_client') }
    await expect(verifyCassette(tape(get('/v1/x', {}, { headers: BEARER })), coded)).rejects.toThrow(
      /for key_a: 401 invalid_client$/,
    )
  })
})

const BEARER = [['Authorization', 'Bearer a-token-that-was-recorded-once']] as const

function refused(error: string): CapturedReply {
  return {
    status: 401,
    headers: [['Content-Type', 'application/json']],
    body: Buffer.from(JSON.stringify({ error })),
  }
}
