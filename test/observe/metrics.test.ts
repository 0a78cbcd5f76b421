import { describe, expect, it } from 'vitest'
import { DEFAULT_OUTCOMES } from '../../src/config/outcomes.ts'
import { type Answered, createMetrics, type Metrics } from '../../src/observe/metrics.ts'
import { MAX_SERIES_PER_PARTNER } from '../../src/observe/partner-series.ts'
import type { Reads } from '../../src/observe/series.ts'
import { type CapUsage, DATA_KINDS } from '../../src/store/store.ts'

const cap = (over: Partial<CapUsage> = {}): CapUsage => ({
  product: 'payments.fund',
  period: 'day',
  unit: 'amount',
  limit: 1000,
  used: 10,
  reserved: 5,
  resetAt: 0,
  ...over,
})

/** Every product with a cap in each of its units. */
const ALL_CAPS = [
  ...['accounts', 'kyc', 'kyb'].map((product) => cap({ product, unit: 'calls' })),
  ...['payments.fund', 'payments.cashout', 'credit'].flatMap((product) => [
    cap({ product }),
    cap({ product, period: 'month' }),
    cap({ product, unit: 'calls' }),
  ]),
]

function metrics(reads: Reads = {}, caps: readonly CapUsage[] = ALL_CAPS): Metrics {
  const kinds = DATA_KINDS.map((kind) => ({ kind, used: 1, limit: 4 }))
  return createMetrics({ reads, partners: { capsOf: () => caps, quotasOf: () => kinds } })
}

const answer = (over: Partial<Answered> = {}): Answered => ({
  operation: 'payments.fund',
  partner: 'demo',
  status: 200,
  code: undefined,
  group: 'payments.fund',
  gatewaySeconds: 0.002,
  ...over,
})

async function lines(from: Metrics): Promise<string[]> {
  return (await from.expose()).toString().split('\n')
}

async function value(from: Metrics, series: string): Promise<number | undefined> {
  const found = (await lines(from)).find((line) => line.startsWith(`${series} `))
  return found === undefined ? undefined : Number(found.slice(series.length + 1))
}

describe('the series of a partner', () => {
  it('are made together when it is first met, are at most sixty, and are 0 but for what happened', async () => {
    const all = metrics()
    expect((await lines(all)).filter((line) => line.includes('partner="'))).toEqual([])
    all.answered(answer({ status: 429, code: 'RATE_LIMITED' }))
    const found = (await lines(all)).filter((line) => line.includes('partner="demo"'))
    expect(found).toHaveLength(MAX_SERIES_PER_PARTNER)
    expect(found.length).toBeLessThanOrEqual(60)
    const counted = found.filter((line) => line.includes('_total{') && !line.endsWith(' 0'))
    expect(counted).toEqual([
      'sandgate_partner_answers_total{partner="demo",status="4xx"} 1',
      'sandgate_partner_rate_limited_total{partner="demo",group="payments.fund"} 1',
    ])
  })

  it('go with the partner, and its last answers do not bring them back', async () => {
    const all = metrics()
    all.configured({ partners: [{ id: 'demo' }, { id: 'other' }], outcomes: [] })
    all.answered(answer())
    all.answered(answer({ partner: 'other' }))
    all.configured({ partners: [{ id: 'other' }], outcomes: [] })
    all.answered(answer())
    const text = (await all.expose()).toString()
    expect(text).not.toContain('partner="demo"')
    expect(text).toContain('partner="other"')
  })

  it('keep calls and XOF apart, and show of several caps the one that will refuse first', async () => {
    const all = metrics({}, [
      cap({ limit: 1000, used: 900 }),
      cap({ limit: 1500, used: 1450, period: 'month' }),
      cap({ unit: 'calls', limit: 7, used: 3, reserved: 1 }),
    ])
    all.answered(answer())
    const of = (name: string) =>
      value(all, `sandgate_partner_cap_${name}{partner="demo",product="payments.fund"}`)
    expect([await of('used_xof'), await of('reserved_xof'), await of('limit_xof')]).toEqual([1450, 5, 1500])
    expect([await of('used_calls'), await of('reserved_calls'), await of('limit_calls')]).toEqual([3, 1, 7])
  })

  it('take no value of a label that they do not know', async () => {
    const all = metrics()
    all.answered(answer({ status: 429, group: 'made-up' }))
    all.decided('demo', 'payments.fund', { outcome: 'made-up' as 'failed', rule: 'default' })
    all.capRefused('demo', 'made-up')
    const found = (await lines(all)).filter((line) => line.includes('partner="demo"'))
    expect(found).toHaveLength(MAX_SERIES_PER_PARTNER)
    expect(found.join()).not.toContain('made-up')
  })
})

describe('what is there from the start', () => {
  it('is every refusal that an operation can make, at 0', async () => {
    const all = metrics()
    const refused = 'sandgate_requests_total{operation="payments.fund",status="429",code="RATE_LIMITED"}'
    expect(await value(all, refused)).toBe(0)
    all.answered(answer({ status: 429, code: 'RATE_LIMITED' }))
    expect(await value(all, refused)).toBe(1)
  })

  it('is every decision that the configured rules can make, at 0', async () => {
    const all = metrics()
    const failed =
      'sandgate_decisions_total{operation="payments.fund",outcome="failed",rule="payment-amount-00"}'
    expect(await value(all, failed)).toBeUndefined()
    all.configured({ partners: [], outcomes: DEFAULT_OUTCOMES })
    expect(await value(all, failed)).toBe(0)
  })
})

describe('the exposition', () => {
  it('sums a histogram into buckets that include the ones before', async () => {
    const all = metrics()
    for (const gatewaySeconds of [0.0005, 0.0006, 0.3, 60]) all.answered(answer({ gatewaySeconds }))
    const bucket = (le: string) =>
      value(all, `sandgate_gateway_duration_seconds_bucket{operation="payments.fund",le="${le}"}`)
    expect(await Promise.all(['0.0005', '0.001', '0.25', '0.5', '10', '+Inf'].map(bucket))).toEqual([
      1, 2, 2, 3, 3, 4,
    ])
    expect(await value(all, 'sandgate_gateway_duration_seconds_count{operation="payments.fund"}')).toBe(4)
  })

  it('escapes what would end a label', async () => {
    const all = metrics()
    all.decided(undefined, 'kyc.submit', { outcome: 'approved', rule: 'a"b\\c\nd' })
    expect((await all.expose()).toString()).toContain('rule="a\\"b\\\\c\\nd"')
  })

  it('leaves out a family whose source fails or knows nothing, and shows the others', async () => {
    const all = metrics({
      sandgate_connections: () => {
        throw new Error('gone')
      },
      sandgate_store_bytes: () => undefined,
      sandgate_store_waiting: async () => 3,
    })
    const text = (await all.expose()).toString()
    expect(text).not.toContain('sandgate_connections ')
    expect(text).not.toContain('sandgate_store_bytes')
    expect(text).toContain('\nsandgate_store_waiting 3\n')
  })

  it('has each family once, with everything of it behind its help and type', async () => {
    const all = metrics()
    all.answered(answer())
    all.answered(answer({ partner: 'other' }))
    let family = ''
    const seen: string[] = []
    for (const line of (await lines(all)).filter((each) => each !== '')) {
      const [, help] = /^# HELP (\S+)/.exec(line) ?? []
      if (help !== undefined) {
        family = help
        seen.push(help)
      } else if (!line.startsWith('#')) expect(line.startsWith(family), line).toBe(true)
    }
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('of a thousand partners never holds the loop for 50 ms', async () => {
    const all = metrics()
    for (let n = 0; n < 1000; n++) all.answered(answer({ partner: `partner-${n}` }))
    // One good try of some: a collection of garbage falls into this one or that, what is not sliced is one turn in all.
    const tries: Turns[] = []
    const isGood = ({ longest, whole }: Turns) => longest < 50 && longest < whole / 3
    while (tries.length < 5 && !tries.some(isGood)) tries.push(await turnsOf(() => all.expose()))
    expect(tries).toSatisfy((all: Turns[]) => all.some(isGood))
    expect((await all.expose()).toString().match(/partner="/g)).toHaveLength(1000 * MAX_SERIES_PER_PARTNER)
  })

  it('is written once for all who ask at the same time', async () => {
    const all = metrics()
    const [one, other] = await Promise.all([all.expose(), all.expose()])
    expect(one).toBe(other)
    expect(await all.expose()).not.toBe(one)
  })
})

type Turns = { readonly longest: number; readonly whole: number }

/** The longest turn of the loop, and all of them, in milliseconds of processor time: other processes stall a clock. */
async function turnsOf(work: () => Promise<unknown>): Promise<Turns> {
  let longest = 0
  let whole = 0
  let running = true
  let last = process.cpuUsage()
  const tick = () => {
    const { user, system } = process.cpuUsage(last)
    last = process.cpuUsage()
    longest = Math.max(longest, (user + system) / 1000)
    whole += (user + system) / 1000
    if (running) setImmediate(tick)
  }
  setImmediate(tick)
  await work()
  running = false
  tick()
  return { longest, whole }
}
