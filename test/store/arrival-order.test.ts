import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inArrivalOrder } from '../../src/store/arrival-order.ts'
import type { Backing } from '../../src/store/backing.ts'
import { answerName, recordName } from '../../src/store/keyspace.ts'
import { runs } from '../support/effort.ts'

/** Entries on a plain map, whose next write can be made to fail. */
function disk() {
  const entries = new Map<string, Buffer>()
  let fails = false
  const backing: Backing = {
    read: (name) => entries.get(name),
    range: function* ({ from, to }) {
      for (const name of [...entries.keys()].filter((one) => one >= from && one < to).sort()) {
        yield { name, value: entries.get(name) ?? Buffer.alloc(0) }
      }
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
  key: fc.integer({ min: 0, max: 5 }),
  value: fc.option(fc.string({ maxLength: 4 }), { nil: undefined }),
  kind: fc.constantFrom('answer', 'record'),
  event: fc.constantFrom('nothing', 'fails', 'reopens'),
})

it('answers are found by their names through any writes, deletions, failures and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { entries, backing, fail } = disk()
      let store = inArrivalOrder(backing)
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
        if (event === 'reopens') store = inArrivalOrder(backing)
        for (const [known, text] of model) expect(store.read(known)?.toString()).toBe(text)
        expect(store.read(name)?.toString()).toBe(model.get(name))
      }
      expect(entries.size).toBe(model.size)
    }),
    { numRuns: runs(200) },
  )
})

it('answers stand in the order of their arrival, also after a restart', async () => {
  const { entries, backing } = disk()
  const put = async (store: Backing, key: string) => {
    await store.write(new Map([[answerName('p', key), Buffer.from(key)]]))
  }
  const first = inArrivalOrder(backing)
  await put(first, 'z')
  await put(first, 'a')
  await put(inArrivalOrder(backing), 'm')
  expect([...entries.keys()].sort().map((name) => entries.get(name)?.toString())).toEqual(['z', 'a', 'm'])
})
