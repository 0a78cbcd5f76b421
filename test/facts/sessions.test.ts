import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replay } from '../../src/sandgate.ts'
import { runs } from '../support/effort.ts'
import { anyStep, run, type Said, type Script, scripts } from './sessions.ts'
import { LENIENT, type Target, targetAt, WAYS } from './ways.ts'

/** What lets tokens pass that the interface refuses has answers that no replay gives: see each-fact.test.ts. */
const ways = WAYS.filter((way) => way !== LENIENT)

const sessions = scripts.chain((all) =>
  fc.record({
    all: fc.constant(all),
    order: fc.shuffledSubarray(
      all.map((_, i) => i),
      { minLength: 1 },
    ),
  }),
)

/** A score follows from its reference, which is another one in every run. */
function bare(said: Said | undefined): unknown {
  const { json } = said ?? {}
  const isOwn = json && 'score' in json && Object.values(json).includes('THE-REFERENCE')
  return isOwn ? { ...said, json: 'a score' } : said
}

function isAlike(one: Said | undefined, other: Said | undefined): boolean {
  return isDeepStrictEqual(bare(one), bare(other))
}

/** Not a wrong secret: one that no recording has seen refused may be the right one of where the tests run. */
const otherStep = anyStep.filter((step) => step.do !== 'login' || step.secret === 'right')

/** A session, and another one that differs from it in some steps. */
const changed = scripts.chain((all) =>
  fc.record({
    all: fc.constant(all),
    other: fc.tuple(
      ...all.map(({ client, steps }) =>
        fc
          .tuple(...steps.map((one) => fc.option(otherStep, { nil: one, freq: 2 })))
          .map((others): Script => ({ client, steps: others })),
      ),
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
          const answers = await told(targetAt(tape.url), all, each)
          const { missed, unused } = await tape.close()
          for (const [i, answer] of answers) expect(answer).toEqual(recorded.get(i))
          expect(missed).toBe(0)
          if (each.length === all.length) expect(unused).toEqual([])
        }
      }),
      { numRuns: runs(2), interruptAfterTimeLimit: 60_000 },
    )
  })

  it('never answers another session otherwise than its sandbox would: a miss, or a refusal that is named', async () => {
    await fc.assert(
      fc.asyncProperty(changed, async ({ all, other }) => {
        const inOrder = (each: readonly Script[]) => each.map((_, i) => i)
        const file = await way.record(async (target) => {
          await told(target, all, inOrder(all))
        })
        // The sandbox itself says what it would have answered.
        let expected = new Map<number, readonly Said[]>()
        await way.ask(async (target) => {
          expected = await told(target, other, inOrder(other))
        })
        const tape = await replay(file)
        const target = targetAt(tape.url)
        const differing: { readonly code: string | number; readonly what: string }[] = []
        for (const [i, script] of other.entries()) {
          const had = expected.get(i) ?? []
          // From the first other answer on the two are no longer the same session.
          const answers = await run(target, script, (answer, step) => !isAlike(answer, had[step]))
          const step = answers.length - 1
          const last = answers.at(-1)
          if (!last || isAlike(last, had[step])) continue
          // A browser gets a miss as a page.
          const { code = last.status } = last.json as { code?: string }
          differing.push({ code, what: JSON.stringify({ script, step, last, had: had[step] }) })
        }
        const { refused } = await tape.close()
        const named = ['CASSETTE_MISS', 424, ...refused.map(({ code }) => code)]
        for (const { code, what } of differing) expect(named, what).toContain(code)
      }),
      { numRuns: runs(2), interruptAfterTimeLimit: 60_000 },
    )
  })
})
