import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_DEPTH, type ParsedJson, parseJson } from '../../src/checks/json.ts'
import { runs } from '../support/effort.ts'

function parsed(text: string | Buffer): ParsedJson {
  const judged = parseJson(Buffer.from(text))
  if (!judged.ok) throw new Error(`refused: ${judged.refusal.detail}`)
  return judged.value
}
function faultOf(text: string | Buffer): string | undefined {
  const judged = parseJson(Buffer.from(text))
  if (judged.ok) return undefined
  expect(judged.refusal.code).toBe('MALFORMED_BODY')
  return judged.refusal.detail
}
const BROKEN = 'The body is not well-formed JSON at line 1, column'
const REPEATS = /^The body repeats a property of an object at line \d+, column \d+\.$/

/** Every UTF-16 unit of a text in one of its spellings inside a JSON string. */
const spelling = (text: string) =>
  fc.array(fc.nat(2), { minLength: text.length, maxLength: text.length }).map((ways) =>
    [...Array(text.length).keys()]
      .map((i) => {
        const unit = text.charCodeAt(i)
        const hex = unit.toString(16).padStart(4, '0')
        if (ways[i] === 1 || unit < 0x20 || unit > 0x7e) return `\\u${hex}`
        if (ways[i] === 2) return `\\u${hex.toUpperCase()}`
        return text[i] === '"' || text[i] === '\\' ? `\\${text[i]}` : text[i]
      })
      .join(''),
  )
const name = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom('__proto__', 'constructor', 'a"b', '\\', '/', '~', ''),
)
const whitespace = fc.constantFrom('', ' ', '\n', '\t\r\n ')

describe('a body', () => {
  it('is parsed to what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (text, indent) => {
        const written = JSON.stringify(JSON.parse(text), null, indent)
        expect(parsed(written).value).toEqual(JSON.parse(written))
      }),
      { numRuns: runs(500) },
    )
  })

  it('with __proto__ as a property has it as an own one, and nothing inherits from it', () => {
    const { value } = parsed('{"__proto__":{"amount":1},"constructor":{"prototype":{"x":1}}}')
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor'])
    expect((value as { amount?: unknown }).amount).toBeUndefined()
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  it.each([
    ['is empty', '', 'The body is empty.'],
    ['is white space', ' \n', 'The body is empty.'],
    ['ends early', '{"a":1', `${BROKEN} 7: expected a comma or }, found the end of the body.`],
    ['has a second text', '{} {}', `${BROKEN} 4: expected the end of the body, found {.`],
    [
      'has a trailing comma',
      '{"a":1,}',
      `${BROKEN} 8: expected a property name in double quotes, found } (there is a comma too many).`,
    ],
    [
      'has a comment',
      '{}//x',
      `${BROKEN} 3: expected the end of the body, found a slash (JSON has no comments).`,
    ],
    ['has NaN', '{"a":NaN}', `${BROKEN} 6: expected a value, found the letter N.`],
    [
      'has a leading zero',
      '{"a":007}',
      `${BROKEN} 7: expected the end of the number, which begins with 0, found the digit 0.`,
    ],
    ['has a byte order mark', '\ufeff{}', `${BROKEN} 1: expected a value, found a byte order mark.`],
    [
      'has a raw control character',
      '{"a":"\u0001"}',
      `${BROKEN} 7: expected an escape such as \\u000a, found U+0001.`,
    ],
    [
      'is UTF-16',
      Buffer.from('{}', 'utf16le'),
      `${BROKEN} 2: expected a property name in double quotes or }, found NUL (is the body in UTF-16?).`,
    ],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'The body is not valid UTF-8 at byte 2: found 0xff.'],
    [
      'has an overlong encoding',
      Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
      'The body is not valid UTF-8 at byte 2: found 0xc0.',
    ],
    [
      'has a surrogate in UTF-8',
      Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
      'The body is not valid UTF-8 at byte 2: found 0xed.',
    ],
    [
      'ends within a character',
      Buffer.from([0x7b, 0xef]),
      'The body is not valid UTF-8 at byte 2: found 0xef.',
    ],
    [
      'has the beginning of a character',
      Buffer.from([0x7b, 0xef, 0x41]),
      'The body is not valid UTF-8 at byte 2: found 0xef.',
    ],
    [
      'has a replacement character and the beginning of one',
      Buffer.from([0x22, 0xef, 0xbf, 0xbd, 0xef, 0xbf, 0x22]),
      'The body is not valid UTF-8 at byte 5: found 0xef.',
    ],
  ])('that %s is refused', (_what, body, detail) => expect(faultOf(body)).toBe(detail))

  it('that is refused is not repeated', () => {
    for (const text of ['{"canary', '{"canary":1,"canary":2}', 'canary', `${'['.repeat(40)}"canary"`])
      expect(faultOf(text)).not.toContain('canary')
  })
})

describe('a repeated property', () => {
  it('is found at any depth and in any spelling of its escapes', () => {
    const pair = name.chain((text) => fc.tuple(fc.constant(text), spelling(text), spelling(text)))
    const wrap = fc.array(fc.constantFrom('array', 'object'), { maxLength: 8 })
    fc.assert(
      fc.property(
        pair,
        wrap,
        whitespace,
        fc.json({ maxDepth: 2 }),
        ([text, one, two], layers, space, other) => {
          const object = `{"${one}"${space}:${other},${space}"${two}":${other}}`
          const body = layers.reduce(
            (inner, layer) => (layer === 'array' ? `[0,${inner},"x"]` : `{"before":{},"in":${inner}}`),
            object,
          )
          if (JSON.parse(`"${one}"`) !== text) throw new Error('the test spells it wrong')
          expect(faultOf(body)).toMatch(REPEATS)
        },
      ),
      { numRuns: runs(500) },
    )
  })

  it('is not one in another object, in a value, or in another normal form', () => {
    const texts = [
      '[{"a":1},{"a":2}]',
      '{"a":{"a":1}}',
      '{"a":"a","b":"a"}',
      '["a","a"]',
      '{"é":1,"e\u0301":2}',
      '{"a":1,"A":2}',
    ]
    for (const text of texts) expect(faultOf(text)).toBeUndefined()
  })
})

describe('depth', () => {
  const nested = (depth: number, kinds: readonly boolean[]) => {
    const open = [...Array(depth).keys()].map((i) => (kinds[i % kinds.length] ? '[' : '{"a":'))
    return `${open.join('')}1${open
      .map((each) => (each === '[' ? ']' : '}'))
      .reverse()
      .join('')}`
  }

  it('is allowed up to the bound exactly, in arrays and objects alike', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: MAX_DEPTH }), (kinds) => {
        expect(faultOf(nested(MAX_DEPTH, kinds))).toBeUndefined()
        expect(faultOf(nested(MAX_DEPTH + 1, kinds))).toContain(`${MAX_DEPTH} levels`)
      }),
    )
  })

  it('counts what is open, not what has been', () => {
    expect(faultOf(`[${'[[]],'.repeat(1000)}[]]`)).toBeUndefined()
    expect(faultOf(JSON.stringify('['.repeat(100)))).toBeUndefined()
  })
})

describe('what JSON.parse lets through', () => {
  it('is reported by pointer: numbers that are not integers, whatever they round to', () => {
    const text =
      '{"amount":9007199254740991.4,"a":[1,2,{"b/c~d":1e-1}],"ok":1000.0,"x":1e3,"s":"1.5","n":-0.0,"big":12345678901234567890}'
    expect([...parsed(text).inexact]).toEqual(['/amount', '/a/2/b~1c~0d'])
    expect([...parsed('1.5').inexact]).toEqual([''])
    expect([...parsed('[0,[0.5,1],0.25]').inexact]).toEqual(['/1/0', '/2'])
  })

  it('is reported by pointer: texts with NUL or a lone surrogate', () => {
    const text = String.raw`{"a":"x\u0000","b":["\ud83d\ude42","\ud83d"],"c":{"d":"\udc00"},"e":"\\u0000","f":"\u00e9"}`
    expect([...parsed(text).illFormed]).toEqual(['/a', '/b/1', '/c/d'])
  })

  it('is reported under its own name when the name itself is ill-formed', () => {
    expect([...parsed(String.raw`{"fine":1,"bad\u0000":2}`).illFormed]).toEqual(['/bad\0'])
    expect([...parsed(String.raw`{"m":{"fine":"x","\ud800":"y"}}`).illFormed]).toEqual(['/m/\ufffd'])
  })

  it('agrees with the value for every text', () => {
    const unit = fc.oneof(fc.constantFrom(0, 0xd83d, 0xde42, 0x41), fc.nat(0xffff))
    const text = fc.array(unit, { maxLength: 6 }).map((units) => String.fromCharCode(...units))
    fc.assert(
      fc.property(text, (each) => {
        const body = JSON.stringify({ before: 1, text: each })
        const bad = !each.isWellFormed() || each.includes('\0')
        expect(parsed(body).illFormed.has('/text')).toBe(bad)
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('a body of 64 KB', () => {
  const size = 64_000
  it.each([
    ['zeros behind the point', `{"amount":0.${'0'.repeat(size)}1}`],
    ['many short texts', `[${'"",'.repeat(size / 3)}"\\n"]`],
    ['many short texts before a Unicode escape', `[${'"",'.repeat(size / 3)}"\\u0041"]`],
    [
      'many fractions under a long name',
      JSON.stringify({ ['k'.repeat(size / 2)]: Array(size / 8).fill(0.1) }),
    ],
    ['many NULs under a long name', `{"${'k'.repeat(size / 2)}":[${'"\\u0000",'.repeat(size / 20)}1]}`],
    ['many names', JSON.stringify(Object.fromEntries([...Array(size / 8).keys()].map((i) => [`k${i}`, 1])))],
    ['backslashes', JSON.stringify('\\'.repeat(size / 2))],
    ['brackets', '['.repeat(size)],
  ])('is judged in a moment, and what is reported of it is short: %s', (_what, text) => {
    const startedAt = performance.now()
    const judged = parseJson(Buffer.from(text))
    expect(performance.now() - startedAt).toBeLessThan(1000)
    if (!judged.ok) return
    const reported = [...judged.value.inexact, ...judged.value.illFormed]
    expect(reported.join('').length).toBeLessThan(10_000)
  })
})
