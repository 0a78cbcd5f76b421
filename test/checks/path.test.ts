import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCanonicalPath } from '../../src/checks/path.ts'
import { readTarget } from '../../src/http/target.ts'
import { runs } from '../support/effort.ts'

/** What a path segment may hold plainly: the pchar of RFC 3986 without the semicolon. */
const PLAIN = "ABCXYZabcxyz0189._~!$&'()*+,=:@-"
const upperHex = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
const encoded = (text: string) => [...Buffer.from(text)].map(upperHex).join('')

const plainCharacter = fc.constantFrom(...PLAIN)
/** What can only be written encoded: other ASCII that separates nothing, and everything beyond ASCII. */
const encodedCharacter = fc
  .oneof(fc.constantFrom(...'"<>[]^`{|}'), fc.constantFrom('é', 'ß', '中', '🙂', '\u00a0'))
  .map(encoded)
const segment = fc
  .array(fc.oneof({ weight: 4, arbitrary: plainCharacter }, encodedCharacter), {
    minLength: 1,
    maxLength: 12,
  })
  .map((characters) => characters.join(''))
  .filter((text) => text !== '.' && text !== '..')
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => `/${segments.join('/')}`)

describe('a canonical path', () => {
  it.each([
    '/',
    '/v1/accounts/open',
    '/v1/accounts/acc_0-9_~',
    '/.well-known/jwks.json',
    '/a/',
    '/%C3%A9',
    '/...',
    '/%22',
  ])('takes %s', (text) => expect(isCanonicalPath(text)).toBe(true))

  it.each([
    ['an empty path', ''],
    ['no slash at the start', 'v1/accounts'],
    ['two slashes', '/v1//accounts'],
    ['two slashes at the start', '//v1/accounts'],
    ['two slashes at the end', '/v1/accounts//'],
    ['an encoded dot', '/v1/%2e%2e/accounts'],
    ['an encoded dot in upper-case hex', '/v1/%2E%2E/accounts'],
    ['half an encoded dot segment', '/v1/.%2E/accounts'],
    ['an encoded slash', '/v1%2Faccounts'],
    ['an encoded slash in lower-case hex', '/v1%2faccounts'],
    ['a semicolon', '/v1/accounts;x=1'],
    ['an encoded semicolon', '/v1/accounts%3B'],
    ['a backslash', '/v1\\accounts'],
    ['an encoded backslash', '/v1%5Caccounts'],
    ['an encoded NUL', '/v1/accounts%00'],
    ['an encoded line feed', '/v1/accounts%0A'],
    ['an encoded DEL', '/v1/accounts%7F'],
    ['an encoded space', '/v1/a%20b'],
    ['double encoding', '/v1/%252e%252e/accounts'],
    ['an encoded percent sign', '/v1/%25'],
    ['an encoded question mark', '/v1/accounts%3Fx'],
    ['an encoded hash', '/v1/accounts%23x'],
    ['a hash', '/v1/accounts#x'],
    ['a dot segment', '/v1/./accounts'],
    ['a parent segment', '/v1/../accounts'],
    ['a dot segment at the end', '/v1/.'],
    ['a parent segment at the end', '/v1/..'],
    ['lower-case hex', '/v1/caf%c3%a9'],
    ['a needlessly encoded letter', '/v1/%61ccounts'],
    ['half an encoding', '/v1/%2'],
    ['no hex', '/v1/%zz'],
    ['an encoding of Unicode as in IIS', '/v1/%u002e'],
    ['an overlong slash', '/v1/%C0%AFaccounts'],
    ['a lone UTF-8 continuation', '/v1/%80'],
    ['an encoded surrogate', '/v1/%ED%A0%80'],
    ['a plain letter beyond ASCII', '/v1/é'],
    ['a space', '/v1/a b'],
  ])('is not one with %s', (_what, text) => expect(isCanonicalPath(text)).toBe(false))

  it('is every path whose characters are plain where they can be', () => {
    fc.assert(
      fc.property(path, (text) => {
        expect(isCanonicalPath(text)).toBe(true)
      }),
    )
  })

  it('has no second spelling: encoding any of its plain characters is refused', () => {
    fc.assert(
      fc.property(path, fc.nat(), fc.boolean(), (text, at, lower) => {
        const places = [...text.matchAll(/%..|[^%]/g)].filter(([token]) => token.length === 1)
        const place = places[at % places.length]
        if (!place) return
        const code = upperHex(place[0].charCodeAt(0))
        const respelled =
          text.slice(0, place.index) + (lower ? code.toLowerCase() : code) + text.slice(place.index + 1)
        expect(isCanonicalPath(respelled)).toBe(false)
      }),
    )
  })

  it('has no second spelling: another case of its hex digits is refused', () => {
    const withHexLetters = path.filter((text) => /%(?:.[A-F]|[A-F])/.test(text))
    fc.assert(
      fc.property(withHexLetters, (text) => {
        const respelled = text.replace(/%(?:.[A-F]|[A-F].)/, (octet) => octet.toLowerCase())
        expect(isCanonicalPath(respelled)).toBe(false)
      }),
    )
  })

  it('has no second spelling: two canonical paths never decode to the same text', () => {
    const character = fc.oneof(
      plainCharacter,
      encodedCharacter,
      fc.nat(255).map(upperHex),
      fc.constantFrom(...'/;\\%'),
    )
    const anything = fc.array(character, { maxLength: 4 }).map((parts) => `/${parts.join('')}`)
    const seen = new Map<string, string>()
    fc.assert(
      fc.property(anything, (text) => {
        if (!isCanonicalPath(text)) return
        const meaning = decodeURIComponent(text)
        const first = seen.get(meaning) ?? text
        seen.set(meaning, first)
        expect(text).toBe(first)
      }),
      { numRuns: runs(5000) },
    )
  })

  it('is judged in linear time', () => {
    const startedAt = performance.now()
    for (const text of [
      `/${'a'.repeat(60_000)};`,
      `/${'a/'.repeat(30_000)}/`,
      `/${'%C3%A9'.repeat(10_000)};`,
    ])
      expect(isCanonicalPath(text)).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(500)
  })
})

describe('a request target', () => {
  it.each([
    ['/v1/accounts', { path: '/v1/accounts', query: '' }],
    ['/v1/accounts?limit=1', { path: '/v1/accounts', query: 'limit=1' }],
    ['/a?b?c', { path: '/a', query: 'b?c' }],
    ['/?', { path: '/', query: '' }],
    ['http://other.example/v1/accounts?x=1', { path: '/v1/accounts', query: 'x=1' }],
    ['HTTPS://other.example', { path: '/', query: '' }],
    ['http://other.example?x=1', { path: '/', query: 'x=1' }],
    ['//other.example/v1', { path: '//other.example/v1', query: '' }],
  ])('%s is split into path and query', (target, parts) => expect(readTarget(target)).toEqual(parts))

  it.each(['*', 'other.example:443', 'ftp://other.example/', 'http:///v1', '', 'v1/accounts'])(
    '%j has no path',
    (target) => expect(readTarget(target)).toBeUndefined(),
  )
})
