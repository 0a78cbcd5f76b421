import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eachPair, isOneType, type JsonPair } from '../../../src/cassettes/message/json-pairs.ts'
import { nodeAt, readJson } from '../../../src/cassettes/message/json-tree.ts'

function tree(value: unknown) {
  const root = readJson(Buffer.from(JSON.stringify(value)))?.root
  if (!root) throw new Error('no JSON')
  return root
}

function pairs(was: unknown, is: unknown): JsonPair[] {
  const found: JsonPair[] = []
  eachPair(tree(was), tree(is), (pair) => found.push(pair))
  return found
}

/** What is told of a pair: where, and what stands there on both sides. */
const told = (was: unknown, is: unknown) =>
  pairs(was, is).map(({ pointer, was, is }) => `${pointer} ${was?.kind ?? '-'} ${is?.kind ?? '-'}`)

describe('two JSON values side by side', () => {
  it('differ nowhere when they are equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const pair of pairs(value, value)) expect(isOneType(pair), pair.pointer).toBe(true)
      }),
    )
  })

  it('are each found again at the pointer that is told', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (was, is) => {
        const [before, now] = [tree(was), tree(is)]
        eachPair(before, now, (pair) => {
          expect(nodeAt(before, pair.pointer)).toBe(pair.was)
          expect(nodeAt(now, pair.pointer)).toBe(pair.is)
        })
      }),
    )
  })

  it('are told in the order of the text: what is gone, what is new, and a list after its items', () => {
    expect(told({ a: 1, b: [1, 2], 'c/d': 'x' }, { a: '1', b: [1], e: null })).toEqual([
      '/a number string',
      '/b/0 number number',
      '/b/1 number -',
      '/b array array',
      '/c~1d string -',
      '/e - literal',
    ])
  })
})
