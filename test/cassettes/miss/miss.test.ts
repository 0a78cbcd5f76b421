import { describe, expect, it } from 'vitest'
import { missText } from '../../../src/cassettes/miss/console.ts'
import { missJUnit } from '../../../src/cassettes/miss/junit.ts'
import { missDetail, missMembers } from '../../../src/cassettes/miss/problem.ts'
import type { MissReport } from '../../../src/cassettes/miss/report.ts'
import { interactions, uuid } from '../matching/by-hand.ts'
import { type Client, createClient } from '../matching/client.ts'
import { cassetteOf, Miss, replaying, tapeOf } from '../matching/recording.ts'
import { createSandbox } from '../matching/sandbox.ts'

async function missOf(work: Promise<unknown>): Promise<MissReport> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof Miss) return error.report
  throw new Error('expected a miss')
}

const RECORDED = interactions(
  [
    'POST /v1/payments/fund',
    200,
    {},
    { key: uuid(1), body: '{"amount":5077.00,"currency":"XOF","description":"fees"}' },
  ],
  ['GET /v1/credit/simulate?amount=1000&termMonths=6', 200, {}],
  ['GET /v1/webhooks', 200, {}, { lane: 'lane-b' }],
)

const client = (lane = 'key_demo'): Client =>
  createClient(replaying(tapeOf(cassetteOf(RECORDED)), { lane }), 'live')

async function reasonOf(work: Promise<unknown>) {
  const report = await missOf(work)
  return report.closest[0]?.reasons.map(({ kind, at, recorded, live }) => ({ kind, at, recorded, live }))
}

describe('a miss says why', () => {
  const fund = { amount: 5077, currency: 'XOF', description: 'fees' }

  it('value', async () => {
    expect(await reasonOf(client().post('/v1/payments/fund', { ...fund, description: 'rent' }))).toEqual([
      { kind: 'number-spelling', at: 'request-body /amount', recorded: '5077.00', live: '5077' },
      { kind: 'value', at: 'request-body /description', recorded: '"fees"', live: '"rent"' },
    ])
  })

  it('missing, extra and type', async () => {
    const { description: _, ...rest } = fund
    expect((await reasonOf(client().post('/v1/payments/fund', rest)))?.at(-1)).toMatchObject({
      kind: 'missing',
      at: 'request-body /description',
    })
    expect(
      (await reasonOf(client().post('/v1/payments/fund', { ...fund, note: 'x' })))?.at(-1),
    ).toMatchObject({ kind: 'extra', live: '"x"' })
    expect(await reasonOf(client().post('/v1/payments/fund', { ...fund, amount: '5077' }))).toMatchObject([
      { kind: 'type', at: 'request-body /amount', recorded: '5077.00 (number)', live: '"5077" (string)' },
    ])
  })

  it('number-spelling, where a number is a text', async () => {
    expect(await reasonOf(client().get('/v1/credit/simulate?amount=01000&termMonths=6'))).toMatchObject([
      { kind: 'number-spelling', at: 'query /amount', recorded: '1000', live: '01000' },
    ])
  })

  it('exhausted', async () => {
    const one = client()
    await one.post('/v1/payments/fund', fund)
    expect((await reasonOf(one.post('/v1/payments/fund', fund)))?.[0]).toMatchObject({
      kind: 'exhausted',
      live: '2 times',
    })
  })

  it('lane', async () => {
    const report = await missOf(client().get('/v1/webhooks'))
    expect(report.closest[0]?.reasons).toEqual([
      { kind: 'lane', at: '', recorded: 'lane-b', live: 'key_demo', rule: 'X-Sandgate-Lane: lane-b' },
    ])
  })

  it('and when nothing like it was recorded', async () => {
    const report = await missOf(client().get('/v1/score?customerRef=CUS-1'))
    expect(report.stages.map(({ stage, left }) => [stage, left])).toEqual([
      ['loaded', 3],
      ['lane', 2],
      ['operation', 0],
      ['key', 0],
      ['bindings', 0],
      ['order', 0],
    ])
  })
})

describe('a report', () => {
  const report = async () => {
    const sandbox = createSandbox()
    const recording = createClient(sandbox.client(), 'recording')
    await recording.post('/v1/kyc/submit', {
      phone: '+2250711111111',
      firstName: 'Aminata',
      metadata: { step: '1' },
    })
    const live = createClient(replaying(tapeOf(cassetteOf(sandbox.interactions()))), 'live')
    return missOf(
      live.post('/v1/kyc/submit', {
        phone: '+2250798765432',
        firstName: 'Fatoumata',
        metadata: { step: '<&"2' },
      }),
    )
  }

  it('shows no personal value, in no form', async () => {
    const made = await report()
    const shown = [
      JSON.stringify(made),
      missText(made),
      missDetail(made),
      missJUnit([made]),
      JSON.stringify(missMembers(made)),
    ]
    for (const text of shown) expect(text).not.toMatch(/98765432|Fatoumata|Aminata|0711111111/)
  })

  it('reads as text, with the place in the file and a rule to paste', async () => {
    const text = missText(await report())
    expect(text).toBe(
      [
        'CASSETTE MISS POST /v1/kyc/submit (kyc.submit, lane key_demo)',
        '  do: test.har entry 1 differs, recorded → sent: body /metadata/step "1" → "<&\\"2". Paste this when the test makes the value up in every run, else send what was recorded:',
        '    --volatile /metadata/step',
        '  closest: test.har entry 1, POST /v1/kyc/submit',
        '    body /metadata/step, recorded → sent: "1" → "<&\\"2"',
        '  looked at: 1 recorded, 1 of this client, 1 of this operation, 0 that ask the same, 0 for these values, 0 left',
        '',
      ].join('\n'),
    )
    expect(missText(await report(), { color: true })).toContain('\u001b[31mCASSETTE MISS')
  })

  it('is well-formed JUnit XML', async () => {
    const xml = missJUnit([await report()])
    expect(xml).toContain('tests="1" failures="1"')
    expect(xml).toContain('&lt;&amp;')
    expect(xml.match(/<(?![?/]?[a-z])/g)).toBeNull()
  })
})
