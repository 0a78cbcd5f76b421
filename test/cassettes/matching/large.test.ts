import { expect, it } from 'vitest'
import { annotate } from '../../../src/cassettes/bindings/annotate.ts'
import { VOLATILE } from '../../../src/cassettes/bindings/contract.ts'
import type { Interaction } from '../../../src/cassettes/interaction.ts'
import { createTape } from '../../../src/cassettes/tape/tape.ts'
import { DEFAULT_OUTCOMES } from '../../../src/config/outcomes.ts'
import { EFFORT } from '../../support/effort.ts'
import { interactions, type Row, uuid } from './by-hand.ts'
import type { Json } from './client.ts'
import { cassetteOf } from './recording.ts'
import { T0 } from './sandbox.ts'

const ENTRIES = EFFORT === 'soak' ? 500 : 80

const accountId = (i: number) => `acc_${String(i).padStart(12, '0')}`
const opened = (i: number, more: Json = {}): Row => [
  'POST /v1/accounts/open',
  201,
  { accountId: accountId(i), ...more },
  { key: uuid(i), body: { customerRef: `CUS-${i}` } },
]
const read = (i: number, n = 0): Row => [
  `GET /v1/accounts/${accountId(i)}`,
  200,
  { accountId: accountId(i), n },
]
const funded = (i: number, account: number): Row => [
  'POST /v1/payments/fund',
  201,
  { paymentId: `pay_${String(i).padStart(12, '0')}` },
  { key: uuid(i), body: { accountId: accountId(account), amount: 1001, reference: `REF-${i}` } },
]

const list = (count: number, row: (i: number) => Row): readonly Row[] =>
  Array.from({ length: count }, (_, i) => row(i))

const SHAPES: Record<string, (count: number) => readonly Interaction[]> = {
  'unsafe requests alone, in one lane': (count) => interactions(...list(count, (i) => opened(i))),
  'one resource that is polled': (count) =>
    interactions(...list(count, (i) => (i === 0 ? opened(0) : read(0, i)))),
  'one value that half of the entries have': (count) =>
    interactions(
      ...list(count, (i) => (i === 0 ? opened(0) : i % 2 === 0 ? funded(i, 0) : funded(i, count + i))),
    ),
  'a lane for every entry': (count) =>
    interactions(...list(count, (i) => opened(i))).map((each, i) => ({ ...each, lane: `lane-${i}` })),
  'a chain, each entry with what the one before has made': (count) =>
    interactions(...list(count, (i) => (i === 0 ? opened(0) : opened(i, { parentId: accountId(i - 1) })))),
  'reads of resources that were not made here': (count) => interactions(...list(count, (i) => read(i))),
}

/** Look-ups and entries examined, when all of it is asked for in the recorded order. */
function cost(recorded: readonly Interaction[]): number {
  const tape = createTape([
    {
      ...cassetteOf([]),
      interactions: annotate(recorded, { rules: DEFAULT_OUTCOMES, volatile: VOLATILE }),
    },
  ])
  for (const { lane, operation, request, sequence } of recorded) {
    const found = tape.match({ lane, operation, request, now: T0 })
    if (found.kind !== 'hit' || found.interaction.sequence !== sequence)
      throw new Error(`lost at ${sequence}`)
  }
  return tape.probes()
}

it.each(Object.entries(SHAPES))('twice the entries cost twice as much: %s', (_, shape) => {
  const small = cost(shape(ENTRIES))
  expect(small).toBeLessThan(ENTRIES * 8)
  expect(cost(shape(2 * ENTRIES))).toBeLessThan(small * 2.2)
})

it('a miss looks into few of many lanes', () => {
  const recorded = SHAPES['a lane for every entry']?.(3000) ?? []
  const tape = createTape([cassetteOf(recorded, { redact: false })])
  const [first] = recorded
  if (!first) throw new Error('expected an entry')
  const request = { ...first.request, target: '/v1/accounts/open?other=1' }
  const missed = tape.match({ lane: first.lane, operation: first.operation, request, now: T0 })
  expect(missed.kind).toBe('miss')
  expect(tape.probes()).toBeLessThan(1000)
})
