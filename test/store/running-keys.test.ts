import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createCapBook } from '../../src/store/caps.ts'
import { createRunningKeys, type Unfinished, workId } from '../../src/store/running-keys.ts'
import { runs } from '../support/effort.ts'

const work = (n: number): Unfinished => ({
  id: workId('demo', `key-${n}`),
  partner: 'demo',
  key: `key-${n}`,
  fingerprint: 'one',
  fence: n,
  state: 'running',
  busy: false,
  leaseEndsAt: Number.POSITIVE_INFINITY,
  deadline: Number.POSITIVE_INFINITY,
  caps: [],
  holds: [],
  quotas: [],
  admittedAt: 0,
  marker: undefined,
})

it('running keys are found from when they are added until they are removed, however many have come and gone', () => {
  // How many come, and how many of the oldest and of the latest go again.
  const step = fc.tuple(fc.nat({ max: 300 }), fc.nat({ max: 300 }), fc.nat({ max: 300 }))
  const property = fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
    const running = createRunningKeys(
      createCapBook(() => 0),
      { release: () => {} },
    )
    let here: Unfinished[] = []
    const gone: Unfinished[] = []
    let next = 1
    for (const [come, oldest, latest] of steps) {
      for (let n = 0; n < come; n++) {
        const added = work(next++)
        running.add(added)
        here.push(added)
      }
      const going = [...here.slice(0, oldest), ...here.slice(oldest).slice(-latest || here.length)]
      here = here.filter((one) => !going.includes(one))
      for (const one of going) running.remove(one)
      gone.push(...going)
      for (const one of here) expect(running.find(one.id)).toBe(one)
      for (const one of gone) expect(running.find(one.id)).toBeUndefined()
    }
  })
  fc.assert(property, { numRuns: runs(60) })
})
