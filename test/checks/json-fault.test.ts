import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeFault, placeIn } from '../../src/checks/json-fault.ts'
import { runs } from '../support/effort.ts'

/** A JSON text in which one character has been taken out, put in, or replaced. */
const spoilt = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.constantFrom(undefined, 2),
    fc.nat(),
    fc.constantFrom(
      '',
      ',',
      '"',
      "'",
      '}',
      ']',
      '{',
      '[',
      ':',
      '/',
      '0',
      '.',
      '-',
      'e',
      'x',
      '\\',
      '\n',
      'é',
      '🙂',
    ),
    fc.boolean(),
  )
  .map(([json, indent, where, put, isAdded]) => {
    const text = JSON.stringify(JSON.parse(json), null, indent)
    const at = where % (text.length + 1)
    return text.slice(0, at) + put + text.slice(isAdded ? at : at + 1)
  })

function parserMessage(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return String(error)
  }
}

const placeOf = (fault: string) => /line \d+, column \d+/.exec(fault)?.[0]

describe('the first fault of a text', () => {
  it('is found in exactly the texts that JSON.parse refuses, and where JSON.parse stops', () => {
    let compared = 0
    fc.assert(
      fc.property(spoilt, (text) => {
        const message = parserMessage(text)
        const fault = describeFault(text)
        expect(fault === '').toBe(message === undefined)
        // It names a place in some of its messages only.
        const place = /at position (\d+)/.exec(message ?? '')?.[1]
        const isEnd = message?.includes('Unexpected end of JSON input') === true
        if (place === undefined && !isEnd) return
        compared += 1
        expect(placeOf(fault)).toBe(placeIn(text, isEnd ? text.length : Number(place)))
      }),
      { numRuns: runs(3000) },
    )
    expect(compared).toBeGreaterThan(100)
  })

  it('stays the same whatever comes behind it', () => {
    fc.assert(
      fc.property(spoilt, fc.string({ maxLength: 8 }), (text, more) => {
        const fault = describeFault(text)
        fc.pre(fault !== '' && !fault.endsWith('the end of the body'))
        expect(placeOf(describeFault(text + more))).toBe(placeOf(fault))
      }),
      { numRuns: runs(500) },
    )
  })

  it('is told in a line of ASCII that repeats one character at most', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        const fault = describeFault(`{"a":${text}`)
        expect(fault).toMatch(/^( at line \d+, column \d+: expected [ -~]{1,60}, found [ -~]{1,50})?$/)
      }),
      { numRuns: runs(1000) },
    )
    for (const text of [
      '{"canary',
      '{"canary" 1}',
      '{"a":canary}',
      '[canary]',
      '{"a":"\\canary"}',
      '{canary:1}',
    ])
      expect(describeFault(text)).not.toContain('canary')
  })

  it.each([
    [
      '{\n  "amount": 5077,\n}',
      'line 3, column 1: expected a property name in double quotes, found } (there',
    ],
    ['{"é🙂": 1 2}', 'line 1, column 10: expected a comma or }, found the digit 2'],
    [
      "{'amount': 1}",
      'line 1, column 2: expected a property name in double quotes or }, found a single quote',
    ],
    ['{"a": tru}', 'line 1, column 10: expected the word true, found }'],
    ['{"a": "\\x"}', 'column 9: expected one of " \\ / b f n r t u after a backslash, found the letter x'],
    ['{"a": "\\u12"}', 'column 12: expected four hexadecimal digits after \\u, found a double quote'],
    ['[1, 2', 'column 6: expected a comma or ], found the end of the body'],
    ['[}', 'column 2: expected a value or ], found }'],
    ['{"a" 1}', 'column 6: expected a colon, found the digit 1'],
    ['-', 'column 2: expected a digit, found the end of the body'],
  ])('of %j is told in words', (text, words) => expect(describeFault(text)).toContain(words))

  it('is found in a text that is nested as deep as it is long', () => {
    expect(describeFault('['.repeat(60_000))).toContain('column 60001: expected a value or ]')
  })
})
