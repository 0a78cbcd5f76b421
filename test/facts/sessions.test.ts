import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replay } from '../../src/sandgate.ts'
import { runs } from '../support/effort.ts'
import { send } from './send.ts'
import { run, type Said, type Script, scripts } from './sessions.ts'
import { type Target, WAYS } from './ways.ts'

/** What lets tokens pass that the interface refuses has answers that no replay gives: see each-fact.test.ts. */
const ways = WAYS.filter(({ name }) => !name.includes('lenient'))

const sessions = scripts.chain((all) =>
  fc.record({
    all: fc.constant(all),
    order: fc.shuffledSubarray(
      all.map((_, i) => i),
      { minLength: 1 },
    ),
  }),
)

async function told(
  target: Target,
  all: readonly Script[],
  order: readonly number[],
): Promise<Map<number, readonly Said[]>> {
  const answers = new Map<number, readonly Said[]>()
  for (const i of order) {
    const script = all[i]
    if (script) answers.set(i, await run(target, script))
  }
  return answers
}

describe.each(ways)('a session recorded by $name', (way) => {
  it('replays with the answers that it had, in any order of its tests, and any part of them', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, async ({ all, order }) => {
        let recorded = new Map<number, readonly Said[]>()
        const file = await way.record(async (target) => {
          recorded = await told(
            target,
            all,
            all.map((_, i) => i),
          )
        })
        for (const each of [all.map((_, i) => i), order]) {
          const tape = await replay(file)
          const answers = await told({ send: (request) => send(tape.url, request) }, all, each)
          const { missed, unused } = await tape.close()
          for (const [i, answer] of answers) expect(answer).toEqual(recorded.get(i))
          expect(missed).toBe(0)
          if (each.length === all.length) expect(unused).toEqual([])
        }
      }),
      { numRuns: runs(4), interruptAfterTimeLimit: 60_000 },
    )
  })
})
