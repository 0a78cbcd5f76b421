import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadCassette } from '../../../src/cassettes/file/load.ts'
import type { CapturedExchange } from '../../../src/cassettes/interaction.ts'
import { CONTRACT_FIELDS } from '../../../src/cassettes/redaction/contract.ts'
import { lintCassette } from '../../../src/cassettes/tools/lint.ts'
import { showCassette } from '../../../src/cassettes/tools/show.ts'
import { createRedactingRecorder } from '../../../src/cassettes/writer/redacting-recorder.ts'
import { CANARIES } from '../../support/effort.ts'
import { bodyText, itemsOf, scratch, settings } from '../recording-fixtures.ts'
import { leaksIn, type Told, told } from './canaries.ts'

const PER_RECORDING = 10

function described({ request, reply }: CapturedExchange): string {
  return JSON.stringify([request.target, request.headers, bodyText(request), reply?.headers, bodyText(reply)])
}

describe('a secret and a person', () => {
  const directory = scratch()
  let count = 0
  const expectNone = (list: readonly Told[], text: string, where: string) => {
    for (const { canary, exchange } of list)
      expect(leaksIn(text, canary), `${canary.value} in ${where} of ${described(exchange)}`).toEqual([])
  }

  it('is in no journal after any write, in no HAR and in nothing that is shown of it', () => {
    const recording = fc.array(told, { minLength: PER_RECORDING, maxLength: PER_RECORDING })
    fc.assert(
      fc.property(recording, (list) => {
        const path = join(directory, `${++count % 3}.har`)
        const recorder = createRedactingRecorder({
          ...settings(path),
          fields: CONTRACT_FIELDS,
          tokenOperation: 'auth.token',
        })
        for (const [i, { exchange }] of list.entries()) {
          const { items, bytes } = itemsOf(exchange, recorder.nextId + i)
          recorder.take(items, bytes)
          // What a kill at this moment would leave.
          const journal = readFileSync(path.replace('.har', '.cassette.jsonl'), 'utf8')
          expectNone(list.slice(0, i + 1), journal, 'the journal')
        }
        recorder.finish([])
        for (const file of readdirSync(directory))
          expectNone(list, readFileSync(join(directory, file), 'utf8'), file)
        const cassette = loadCassette(path)
        expect(cassette.interactions).toHaveLength(list.length)
        for (const { sequence } of cassette.interactions)
          expectNone(list, showCassette(cassette, { color: false, entry: sequence }), 'show')
        const problems = lintCassette(path)
        expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
      }),
      { numRuns: Math.ceil(CANARIES / PER_RECORDING), endOnFailure: true },
    )
  })
})
