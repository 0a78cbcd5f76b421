import { describe, expect, it } from 'vitest'
import type { Interaction } from '../../../src/cassettes/interaction.ts'
import type { Tape } from '../../../src/cassettes/tape/tape.ts'
import { createClient, type Json, requestOf } from './client.ts'
import { cassetteOf, replaying, tapeOf } from './recording.ts'
import { LANE, replyOf, T0 } from './sandbox.ts'

/** A recording of `count` customers: each opens an account and reads it. */
function customers(count: number): readonly Interaction[] {
  const interactions: Interaction[] = []
  const add = (
    operation: string,
    method: string,
    target: string,
    body: Json | undefined,
    reply: Json,
    key?: string,
  ) => {
    const sequence = interactions.length + 1
    const request = requestOf(
      method,
      target,
      key === undefined ? [] : [['Idempotency-Key', key]],
      body && JSON.stringify(body),
    )
    interactions.push({
      sequence,
      ended: sequence,
      startedAt: T0 + sequence * 10,
      durationMs: 1,
      lane: LANE,
      operation,
      origin: 'simulator:default',
      request,
      reply: replyOf(200, reply, `req_${sequence}`, T0),
      bindings: [],
      redactions: [],
    })
  }
  for (let i = 0; i < count; i++) {
    const body = { customerRef: `CUS-${i}`, phone: '+2250712345678' }
    const reply = { accountId: `acc_${String(i).padStart(12, '0')}`, ...body }
    const key = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
    add('accounts.open', 'POST', '/v1/accounts/open', body, reply, key)
    add('accounts.read', 'GET', `/v1/accounts/${reply.accountId}`, undefined, reply)
  }
  return interactions
}

function tapeWith(count: number): Tape {
  return tapeOf(cassetteOf(customers(count), { redact: false }), { prepare: (request) => request })
}

async function cost(tape: Tape, work: () => Promise<unknown>): Promise<number> {
  const before = tape.probes()
  await work()
  return tape.probes() - before
}

describe('what a request costs, in look-ups and entries examined, does not grow with the tape', () => {
  const small = tapeWith(10)
  const large = tapeWith(5000)

  const costs = async (work: (client: ReturnType<typeof createClient>) => Promise<unknown>) => {
    const of = (tape: Tape) =>
      cost(tape, () => work(createClient(replaying(tape), 'live')).catch(() => undefined))
    return { small: await of(small), large: await of(large) }
  }

  it('for a first-seen customer', async () => {
    const { small, large } = await costs((client) =>
      client.post('/v1/accounts/open', { customerRef: 'CUS-new', phone: '+2250712345678' }),
    )
    expect(large).toBe(small)
    expect(large).toBeLessThan(12)
  })

  it('for a read by an identifier', async () => {
    const { small, large } = await costs((client) => client.get('/v1/accounts/acc_000000000007'))
    expect(large).toBe(small)
    expect(large).toBeLessThan(12)
  })

  it('for the same read again', async () => {
    const { small, large } = await costs((client) => client.get('/v1/accounts/acc_000000000007'))
    expect(large).toBe(small)
    expect(large).toBeLessThan(12)
  })

  it('for the last of many', async () => {
    const client = createClient(replaying(large), 'last')
    expect(await cost(large, () => client.get('/v1/accounts/acc_000000004999'))).toBeLessThan(12)
  })

  it('for the thousandth customer after nine hundred and ninety-nine', async () => {
    const client = createClient(replaying(large), 'many')
    const open = (i: number) =>
      client.post('/v1/accounts/open', { customerRef: `live-${i}`, phone: '+2250712345678' })
    for (let i = 0; i < 999; i++) await open(i)
    expect(await cost(large, () => open(999))).toBeLessThan(12)
  })

  it('and a miss is explained within a bound', async () => {
    const client = createClient(replaying(large), 'missing')
    const missed = () => client.get('/v1/accounts/acc_unknown0000').catch(() => undefined)
    expect(await cost(large, missed)).toBeLessThan(3000)
  })
})
