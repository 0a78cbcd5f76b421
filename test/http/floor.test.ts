import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { weightedRanges } from '../../src/http/accept.ts'
import { bearerToken } from '../../src/http/authorization.ts'
import { headerOf, withoutHeader } from '../../src/http/header-lines.ts'
import { idempotencyKey, isUuidV4 } from '../../src/http/idempotency-key.ts'
import { escapeStep, pointerSteps, shownStep } from '../../src/http/json-pointer.ts'
import { takeLane } from '../../src/http/lane.ts'
import { essence, mediaType } from '../../src/http/media-type.ts'
import { decodeForm, decodeFormOrKeep, decodePercent, decodePercentOrKeep } from '../../src/http/percent.ts'
import { originForm, readTarget, segmentsOf, splitTarget, withoutOrigin } from '../../src/http/target.ts'
import { runs } from '../support/effort.ts'

const text = fc.string({ unit: 'grapheme' })
const RUNS = { numRuns: runs(500) }

describe('a target', () => {
  it('is its path and query, whatever stands in the query', () => {
    const path = fc.stringMatching(/^\/[A-Za-z0-9/._-]*$/)
    fc.assert(
      fc.property(path, text, (path, query) => {
        expect(splitTarget(`${path}?${query}`)).toEqual({ path, query })
        expect(readTarget(`https://host.example:8080${path}?${query}`)).toEqual({ path, query })
      }),
      RUNS,
    )
  })

  it.each([
    ['/a?b', '/a?b'],
    ['http://host', '/'],
    ['HTTP://host?a=1', '/?a=1'],
    ['https://user@host:1/a//b?http://c', '/a//b?http://c'],
    ['*', '*'],
    ['host:443', 'host:443'],
    ['http:///no-host', 'http:///no-host'],
  ])('%s is in origin-form %s', (target, expected) => expect(originForm(target)).toBe(expected))

  it.each(['*', 'host:443', '', 'a/b'])('%j has no path that a server could serve', (target) =>
    expect(readTarget(target)).toBeUndefined(),
  )

  it('has the segments that were encoded into it', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (segments) => {
        const path = `/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`
        expect(segmentsOf(path)).toEqual(segments)
      }),
      RUNS,
    )
  })

  it('loses its origin and nothing else', () => {
    expect(withoutOrigin('https://a.example/b?c=http://d')).toBe('/b?c=http://d')
    expect(withoutOrigin('urn:a:b')).toBe('urn:a:b')
  })
})

describe('a lane before a path', () => {
  it('is taken off, for every name that can be one', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9._~-]{1,100}$/), (lane) => {
        expect(takeLane(`/_lane/${lane}/v1/x?y=/z`)).toEqual({ lane, target: '/v1/x?y=/z' })
      }),
      RUNS,
    )
  })

  it.each(['/_lane/a', '/_lane//x', '/_lane/a b/x', '/_lane/a%20b/x', `/_lane/${'a'.repeat(101)}/x`, '/x'])(
    'is not in %s',
    (target) => expect(takeLane(target)).toEqual({ lane: undefined, target }),
  )
})

describe('encoded text', () => {
  it('is what was encoded, in a path and in a form', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(decodePercent(encodeURIComponent(value))).toBe(value)
        const form = new URLSearchParams({ a: value }).toString().slice(2)
        expect(decodeForm(form)).toBe(value)
      }),
      RUNS,
    )
  })

  it.each(['%', '%zz', '%C0%AF', '%ff', 'a+%'])(
    '%s is not that, and stands for itself where it has to',
    (raw) => {
      expect(decodePercent(raw)).toBeUndefined()
      expect(decodeForm(raw)).toBeUndefined()
      expect(decodePercentOrKeep(raw)).toBe(raw)
      expect(decodeFormOrKeep(raw)).toBe(raw)
    },
  )
})

describe('a JSON pointer', () => {
  it('leads through the names that were escaped into it', () => {
    fc.assert(
      fc.property(fc.array(text), (names) => {
        expect(pointerSteps(names.map((name) => `/${escapeStep(name)}`).join(''))).toEqual(names)
      }),
      RUNS,
    )
  })

  it('that is shown has no long and no ill-formed name', () => {
    expect(shownStep('a/b~c')).toBe('/a~1b~0c')
    expect(shownStep('x'.repeat(100))).toBe(`/${'x'.repeat(61)}...`)
    expect(shownStep('\ud800')).toBe('/\ufffd')
  })
})

describe('header lines', () => {
  const lines = [
    ['Accept', ' a '],
    ['ACCEPT', 'b'],
    ['Host', 'c'],
  ] as const

  it('are found by name in any case, the first one and trimmed', () => {
    expect(headerOf(lines, 'accept')).toBe('a')
    expect(headerOf(lines, 'cookie')).toBeUndefined()
  })

  it('are left out by name, all of them', () => {
    expect(withoutHeader(lines, 'accept')).toEqual([['Host', 'c']])
  })

  it.each([
    ['Bearer abc', 'abc'],
    ['bearer  abc def', 'abc'],
    ['Basic abc', undefined],
    ['Bearer', undefined],
    [undefined, undefined],
  ])('%j carry the token %j', (value, token) => expect(bearerToken(value)).toBe(token))

  it('name a media type by its essence, which may be none', () => {
    expect(essence(' Text/HTML ; charset=x')).toBe('text/html')
    expect(mediaType('text/html;x')).toBe('text/html')
    expect(mediaType('text')).toBeUndefined()
  })

  it('weigh ranges in their order', () => {
    expect(weightedRanges('a/b;q=0.5, C/d')).toEqual([
      { range: 'a/b', quality: 0.5 },
      { range: 'c/d', quality: 1 },
    ])
  })
})

describe('an Idempotency-Key', () => {
  const KEY = '1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10'

  it.each([KEY, `"${KEY}"`, ` ${KEY.toUpperCase()} `])('%s is one key', (value) => {
    expect(idempotencyKey(value)).toBe(KEY)
    expect(isUuidV4(idempotencyKey(value))).toBe(true)
  })

  it.each([`"${KEY}`, `${KEY}, ${KEY}`, KEY.replace('-4', '-1'), '"', ''])('%j is none', (value) =>
    expect(isUuidV4(idempotencyKey(value))).toBe(false),
  )
})
