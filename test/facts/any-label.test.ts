import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HeaderLine } from '../../src/http/header-lines.ts'
import { replay } from '../../src/sandgate.ts'
import { runs } from '../support/effort.ts'
import type { Sent } from './send.ts'
import { LENIENT, type Target, targetAt } from './ways.ts'

type Told = { readonly phone: string; readonly secret: string; readonly note: string }

const SHAPES: Readonly<Record<string, (told: Told) => string>> = {
  json: (told) => JSON.stringify(told),
  'json that is cut': (told) => JSON.stringify(told).slice(0, -1),
  form: ({ phone, secret, note }) => new URLSearchParams({ phone, client_secret: secret, note }).toString(),
  xml: ({ phone, secret, note }) =>
    `<kyc><phone>${phone}</phone><client_secret>${secret}</client_secret><note>${note}</note></kyc>`,
}
const LABELS = ['', 'text/plain', 'application/xml', 'application/octet-stream', 'text/html'] as const

/** Where its values can be told by name; anything else is compared as it stands. */
function isTold({ shape, label }: Body): boolean {
  if (shape === 'form') return label === '' || label === 'text/plain'
  return shape !== 'xml' || label !== 'text/html'
}

const bodies = fc
  .record({
    shape: fc.constantFrom(...Object.keys(SHAPES)),
    label: fc.constantFrom(...LABELS),
    note: fc.constantFrom('a', 'b', 'caf\u00e9'),
  })
  .filter(isTold)

/** Another person and another secret in every run, as a test makes them up. */
async function told(target: Target, all: readonly Body[], run: number): Promise<object[]> {
  const answers: object[] = []
  for (const { shape, label, note } of all) {
    const type: readonly HeaderLine[] = label === '' ? [] : [['content-type', label]]
    const body =
      SHAPES[shape]?.({ phone: `+22507${run}2345678`, secret: `a-secret-of-run-${run}`, note }) ?? ''
    const request: Sent = { method: 'POST', path: '/v1/other', headers: type, body }
    const { status, json } = await target.send(request)
    answers.push({ status, code: json.code ?? null })
  }
  return answers
}

type Body = { readonly shape: string; readonly label: string; readonly note: string }

describe('a body that is not what its label says', () => {
  it('matches itself with other people and secrets in it, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(bodies, { minLength: 2, maxLength: 6, selector: (one) => JSON.stringify(one) }),
        async (all) => {
          const [other, ...recorded] = all
          let had: object[] = []
          const file = await LENIENT.record(async (target) => {
            had = await told(target, recorded, 1)
          })
          const tape = await replay(file)
          const target = targetAt(tape.url)
          expect(await told(target, recorded, 2)).toEqual(had)
          expect(tape.misses()).toEqual([])
          if (other) expect(await told(target, [other], 2)).toMatchObject([{ status: 424 }])
          await tape.close()
        },
      ),
      { numRuns: runs(8) },
    )
  })
})
