import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { harText } from '../../../src/cassettes/file/har/write.ts'
import { type LoadedCassette, loadCassette, parseCassette } from '../../../src/cassettes/file/load.ts'
import type { Interaction } from '../../../src/cassettes/interaction.ts'
import { runs } from '../../support/effort.ts'
import { exchange, HEADER, redactor, scratch } from '../recording-fixtures.ts'

const directory = scratch()
const path = join(directory, 'streamed.har')

function cassette(sizes: readonly number[]): string {
  const { redact } = redactor()
  const interactions = sizes.map((size, i): Interaction => {
    const trap = `\n      },\n      {\n        "startedDateTime": "${i}`
    const { exchange: one, ...rest } = redact(
      exchange({ body: { trap, reference: `r-${i}` }, reply: { size, text: 'é'.repeat(size) } }),
    )
    return { ...one, sequence: i + 1, ended: i + 1, ...rest }
  })
  return harText({ ...HEADER, interactions })
}

/** The cassette, or what is wrong with it. */
function outcome(load: () => LoadedCassette): unknown {
  try {
    return load()
  } catch (fault) {
    return fault
  }
}

describe('a cassette that is read piece by piece is the one that is read as a whole', () => {
  const whole = () => parseCassette(readFileSync(path), path)

  it('when it is larger than what is held of it, and an entry as well', () => {
    writeFileSync(path, cassette([10, 1_500_000, 0, 2_500_000, 1]))
    const text = readFileSync(path, 'utf8')
    expect([loadCassette, whole].map((load) => harText(load(path)) === text)).toEqual([true, true])
  })

  it('wherever a bit of it is damaged', () => {
    const good = Buffer.from(cassette([3, 0, 40]))
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), (at, byte) => {
        const bytes = Buffer.from(good)
        bytes[at] = byte
        writeFileSync(path, bytes)
        expect(outcome(() => loadCassette(path))).toEqual(outcome(whole))
      }),
      { numRuns: runs(300) },
    )
  })

  it('wherever something was cut out or doubled', () => {
    const good = cassette([3, 0, 40])
    fc.assert(
      fc.property(fc.nat(good.length), fc.nat(good.length), (from, to) => {
        writeFileSync(path, good.slice(0, from) + good.slice(to))
        expect(outcome(() => loadCassette(path))).toEqual(outcome(whole))
      }),
      { numRuns: runs(300) },
    )
  })
})
