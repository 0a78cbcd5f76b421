import { describe, expect, it } from 'vitest'
import { decidingOf } from '../../../src/cassettes/bindings/deciding.ts'
import { VolatileRuleError, withVolatile } from '../../../src/cassettes/bindings/volatile.ts'
import type { Cassette } from '../../../src/cassettes/interaction.ts'
import type { MissReport } from '../../../src/cassettes/miss/report.ts'
import { COMMANDS } from '../../../src/cli/command-table.ts'
import { listOf, parseCommandLine } from '../../../src/cli/parse.ts'
import { interactions, uuid } from './by-hand.ts'
import { createClient, type Json } from './client.ts'
import { cassetteOf, Miss, replaying, tapeOf } from './recording.ts'

const fund = (n: number, body: Json | string, reply: Json = {}) =>
  ['POST /v1/payments/fund', 200, reply, { key: uuid(n), body }] as const

/** What a run pastes from the reports of the one before. */
function paste(reports: readonly MissReport[]): string[] {
  const rules = reports.flatMap(({ closest }) => closest[0]?.reasons.map(({ rule }) => rule) ?? [])
  const words = [...new Set(rules)].flatMap((rule) => rule.split(' '))
  const parsed = parseCommandLine(['replay', 'test.har', ...words], COMMANDS)
  if (parsed.kind !== 'run') throw new Error(`${words.join(' ')} is no part of a command line`)
  return [...listOf(parsed.invocation.options.volatile)]
}

async function replayed(cassette: Cassette, work: (tape: ReturnType<typeof createClient>) => Promise<void>) {
  const tape = tapeOf(cassette)
  await work(createClient(replaying(tape), 'live')).catch((error: unknown) => {
    if (!(error instanceof Miss)) throw error
  })
  return tape
}

const volatile = (cassette: Cassette, rules: readonly string[]) =>
  withVolatile([cassette], rules, decidingOf)[0] ?? cassette

describe('a rule of a report, pasted', () => {
  it('lets the same request match, and two values stay two', async () => {
    const cassette = cassetteOf(
      interactions(
        fund(1, { amount: 5077, metadata: { order: 'A-1' } }, { paid: 1, metadata: { order: 'A-1' } }),
        fund(2, { amount: 5077, metadata: { order: 'A-2' } }, { paid: 2, metadata: { order: 'A-2' } }),
        fund(3, { amount: 6077, metadata: { order: 'A-2' } }, { of: 2 }),
        fund(4, { amount: 6077, metadata: { order: 'A-1' } }, { of: 1 }),
      ),
    )
    const answers: Json[] = []
    const work = async (client: ReturnType<typeof createClient>) => {
      for (const [amount, order] of [
        [5077, 'B-7'],
        [5077, 'B-8'],
        [6077, 'B-7'],
        [6077, 'B-8'],
      ] as const)
        answers.push((await client.post('/v1/payments/fund', { amount, metadata: { order } })).body)
    }
    const before = await replayed(cassette, work)
    expect(before.misses()).toHaveLength(1)
    const rules = paste(before.misses())
    expect(rules).toEqual(['/metadata/order'])

    const after = await replayed(volatile(cassette, rules), work)
    expect(after.ledger()).toMatchObject({ missed: 0, unused: [], served: 4 })
    expect(answers).toEqual([
      { paid: 1, metadata: { order: 'B-7' } },
      { paid: 2, metadata: { order: 'B-8' } },
      { of: 1 },
      { of: 2 },
    ])
  })

  it('holds for numbers, in a list too, and for queries; each comes back as it was sent', async () => {
    const cassette = cassetteOf(
      interactions(
        fund(1, '{"amount":5077,"sentAt":1736934600,"tags":["x",{"n":3}]}', { sentAt: 1736934600, n: 3 }),
        ['GET /v1/credit/simulate?amount=1000&note=a', 200, { note: 'a' }],
      ),
    )
    const bodies: string[] = []
    const work = async (client: ReturnType<typeof createClient>) => {
      const body = { amount: 5077, sentAt: 1800000000, tags: ['x', { n: 4 }] }
      const paid = await client.post('/v1/payments/fund', body)
      bodies.push(Buffer.from(paid.reply.body).toString())
      bodies.push(JSON.stringify((await client.get('/v1/credit/simulate?amount=1000&note=b')).body))
    }
    const first = paste((await replayed(cassette, work)).misses())
    expect(first).toEqual(['/sentAt', '/tags/1/n'])
    const second = paste((await replayed(volatile(cassette, first), work)).misses())
    bodies.length = 0
    const tape = await replayed(volatile(cassette, [...first, ...second]), work)
    expect(tape.ledger()).toMatchObject({ missed: 0, unused: [] })
    expect(bodies).toEqual(['{"sentAt":1800000000,"n":4}', '{"note":"b"}'])
  })

  it('never makes a text of a number, nor a number of a text', async () => {
    const cassette = volatile(
      cassetteOf(interactions(fund(1, '{"step":2}'), fund(2, '{"step":"1"}', { step: 1 }))),
      ['step'],
    )
    const tape = tapeOf(cassette)
    const client = createClient(replaying(tape), 'live')
    const { reply } = await client.post('/v1/payments/fund', { step: 'one' })
    expect(Buffer.from(reply.body).toString()).toBe('{"step":1}')
    await expect(client.post('/v1/payments/fund', { step: 'two' })).rejects.toThrow(Miss)
    await client.post('/v1/payments/fund', { step: 3 })
  })

  it('is not printed for a value that decides an outcome: that is compared all the same', async () => {
    const cassette = cassetteOf(interactions(fund(1, { amount: 5077 })))
    const work = async (client: ReturnType<typeof createClient>) =>
      void (await client.post('/v1/payments/fund', { amount: 5000 }))
    const [report] = (await replayed(cassette, work)).misses()
    expect(report?.closest[0]?.reasons[0]?.rule).toBe('amount: 5077')
    expect((await replayed(volatile(cassette, ['/amount']), work)).ledger().missed).toBe(1)
    const simulated = cassetteOf(interactions(['GET /v1/credit/simulate?amount=99911', 200, {}]))
    const ask = async (client: ReturnType<typeof createClient>) =>
      void (await client.get('/v1/credit/simulate?amount=99912'))
    expect((await replayed(volatile(simulated, ['/amount']), ask)).ledger().missed).toBe(1)
  })

  it('that is about nothing that was recorded is a mistake', () => {
    const cassette = cassetteOf(interactions(fund(1, { amount: 5077 })))
    expect(() => volatile(cassette, ['/amuont'])).toThrow(VolatileRuleError)
    expect(() => volatile(cassette, ['/amount', 'AMOUNT'])).not.toThrow()
  })
})

describe('whatever a report says to do', () => {
  const recorded = cassetteOf(
    interactions(
      fund(1, { amount: 5078, 'a b': 'x', "it's": 'x', ok: true, list: ['x'] }),
      ['GET /v1/webhooks', 200, {}, { lane: 'lane-b' }],
      ['GET /v1/accounts/acc_one', 200, {}],
      ['POST /v1/kyc/session', 201, {}, { key: uuid(4), body: { customerRef: 'CUS-1' } }],
    ),
    { file: "it's here.har", origin: 'https://sandbox.example.com' },
  )
  const same = { amount: 5078, 'a b': 'x', "it's": 'x', ok: true, list: ['x'] }

  it.each<[string, Partial<Json>]>([
    ['a text', { list: ['y'] }],
    ['a name that a shell would read', { "it's": 'y' }],
    ['a name that is no item of a list', { 'a b': 'y' }],
    ['neither text nor number', { ok: false }],
    ['missing', { ok: undefined }],
    ['extra', { more: 1 }],
    ['another type', { amount: '5078' }],
    ['once too often', {}],
  ])('is a part of a command line: %s', async (_name, change) => {
    const tape = tapeOf(recorded)
    const client = createClient(replaying(tape), 'live')
    if (Object.keys(change).length === 0) await client.post('/v1/payments/fund', same)
    await expect(client.post('/v1/payments/fund', { ...same, ...change })).rejects.toThrow(Miss)
    const reasons = tape.misses()[0]?.closest[0]?.reasons ?? []
    expect(reasons.length).toBeGreaterThan(0)
    for (const { rule } of reasons) expect(accepted(rule)).toBe(true)
  })

  it('and in a lane, out of order, and for a path', async () => {
    const strict = tapeOf(recorded, { profile: 'strict' })
    const client = createClient(replaying(strict), 'live')
    for (const ask of [() => client.get('/v1/webhooks'), () => client.get('/v1/accounts/acc_two')])
      await expect(ask()).rejects.toThrow(Miss)
    const rules = strict
      .misses()
      .flatMap(({ closest }) => closest.flatMap(({ reasons }) => reasons.map(({ rule }) => rule)))
    expect(rules.length).toBeGreaterThan(1)
    for (const rule of rules) expect(accepted(rule)).toBe(true)
    expect(accepted('--profile contract')).toBe(true)
  })
})

/** A header or field to send, an option of replay, or a command. */
function accepted(rule: string): boolean {
  if (/^[\w-]+: \S/.test(rule)) return true
  // As a shell reads it.
  const words = [...rule.matchAll(/(?:[^\s'\\]|\\.|'[^']*')+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(.)/g, (_, quoted, escaped) => quoted ?? escaped),
  )
  const line = rule.startsWith('sandgate ') ? words.slice(1) : ['replay', 'a.har', ...words]
  const parsed = parseCommandLine(line, COMMANDS)
  return parsed.kind === 'run' && parsed.invocation.args.length === (line[0] === 'replay' ? 1 : 0)
}
