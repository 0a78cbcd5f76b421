import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unpackingRoom } from '../../../src/cassettes/message/packed.ts'
import { innerTexts } from '../../../src/cassettes/redaction/secrets/inside.ts'

const RUN = /[A-Za-z0-9+/_-]{16,}={0,2}/g
const beside = fc.stringMatching(/^[A-Za-z0-9+/_= ."-]{0,40}$/)
const spelled = fc
  .tuple(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('base64', 'base64url', 'hex', 'utf16le'),
  )
  .map(([text, how]) =>
    how === 'utf16le'
      ? Buffer.from(text, 'utf16le').toString('base64')
      : Buffer.from(text).toString(how as BufferEncoding),
  )

describe('what stands encoded in a text', () => {
  it('is found wherever a run of its characters is a text', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(beside, spelled), { maxLength: 6 }), (pieces) => {
        const text = pieces.join('')
        const found = new Set(
          [...innerTexts(text, unpackingRoom())].map(({ start, end }) => `${start} ${end}`),
        )
        for (const { index, 0: run } of text.matchAll(RUN)) {
          const bytes = Buffer.from(run, 'base64')
          const isText = Buffer.compare(Buffer.from(bytes.toString('utf8')), bytes) === 0
          if (isText) expect(found, `${run} in ${text}`).toContain(`${index} ${index + run.length}`)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('in UTF-16 is found too, and an identifier is nothing of that kind', () => {
    const wide = Buffer.from('un numéro secret', 'utf16le').toString('base64')
    const texts = [...innerTexts(`a ${wide} req_CDTGm7Q3uNkuRfo7xx`, unpackingRoom())]
    expect(texts.map(({ start }) => start)).toEqual([2])
  })
})
