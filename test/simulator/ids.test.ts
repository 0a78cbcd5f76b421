import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frozenClock } from '../../src/clock.ts'
import { createIds, type IdPrefix, partnerOfSession } from '../../src/simulator/ids.ts'

const START = Date.UTC(2026, 0, 5, 8)
const PREFIXES: readonly IdPrefix[] = ['acc', 'kyc', 'kyb', 'pay', 'sim', 'crd', 'wh', 'evt']
const partnerId = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,39}$/)

describe('an identifier', () => {
  it('has its prefix, is URL-safe and shorter than a path parameter may be', () => {
    const ids = createIds(frozenClock(START))
    for (const prefix of PREFIXES) {
      for (let i = 0; i < 200; i++)
        expect(ids.next(prefix)).toMatch(new RegExp(`^${prefix}_[A-Za-z0-9_-]{25}$`))
    }
    for (let i = 0; i < 200; i++) expect(ids.request()).toMatch(/^req_[A-Za-z0-9_-]{16}$/)
  })

  it('sorts by creation as text, within a millisecond, over years, and when the clock stands still or steps back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, 0, 0, 1, 999, 86_400_000, 10 * 365 * 86_400_000, -5000), {
          maxLength: 60,
        }),
        (steps) => {
          let now = START
          const ids = createIds({ now: () => now })
          const made = steps.map((step) => {
            now += step
            return ids.next('acc')
          })
          expect([...made].sort()).toEqual(made)
          expect(new Set(made.map((id) => id.slice(0, 13))).size).toBe(made.length)
        },
      ),
    )
  })

  it('carries 96 random bits, a widget session 128, beside what can be known of it', () => {
    const asked: number[] = []
    const ids = createIds(frozenClock(START), (bytes) => {
      asked.push(bytes)
      return Buffer.alloc(bytes, 0xff)
    })
    expect(ids.next('pay').slice(-16)).toBe('_'.repeat(16))
    ids.session('demo')
    ids.request()
    expect(asked).toEqual([12, 16, 12])
  })

  it('never takes the same bytes of the pool twice', () => {
    const ids = createIds(frozenClock(START))
    const random = [...Array(5000)].map(() => ids.next('acc').slice(-16))
    const sessions = [...Array(2000)].map(() => ids.session('demo').slice(13, 35))
    expect(new Set([...random, ...sessions]).size).toBe(7000)
    // Every bit of 96 is on about half of the time.
    const counts = Array(96).fill(0)
    for (const text of random) {
      const bytes = Buffer.from(text, 'base64url')
      for (let bit = 0; bit < 96; bit++) counts[bit] += ((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1
    }
    for (const count of counts) expect(Math.abs(count - 2500)).toBeLessThan(300)
  })
})

describe('a session id', () => {
  it('carries its partner, whatever the random part looks like', () => {
    fc.assert(
      fc.property(partnerId, fc.uint8Array({ minLength: 16, maxLength: 16 }), (partner, bytes) => {
        const ids = createIds(frozenClock(START), () => Buffer.from(bytes))
        const id = ids.session(partner)
        expect(partnerOfSession(id)).toBe(partner)
        expect(id).toMatch(/^kws_[A-Za-z0-9_-]{1,128}$/)
      }),
    )
  })

  it('of another form names nobody', () => {
    const id = createIds(frozenClock(START)).session('demo')
    for (const text of [
      '',
      'kws_',
      id.slice(0, -5),
      id.replace('kws', 'acc'),
      `${id}\n`,
      `${id}/..`,
      ` ${id}`,
      id.replace('demo', 'DEMO'),
    ])
      expect(partnerOfSession(text)).toBeUndefined()
  })
})
