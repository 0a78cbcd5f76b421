import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeHeaders } from '../../src/checks/headers.ts'
import { runs } from '../support/effort.ts'

const HOST = ['Host', 'sandbox.example']
const detailOf = (lines: readonly string[], minor = 1) => judgeHeaders(lines, minor)?.detail
const ONCE = ['Authorization', 'X-Tenant-Id', 'Host', 'Content-Type', 'Content-Length', 'Expect']
const GUARDED = ['Authorization', 'X-Tenant-Id', 'Idempotency-Key', 'X-Sandbox-Outcome']

/** Any spelling of a name in upper and lower case. */
const anyCase = (name: string) =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((ups) => [...name].map((c, i) => (ups[i] ? c.toUpperCase() : c.toLowerCase())).join(''))
const harmless = fc.constantFrom('Accept', 'X-Request-Id', 'User-Agent', 'X-A', 'Cookie', 'X_Something_Else')

describe('the header lines of a request', () => {
  it('pass when each stands once', () => {
    const lines = [...ONCE, 'Idempotency-Key', 'X-Sandbox-Outcome', 'Connection'].flatMap((name) => [
      name,
      'x',
    ])
    expect(judgeHeaders(lines, 1)).toBeUndefined()
  })

  it.each(ONCE)(
    'are refused with two lines of %s, however they are spelled and wherever they stand',
    (name) => {
      const others = fc.array(harmless, { maxLength: 3 })
      fc.assert(
        fc.property(anyCase(name), anyCase(name), others, others, (one, two, between, before) => {
          const host = name === 'Host' ? [] : HOST
          const lines = [...before, one, ...between, two].flatMap((each) => [each, 'same'])
          const refusal = judgeHeaders([...host, ...lines], 1)
          expect(refusal).toMatchObject({ code: 'BAD_REQUEST' })
          expect(refusal?.detail).toContain(name.toLowerCase())
        }),
        { numRuns: runs(30) },
      )
    },
  )

  it.each(GUARDED)('are refused with an alias of %s in which any hyphen is an underscore', (name) => {
    const hyphens = [...name.matchAll(/-/g)].map(({ index }) => index)
    if (hyphens.length === 0) return
    fc.assert(
      fc.property(anyCase(name), fc.subarray(hyphens, { minLength: 1 }), (spelled, replaced) => {
        const alias = [...spelled].map((c, i) => (replaced.includes(i) ? '_' : c)).join('')
        expect(judgeHeaders([...HOST, alias, 'x'], 1)).toMatchObject({ code: 'BAD_REQUEST' })
      }),
      { numRuns: runs(30) },
    )
  })

  it.each(GUARDED)('are refused when Connection nominates %s', (name) => {
    fc.assert(
      fc.property(anyCase(name), fc.constantFrom('', 'close, ', 'keep-alive ,\t'), (spelled, before) => {
        expect(judgeHeaders([...HOST, 'connection', `${before}${spelled}`], 1)).toMatchObject({
          code: 'BAD_REQUEST',
        })
      }),
      { numRuns: runs(20) },
    )
  })

  it('are refused when a second Connection line nominates a guarded header', () => {
    expect(detailOf([...HOST, 'Connection', 'close', 'Connection', 'X-Tenant-Id'])).toContain('x-tenant-id')
  })

  it.each(['close', 'keep-alive', 'TE, close', 'Upgrade, HTTP2-Settings', 'x-tenant-id-2'])(
    'pass with Connection: %s',
    (value) => expect(judgeHeaders([...HOST, 'Connection', value], 1)).toBeUndefined(),
  )

  it('leave a doubled Idempotency-Key to the check of the key, which has a code for it', () => {
    expect(judgeHeaders([...HOST, 'Idempotency-Key', 'a', 'Idempotency-Key', 'b'], 1)).toBeUndefined()
  })

  it('need a Host, except in HTTP/1.0', () => {
    expect(detailOf(['Accept', '*/*'])).toContain('Host')
    expect(judgeHeaders(['Accept', '*/*'], 0)).toBeUndefined()
  })

  it('never have their values repeated by a refusal', () => {
    const secret = 'Bearer canary-in-a-header'
    const lines = [...HOST, 'Authorization', secret, 'Authorization', secret]
    expect(JSON.stringify(judgeHeaders(lines, 1))).not.toContain('canary')
  })
})
