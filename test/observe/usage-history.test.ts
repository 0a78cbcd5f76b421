import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createUsageHistory, type PartnerAnswer, type UsageHistory } from '../../src/observe/usage-history.ts'
import { type HistoryAddition, StoreUnavailable } from '../../src/store/store.ts'
import { NOON } from '../support/store-work.ts'

const HOUR = 3_600_000

/** A store that keeps what it is given, or fails. */
function shelf() {
  const calls: HistoryAddition[][] = []
  const shelf = {
    calls,
    failure: undefined as Error | undefined,
    addHistory: vi.fn(async (additions: readonly HistoryAddition[]) => {
      if (shelf.failure) throw shelf.failure
      calls.push([...additions])
    }),
    requests: () =>
      calls
        .flat()
        .reduce((sum, { counts }) => sum + counts.reduce((all, { requests }) => all + requests, 0), 0),
  }
  return shelf
}

const answer = (over: Partial<PartnerAnswer> = {}): PartnerAnswer => ({
  partner: 'demo',
  operation: 'payments.fund',
  status: 200,
  code: undefined,
  requestId: 'req_1',
  at: NOON,
  ...over,
})

let store: ReturnType<typeof shelf>
let history: UsageHistory
let now: number
const warnings: string[] = []

beforeEach(() => {
  vi.useFakeTimers()
  now = NOON
  store = shelf()
  warnings.length = 0
  history = createUsageHistory({ store, now: () => now, logger: { warn: (_, text) => warnings.push(text) } })
})
afterEach(async () => {
  store.failure = undefined
  await history.stop()
  vi.useRealTimers()
})

describe('the usage history', () => {
  it('reaches the store at most once a second, also in a storm', async () => {
    for (let ms = 0; ms < 10_000; ms++) {
      for (let n = 0; n < 10; n++) history.answered(answer({ status: 429, code: 'RATE_LIMITED' }))
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(store.addHistory.mock.calls.length).toBeLessThanOrEqual(10)
    expect(store.requests()).toBe(100_000)
    for (const [addition] of store.calls) expect(addition?.refusals).toHaveLength(200)
  })

  it('asks nothing of the store while nobody does anything', async () => {
    await vi.advanceTimersByTimeAsync(60_000)
    expect(store.addHistory).not.toHaveBeenCalled()
  })

  it('puts each count into the hour of its request', async () => {
    history.answered(answer({ at: NOON - 1 }))
    history.answered(answer({ at: NOON }))
    history.decided('demo', 'payments.fund', 'success', NOON + HOUR)
    await history.flush()
    const [addition] = store.calls.flat()
    expect(
      addition?.counts.map(({ start, requests, decisions }) => [start - NOON, requests, decisions]),
    ).toEqual([
      [-HOUR, 1, {}],
      [0, 1, {}],
      [HOUR, 0, { success: 1 }],
    ])
  })

  it('hands over a thousand partners in commits of a hundred', async () => {
    for (let n = 0; n < 1000; n++) history.answered(answer({ partner: `partner-${n}` }))
    await history.flush()
    expect(store.calls.map((call) => call.length)).toEqual(Array.from({ length: 10 }, () => 100))
  })

  it('loses nothing while the store is away for a while, says so once, and tries every ten seconds', async () => {
    store.failure = new StoreUnavailable('full')
    for (let second = 0; second < 30; second++) {
      history.answered(answer({ status: 404, code: 'NOT_FOUND', requestId: `req_${second}` }))
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(store.addHistory.mock.calls.length).toBeLessThanOrEqual(4)
    expect(warnings).toHaveLength(1)
    store.failure = undefined
    await vi.advanceTimersByTimeAsync(11_000)
    expect(store.requests()).toBe(30)
    const ids = store.calls.flat().flatMap(({ refusals }) => refusals.map(({ requestId }) => requestId))
    expect(ids).toEqual(Array.from({ length: 30 }, (_, n) => `req_${n}`))
  })

  it('holds no more than two hours for a store that stays away', async () => {
    store.failure = new StoreUnavailable('full')
    for (let hour = 0; hour < 10; hour++) {
      now = NOON + hour * HOUR
      history.answered(answer({ at: now }))
      await history.flush()
    }
    store.failure = undefined
    await history.flush()
    expect(store.calls.flat()[0]?.counts.map(({ start }) => start)).toEqual(
      [7, 8, 9].map((hour) => NOON + hour * HOUR),
    )
  })

  it('goes on after a fault, and does not repeat what may have been written', async () => {
    store.failure = new Error('a fault')
    history.answered(answer())
    await history.flush()
    store.failure = undefined
    history.answered(answer())
    await history.flush()
    expect(store.requests()).toBe(1)
  })
})
