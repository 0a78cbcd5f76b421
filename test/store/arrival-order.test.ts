import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inArrivalOrder } from '../../src/store/arrival-order.ts'
import type { Backing, Entries } from '../../src/store/backing.ts'
import { answerName, recordName } from '../../src/store/keyspace.ts'
import { runs } from '../support/effort.ts'

const SECRET = Buffer.alloc(32, 7)

/** Entries on a plain map, whose next write can be made to fail. */
function disk() {
  const entries = new Map<string, Buffer>()
  let fails = false
  const backing: Entries = {
    read: (name) => entries.get(name),
    range: function* ({ from, to }) {
      for (const name of [...entries.keys()].filter((one) => one >= from && one < to).sort()) {
        yield { name, value: entries.get(name) ?? Buffer.alloc(0) }
      }
    },
    names: function* (query) {
      let left = query.limit
      for (const { name } of backing.range(query)) if (left-- > 0) yield name
    },
    write: async (writes) => {
      if (fails) throw new Error('full')
      for (const [name, value] of writes) {
        if (value) entries.set(name, value)
        else entries.delete(name)
      }
    },
    close: async () => {},
  }
  const fail = (does: boolean): void => {
    fails = does
  }
  return { entries, backing, fail }
}

const step = fc.record({
  key: fc.integer({ min: 0, max: 12 }),
  value: fc.option(fc.string({ maxLength: 4 }), { nil: undefined }),
  kind: fc.constantFrom('answer', 'record'),
  event: fc.constantFrom('nothing', 'fails', 'reopens'),
})

it('answers are found by their names through any writes, deletions, failures and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { entries, backing, fail } = disk()
      let store = inArrivalOrder(backing, SECRET, { segmentSize: 4 })
      const model = new Map<string, string>()
      for (const { key, value, kind, event } of steps) {
        const name = kind === 'answer' ? answerName('p', `key-${key}`) : recordName('account', 't', `${key}`)
        fail(event === 'fails')
        const bytes = value === undefined ? undefined : Buffer.from(value)
        await store.write(new Map([[name, bytes]])).catch(() => {})
        fail(false)
        if (event !== 'fails') {
          if (value === undefined) model.delete(name)
          else model.set(name, value)
        }
        if (event === 'reopens') store = inArrivalOrder(backing, SECRET, { segmentSize: 4 })
        for (const [known, text] of model) expect(store.read(known)?.toString()).toBe(text)
        expect(store.read(name)?.toString()).toBe(model.get(name))
      }
      const kept = [...entries.keys()].filter((name) => !name.startsWith('i'))
      expect(kept.length).toBe(model.size)
    }),
    { numRuns: runs(200) },
  )
})

it('answers stand in the order of their arrival, also after a restart', async () => {
  const { entries, backing } = disk()
  const put = async (store: Backing, key: string) => {
    await store.write(new Map([[answerName('p', key), Buffer.from(key)]]))
  }
  const first = inArrivalOrder(backing, SECRET, { segmentSize: 4 })
  await put(first, 'z')
  await put(first, 'a')
  await put(inArrivalOrder(backing, SECRET, { segmentSize: 4 }), 'm')
  expect(
    [...entries.keys()]
      .filter((name) => name.startsWith('a'))
      .sort()
      .map((name) => entries.get(name)?.toString()),
  ).toEqual(['z', 'a', 'm'])
})

it('the index of what has gone goes as well, a segment at a time', async () => {
  const { entries, backing } = disk()
  const store = inArrivalOrder(backing, SECRET, { segmentSize: 4 })
  const names = Array.from({ length: 40 }, (_, i) => answerName('p', `key-${i}`))
  for (const name of names) await store.write(new Map([[name, Buffer.from(name)]]))
  const headers = () => [...entries.keys()].filter((name) => name.startsWith('i\0h')).length
  expect(headers()).toBeGreaterThanOrEqual(9)
  for (const name of names) await store.write(new Map([[name, undefined]]))
  for (let i = 0; i < 12; i++) await store.write(new Map([[answerName('p', 'last'), Buffer.from([i])]]))
  expect(headers()).toBeLessThanOrEqual(1)
  expect(store.read(answerName('p', 'last'))).toEqual(Buffer.from([11]))
  const again = inArrivalOrder(backing, SECRET, { segmentSize: 4 })
  expect(again.read(answerName('p', 'last'))).toEqual(Buffer.from([11]))
})

it('all answers are listed by their names, a part at a time', async () => {
  const { backing } = disk()
  const store = inArrivalOrder(backing, SECRET, { segmentSize: 4 })
  const names = Array.from({ length: 10 }, (_, i) => answerName('p', `key-${9 - i}`))
  for (const name of names) await store.write(new Map([[name, Buffer.from(name)]]))
  const seen: string[] = []
  for (let from: number | undefined = 0; from !== undefined; ) {
    const part = store.answers(from, 3)
    seen.push(...part.names)
    from = part.next
  }
  expect(seen).toEqual(names)
})
