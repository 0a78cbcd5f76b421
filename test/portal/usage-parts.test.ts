import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CATALOGUE, type ErrorCode } from '../../src/errors/catalogue.ts'
import { errorWords } from '../../src/errors/catalogue-fr.ts'
import { addressOf } from '../../src/portal/usage/addresses.ts'
import { durationText } from '../../src/portal/usage/format.ts'
import { capGauge } from '../../src/portal/usage/gauges.ts'
import { usageContent } from '../../src/portal/usage/page.ts'
import { sceneOf } from '../../src/portal/usage/scene.ts'
import { byOperation, slotsOf, sum } from '../../src/portal/usage/series.ts'
import { limitedLately } from '../../src/portal/usage/view.ts'
import { runs } from '../support/effort.ts'
import { largestView, NOW } from './usage-fixtures.ts'

const HOUR = 3_600_000
const page = (language: 'fr' | 'en', view = largestView(), query = '') => {
  const scene = sceneOf(addressOf({ query: `lang=${language}&${query}`, headers: {} }), NOW)
  return String(usageContent(scene, view, 'token').body)
}

describe('the page', () => {
  it('is below 150 kB in all, however much there is to show', () => {
    for (const language of ['fr', 'en'] as const) {
      const bytes = Buffer.byteLength(page(language))
      expect(bytes).toBeGreaterThan(60_000)
      expect(bytes).toBeLessThan(150_000)
    }
  })

  it('has no id twice, and each label and description leads to one', () => {
    const html = page('en', largestView(), 'request=req_unknown')
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, target = ''] of html.matchAll(/ (?:for|aria-labelledby|aria-describedby)="([^"]*)"/g))
      expect(ids).toContain(target)
  })

  it('escapes whatever a name holds', () => {
    const view = { ...largestView(), name: '<img src=x onerror=alert(1)>"\'&' }
    expect(page('fr', view)).not.toContain('<img')
  })

  it('tells a storm in one line, with every id behind it', () => {
    const view = largestView()
    const storm = view.usage.refusals.map((each) => ({
      ...each,
      code: 'RATE_LIMITED',
      operation: 'payments.fund',
    }))
    const html = page('en', { ...view, usage: { ...view.usage, refusals: storm } })
    expect(html.match(/class="run"/g)).toHaveLength(1)
    expect(html).toContain('200 times in a row')
    for (const { requestId } of storm) expect(html).toContain(requestId)
  })
})

describe('every code', () => {
  it('has a title and a resolution in French, with French punctuation and without English', () => {
    for (const code of Object.keys(CATALOGUE) as ErrorCode[]) {
      const { title, resolution } = errorWords(code, 'fr')
      expect(title, code).not.toBe(CATALOGUE[code].title)
      expect(resolution, code).toMatch(/\.$/)
      expect(resolution, code).not.toMatch(/\b(?:the|and|with|wait)\b/i)
      expect(`${title} ${resolution}`, code).not.toContain("'")
    }
  })
})

describe('the bars', () => {
  const bucket = fc.record({
    ago: fc.integer({ min: 0, max: 60 }),
    operation: fc.constantFrom('payments.fund', 'kyc.submit', 'none'),
    requests: fc.nat(1000),
    rateLimited: fc.nat(1000),
    refusals: fc.dictionary(fc.constantFrom('NOT_FOUND', 'INTERNAL'), fc.nat(100)),
    decisions: fc.dictionary(fc.constantFrom('approved', 'success', 'rejected', 'failed'), fc.nat(100)),
  })

  it('show all of the last 48 hours and nothing twice', () => {
    fc.assert(
      fc.property(fc.array(bucket), (buckets) => {
        const last = NOW - (NOW % HOUR)
        const history = buckets.map(({ ago, ...each }) => ({
          ...each,
          start: new Date(last - ago * HOUR).toISOString(),
        }))
        const shown = history.filter((_, index) => (buckets[index]?.ago ?? 0) < 48)
        const slots = slotsOf(history, 'hours', NOW)
        expect(slots).toHaveLength(48)
        expect(slots.at(-1)?.start).toBe(last)
        expect(sum(slots, ({ requests }) => requests)).toBe(sum(shown, ({ requests }) => requests))
        expect(sum(slots, ({ accepted, declined }) => accepted + declined)).toBe(
          sum(shown, ({ decisions }) => sum(Object.values(decisions), (count) => count)),
        )
        expect(sum(byOperation(history), ({ rateLimited }) => rateLimited)).toBe(
          sum(history, ({ rateLimited }) => rateLimited),
        )
        expect(limitedLately(history, NOW)).toBe(
          sum(
            history.filter((_, index) => (buckets[index]?.ago ?? 0) < 2),
            ({ rateLimited }) => rateLimited,
          ),
        )
      }),
      { numRuns: runs(100) },
    )
  })
})

describe('a gauge', () => {
  const amount = fc.nat(10_000)
  it('is out exactly when nothing is left, and idle exactly when all is', () => {
    fc.assert(
      fc.property(amount, amount, amount, (limit, used, reserved) => {
        const remaining = Math.max(0, limit - used - reserved)
        const cap = {
          product: 'kyc',
          period: 'day',
          unit: 'calls',
          resetAt: '2026-01-16T00:00:00.000Z',
        } as const
        const { tone, left } = capGauge({ ...cap, limit, used, reserved, remaining })
        expect(left).toBe(remaining)
        expect(tone === 'out').toBe(remaining === 0)
        if (tone === 'idle') expect(used + reserved).toBe(0)
      }),
      { numRuns: runs(200) },
    )
  })
})

describe('how long', () => {
  it.each([
    [0, '0 s', '0 s'],
    [1, '1 s', '1 s'],
    [42_000, '42 s', '42 s'],
    [60_000, '1 min', '1 min'],
    [61_000, '1 min 1 s', '1 min 1 s'],
    [HOUR, '1 h', '1 h'],
    [52_135_000, '14 h 28 min', '14 h 28 min'],
    [25 * HOUR, '1 j 1 h', '1 d 1 h'],
    [-5, '0 s', '0 s'],
  ])('%i ms are %s, %s', (ms, fr, en) => {
    expect(durationText('fr', ms).replaceAll('\u00a0', ' ')).toBe(fr)
    expect(durationText('en', ms).replaceAll('\u00a0', ' ')).toBe(en)
  })
})
