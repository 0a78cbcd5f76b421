import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Circumstances, type Happening, verdictOf } from '../../src/upstream/verdict.ts'
import { runs } from '../support/effort.ts'

const POST: Circumstances = { isSafe: false, takeover: false, ownCredentials: true, momentary: ['GONE'] }

const code = fc.constantFrom(undefined, 'IDEMPOTENCY_IN_PROGRESS', 'GONE', 'ACCOUNT_NOT_FOUND')
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    kind: fc.constant('failed' as const),
    error: fc
      .constantFrom('ECONNRESET', 'ENOTFOUND', 'ANSWER_TIMEOUT', 'HPE_INVALID')
      .map((name) => Object.assign(new Error(`${name} 10.0.0.7:443`), { code: name })),
    wasSent: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('answered' as const),
    status: fc.integer({ min: 200, max: 599 }),
    code,
    challenges: fc.boolean(),
    retryAfterSeconds: fc.constantFrom(undefined, 7),
  }),
)
const circumstances: fc.Arbitrary<Circumstances> = fc.record({
  isSafe: fc.boolean(),
  takeover: fc.boolean(),
  ownCredentials: fc.boolean(),
  momentary: fc.constant(['GONE']),
})

describe('the verdict about a request to the upstream', () => {
  it('is free only when nothing was sent, or an answer says that nothing was executed', () => {
    fc.assert(
      fc.property(happening, circumstances, (what, how) => {
        const { kind } = verdictOf(what, how)
        if (kind !== 'refused' && kind !== 'passed') return
        if (what.kind === 'failed') expect(what.wasSent).toBe(false)
        else
          expect(
            [400, 401, 403, 425, 429, 410, 404, 422].concat(what.code === 'GONE' ? what.status : []),
          ).toContain(what.status)
      }),
      { numRuns: runs(2000) },
    )
  })

  it('is decided by a 2xx or a 4xx, and by nothing else of a write', () => {
    fc.assert(
      fc.property(happening, circumstances, (what, how) => {
        const { kind } = verdictOf(what, { ...how, isSafe: false })
        if (kind !== 'decided') return
        if (what.kind !== 'answered') throw new Error('an error decides nothing')
        expect(what.status < 300 || (what.status >= 400 && what.status < 500)).toBe(true)
        if (what.status === 409) expect(how.takeover).toBe(false)
      }),
      { numRuns: runs(2000) },
    )
  })

  it('tells the client no address and no name of an error', () => {
    fc.assert(
      fc.property(happening, circumstances, (what, how) => {
        const verdict = verdictOf(what, how)
        expect(JSON.stringify(verdict)).not.toMatch(/10\.0\.0\.7|ECONN|ENOTFOUND|HPE_/)
      }),
      { numRuns: runs(500) },
    )
  })

  const answered = (status: number, more: Partial<Happening & { kind: 'answered' }> = {}): Happening => ({
    ...{ kind: 'answered', status, code: undefined, challenges: false, retryAfterSeconds: undefined },
    ...more,
  })
  it.each<[string, Happening, Partial<Circumstances>, string, string?]>([
    ['200', answered(200), {}, 'decided'],
    ['404', answered(404), {}, 'decided'],
    ['409 at first', answered(409), {}, 'decided'],
    ['409 at a take-over', answered(409), { takeover: true }, 'unknown', 'IDEMPOTENCY_IN_PROGRESS'],
    [
      '409 in progress',
      answered(409, { code: 'IDEMPOTENCY_IN_PROGRESS' }),
      {},
      'unknown',
      'IDEMPOTENCY_IN_PROGRESS',
    ],
    ['401 to us', answered(401), {}, 'refused', 'UPSTREAM_UNAVAILABLE'],
    ['401 to the partner', answered(401), { ownCredentials: false }, 'passed'],
    [
      '403 to us with a challenge',
      answered(403, { challenges: true }),
      {},
      'refused',
      'UPSTREAM_UNAVAILABLE',
    ],
    ['403 without one', answered(403), {}, 'passed'],
    ['408', answered(408), {}, 'unknown', 'UPSTREAM_TIMEOUT'],
    ['504', answered(504), {}, 'unknown', 'UPSTREAM_TIMEOUT'],
    ['503', answered(503), {}, 'unknown', 'UPSTREAM_INDETERMINATE'],
    ['425', answered(425), {}, 'refused', 'OVERLOADED'],
    ['429', answered(429, { retryAfterSeconds: 7 }), {}, 'refused', 'OVERLOADED'],
    ['303 to a POST', answered(303), {}, 'unknown', 'UPSTREAM_INDETERMINATE'],
    ['303 to a GET', answered(303), { isSafe: true }, 'decided'],
  ])('of %s', (_, what, how, kind, told) => {
    const verdict = verdictOf(what, { ...POST, ...how })
    expect(verdict.kind).toBe(kind)
    expect('refusal' in verdict ? verdict.refusal.code : undefined).toBe(told)
  })
})
