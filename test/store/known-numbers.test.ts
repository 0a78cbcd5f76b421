import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entries } from '../../src/store/backing.ts'
import { capName, generationName, quotaName, recordName } from '../../src/store/keyspace.ts'
import { withKnownNumbers } from '../../src/store/known-numbers.ts'
import { runs } from '../support/effort.ts'

const cap = { product: 'payments.fund', period: 'day', unit: 'amount' } as const
const NAMES = [
  capName('demo', cap, 0),
  capName('other', cap, 0),
  quotaName('keys', 'demo'),
  generationName('keys', 'demo'),
  recordName('account', 'tn_demo', 'acc_1'),
]
const name = fc.constantFrom(...NAMES)
const value = fc.option(
  fc.nat({ max: 99 }).map((n) => Buffer.of(n)),
  { nil: undefined },
)
const written = fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 4 })
const step = fc.oneof(
  name.map((read) => ({ read })),
  written.map((write) => ({ write, how: 'whole' as const })),
  // What LMDB could not write has changed nothing; where it says so and has, what is on the disk counts.
  written.map((write) => ({ write, how: 'refused' as const })),
  written.map((write) => ({ write, how: 'refused-but-there' as const })),
)

function onDisk(disk: Map<string, Buffer>, how: () => string): Entries {
  const unused = () => {
    throw new TypeError('only single entries are read')
  }
  return {
    read: (name) => disk.get(name),
    range: unused,
    names: unused,
    close: async () => {},
    async write(writes) {
      if (how() !== 'refused')
        for (const [name, value] of writes) {
          if (value === undefined) disk.delete(name)
          else disk.set(name, Buffer.from(value))
        }
      if (how() !== 'whole') throw new Error('no room')
    },
  }
}

describe('numbers that are remembered', () => {
  it('are what is on the disk, after any writes, whole or refused', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const disk = new Map<string, Buffer>()
      let how = 'whole'
      const entries = withKnownNumbers(onDisk(disk, () => how))
      for (const one of steps) {
        if ('read' in one) expect(entries.read(one.read)).toEqual(disk.get(one.read))
        else {
          how = one.how
          await entries.write(new Map(one.write)).catch(() => {})
        }
        for (const name of NAMES) expect(entries.read(name)).toEqual(disk.get(name))
      }
    })
    await fc.assert(property, { numRuns: runs(600) })
  })

  it('are read again once a directory was written to, which may have been claimed just before', async () => {
    const disk = new Map<string, Buffer>()
    const entries = withKnownNumbers(onDisk(disk, () => 'whole'))
    const quota = quotaName('keys', 'demo')
    expect(entries.read(quota)).toBeUndefined()
    disk.set(quota, Buffer.of(7))
    await entries.write(new Map([[recordName('account', 'tn_demo', 'acc_1'), Buffer.of(1)]]))
    expect(entries.read(quota)).toEqual(Buffer.of(7))
  })

  it('change only when a write is on the disk', async () => {
    let end = () => {}
    const disk = new Map<string, Buffer>()
    const slow = onDisk(disk, () => 'whole')
    const entries = withKnownNumbers({
      ...slow,
      write: async (writes) => {
        await new Promise<void>((resolve) => {
          end = resolve
        })
        await slow.write(writes)
      },
    })
    const quota = quotaName('keys', 'demo')
    const writing = entries.write(new Map([[quota, Buffer.of(1)]]))
    expect(entries.read(quota)).toBeUndefined()
    end()
    await writing
    expect(entries.read(quota)).toEqual(Buffer.of(1))
  })
})
