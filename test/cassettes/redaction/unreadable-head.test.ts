import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadCassette } from '../../../src/cassettes/file/load.ts'
import { CONTRACT_FIELDS } from '../../../src/cassettes/redaction/contract.ts'
import { lintCassette } from '../../../src/cassettes/tools/lint.ts'
import { createRedactingRecorder } from '../../../src/cassettes/writer/redacting-recorder.ts'
import { replay } from '../../../src/sandgate.ts'
import { exchange, itemsOf, scratch, settings } from '../recording-fixtures.ts'

const SECRET = 'Zq9TtB2nR7wLc1d'
const packed = (layers: number, text: string): Buffer =>
  layers === 0 ? Buffer.from(text) : gzipSync(packed(layers - 1, text))
const NESTED = packed(8, SECRET).toString('base64url')
const ARCHIVES = `${encodeURIComponent(SECRET)}${'%50%4B%03%04'.repeat(40)}`
const PINS = Array.from({ length: 3000 }, (_, i) => `pin${i}=9xx${i}`).join('&')

/** Heads that ended a recording: what nobody can look through, or too many secrets. */
const HEADS: readonly (readonly [string, Parameters<typeof exchange>[0] & { readonly lane?: string }])[] = [
  ['a query of many secrets', { target: `/v1/x?${PINS}` }],
  ['a query that is packed again and again', { target: `/v1/x?a=${NESTED}` }],
  ['a query of archives', { target: `/v1/x?a=${ARCHIVES}` }],
  ['a path of archives', { target: `/v1/${ARCHIVES}` }],
  ['a query that is nested', { target: `/v1/x?a=${encodeURIComponent('['.repeat(100))}` }],
  ['a header of the request', { headers: [['Accept', ARCHIVES]] }],
  ['a header of the reply', { replyHeaders: [['X-Request-Id', NESTED]] }],
  ['a header that has chosen the reply', { headers: [['X-A', NESTED]], replyHeaders: [['Vary', 'X-A']] }],
  ['a lane', { lane: NESTED }],
]
const exchanges = HEADS.map(([, { lane = '', ...parts }]) => ({
  ...exchange({ method: 'GET', target: '/v1/x', reply: { ok: true }, ...parts }),
  lane,
}))

describe('a head that nobody can look through', () => {
  const path = join(scratch(), 'heads.har')

  it('ends no recording: each is recorded without it, and lint finds nothing', () => {
    const recorder = createRedactingRecorder({
      ...settings(path),
      fields: CONTRACT_FIELDS,
      tokenOperation: 'auth.token',
    })
    for (const [i, one] of exchanges.entries()) {
      const { items, bytes } = itemsOf(one, recorder.nextId + i)
      recorder.take(items, bytes)
    }
    recorder.finish([])
    const { interactions } = loadCassette(path)
    expect(interactions.map(({ reply }) => reply?.status)).toEqual(HEADS.map(() => 200))
    const rules = interactions.flatMap(({ redactions }) => redactions.map(({ rule }) => rule))
    expect(rules.filter((rule) => rule.startsWith('beyond '))).toHaveLength(HEADS.length - 1)
    for (const held of [SECRET, NESTED, '%50%4B', '9xx1'])
      expect(JSON.stringify(interactions), held).not.toContain(held)
    const errors = lintCassette(path).filter(({ severity }) => severity === 'error')
    expect(errors).toEqual([])
  })

  // The edge of a replay refuses longer heads, and paths that are not canonical.
  it.each([1, 2, 4].flatMap((i) => HEADS.slice(i, i + 1)))(
    'is matched by a replay: %s',
    async (_, { target = '' }) => {
      const tape = await replay(path)
      onTestFinished(async () => void (await tape.close()))
      expect((await fetch(tape.url + target)).status).toBe(200)
      expect((await fetch(`${tape.url}${target}1`)).status).toBe(424)
    },
  )
})
