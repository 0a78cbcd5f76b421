import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { childOf, readTraceparent } from '../../src/http/traceparent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })

describe('a traceparent', () => {
  it.each([
    [`00-${TRACE}-${PARENT}-01`, true],
    [`00-${TRACE}-${PARENT}-00`, false],
    [`00-${TRACE}-${PARENT}-ff`, true],
    [`cc-${TRACE}-${PARENT}-01`, true],
    [`cc-${TRACE}-${PARENT}-01-what-comes-later`, true],
    [` 00-${TRACE}-${PARENT}-01 `, true],
  ])('%s is read', (header, sampled) => {
    expect(readTraceparent(header)).toEqual({ traceId: TRACE, parentId: PARENT, sampled })
  })

  it.each([
    undefined,
    '',
    TRACE,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE}-${PARENT}-01-`,
    `cc-${TRACE}-${PARENT}-01more`,
    `00-${TRACE}-${PARENT}-1`,
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-0g`,
    `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
    `cc-${TRACE}-${PARENT}-01-${'x'.repeat(600)}`,
    `00-${TRACE}"}-${PARENT}-01`,
  ])('%s is no trace', (header) => {
    expect(readTraceparent(header)).toBeUndefined()
  })

  it('that is read is always 32 and 16 hex digits, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.tuple(hex(2), hex(32), hex(16), hex(2)).map((p) => p.join('-')),
        ),
        (text) => {
          const found = readTraceparent(text)
          if (!found) return
          expect(found.traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/)
          expect(found.parentId).toMatch(/^(?!0+$)[0-9a-f]{16}$/)
        },
      ),
    )
  })
})

describe('a span of our own', () => {
  it('is a new one in the trace of its parent, as far as that is sampled', () => {
    const parent = { traceId: TRACE, parentId: PARENT, sampled: true }
    const child = readTraceparent(childOf(parent))
    expect(child).toEqual({ ...parent, parentId: expect.any(String) })
    expect(child?.parentId).not.toBe(PARENT)
    expect(childOf({ ...parent, sampled: false })).toMatch(/-00$/)
  })

  it('begins a trace of its own where there is no parent', () => {
    const some = Array.from({ length: 100 }, () => readTraceparent(childOf(undefined)))
    expect(new Set(some.map((each) => each?.traceId)).size).toBe(100)
    expect(new Set(some.map((each) => each?.parentId)).size).toBe(100)
    expect(some.every((each) => each?.sampled === false)).toBe(true)
  })
})
