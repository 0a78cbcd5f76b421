import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CapturedRequest } from '../../../src/cassettes/interaction.ts'
import { canonicalKey } from '../../../src/cassettes/matching/canonical-key.ts'
import { compileLayout } from '../../../src/cassettes/matching/layout.ts'
import { nodeAt, readJson } from '../../../src/cassettes/message/json-tree.ts'
import { readRequest } from '../../../src/cassettes/message/request-facts.ts'
import { canonicalNumber } from '../../../src/http/decimal.ts'
import type { HeaderLine } from '../../../src/http/header-lines.ts'
import { runs } from '../../support/effort.ts'

const NO_HOLES = compileLayout([])

function key(request: Partial<CapturedRequest> & { text?: string }): string {
  const { text, headers = [['Content-Type', 'application/json']], ...rest } = request
  const body = text === undefined ? new Uint8Array() : Buffer.from(text, 'latin1')
  const whole: CapturedRequest = {
    method: 'POST',
    target: '/v1/x',
    httpVersion: '1.1',
    headers,
    body,
    ...rest,
  }
  return canonicalKey(readRequest(whole), 'x', NO_HOLES, [])
}

const json = (text: string) => key({ text: Buffer.from(text).toString('latin1') })
const form = (text: string) => key({ text, headers: [['Content-Type', 'application/x-www-form-urlencoded']] })
const get = (target: string, headers: readonly HeaderLine[] = []) => key({ method: 'GET', target, headers })

describe('one request has one key', () => {
  it('whatever the order of properties and the white space', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(4), (object, indent) => {
        const shuffled = Object.fromEntries(Object.entries(object).reverse())
        expect(json(JSON.stringify(shuffled, null, indent))).toBe(json(JSON.stringify(object)))
      }),
      { numRuns: runs(200) },
    )
  })

  it.each([
    ['10', '10.00'],
    ['10', '1e1'],
    ['10', '100E-1'],
    ['0', '-0.00'],
    ['0.5', '5e-1'],
    ['9007199254740993', '9007199254740993.0'],
  ])('whether an amount is written %s or %s', (a, b) => {
    expect(json(`{"amount":${a}}`)).toBe(json(`{"amount":${b}}`))
  })

  it('however its query and its form are ordered and encoded', () => {
    expect(get('/v1/x?b=2&a=1&a=0')).toBe(get('/v1/x?a=0&b=%32&a=1'))
    expect(form('b=x+y&a=1')).toBe(form('a=1&b=x%20y'))
  })

  it('whatever boundary its parts are separated by', () => {
    const multipart = (boundary: string) =>
      key({
        headers: [['Content-Type', `multipart/form-data; boundary=${boundary}`]],
        text: `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xff\x00\r\n--${boundary}--\r\n`,
      })
    expect(multipart('one')).toBe(multipart('"a second one"'.replaceAll('"', '').replaceAll(' ', '-')))
  })

  it('whatever the client calls itself, and whichever trace it is in', () => {
    const noise: HeaderLine[] = [
      ['User-Agent', 'sdk/9'],
      ['traceparent', '00-1-2-01'],
      ['Date', 'now'],
      ['Authorization', 'Bearer x'],
    ]
    expect(get('/v1/x', noise)).toBe(get('/v1/x'))
    expect(get('/v1/x', [['Accept', 'application/json']])).toBe(get('/v1/x', [['Accept', '*/*']]))
  })

  it('with the prefix of its lane or without', () => {
    expect(get('/_lane/worker-1/v1/x?a=1')).toBe(get('/v1/x?a=1'))
  })
})

describe('two requests have two keys', () => {
  it.each([
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":10}', '{"a":"10"}'],
    ['{"a":9007199254740993}', '{"a":9007199254740992}'],
    ['{"a":1e400}', '{"a":1e401}'],
    ['{"a":null}', '{}'],
    ['{"a":{"b":1}}', '{"a":{"b":1,"b":1}}'],
    ['{"a":"1","b":"2"}', '{"a":"2","b":"1"}'],
    ['{"a":"<x >"}', '{"a":"<x  >"}'],
    ['not json', 'not  json'],
  ])('%s and %s', (a, b) => {
    expect(json(a)).not.toBe(json(b))
  })

  it('when they ask for another outcome, another type or another path', () => {
    const outcome = (value: string) => key({ text: '{}', headers: [['X-Sandbox-Outcome', value]] })
    expect(outcome('success')).not.toBe(outcome('failed'))
    expect(get('/v1/x', [['Accept', 'text/html']])).not.toBe(get('/v1/x'))
    expect(get('/v1/x/')).not.toBe(get('/v1/x'))
    expect(get('/v1/x?a=1')).not.toBe(get('/v1/x?a=1&a=1'))
    expect(json('{}')).not.toBe(form('{}'))
  })
})

it('an exact decimal has one spelling', () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.nat(30), (digits, scale) => {
      const padded = `${digits}${'0'.repeat(scale)}`
      expect(canonicalNumber(padded)).toBe(canonicalNumber(`${digits}e${scale}`))
      expect(canonicalNumber(`${padded}.000`)).toBe(canonicalNumber(padded))
    }),
  )
})

it('every value is found where it is spelled', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(3), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const read = readJson(Buffer.from(text))
      expect(read && JSON.parse(text.slice(read.root.start, read.root.end))).toEqual(JSON.parse(text))
      if (typeof value !== 'object' || value === null || Array.isArray(value) || !read) return
      for (const [name, each] of Object.entries(value)) {
        const node = nodeAt(read.root, `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
        expect(node && JSON.parse(text.slice(node.start, node.end))).toEqual(JSON.parse(JSON.stringify(each)))
      }
    }),
    { numRuns: runs(200) },
  )
})
