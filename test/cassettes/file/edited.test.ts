import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { annotate } from '../../../src/cassettes/bindings/annotate.ts'
import { CassetteError } from '../../../src/cassettes/cassette-error.ts'
import { loadCassette, loadSound } from '../../../src/cassettes/file/load.ts'
import type { CapturedExchange } from '../../../src/cassettes/interaction.ts'
import { movedPlaces } from '../../../src/cassettes/message/moved-places.ts'
import { lintCassette } from '../../../src/cassettes/tools/lint.ts'
import { createWriter } from '../../../src/cassettes/writer/writer.ts'
import { DEFAULT_OUTCOMES } from '../../../src/config/outcomes.ts'
import { replay } from '../../../src/sandgate.ts'
import { runs } from '../../support/effort.ts'
import { anyExchange, exchange, HEADER, redactor, scratch, settings } from '../recording-fixtures.ts'

const directory = scratch()
let count = 0

async function recorded(exchanges: readonly CapturedExchange[]): Promise<string> {
  const path = join(directory, `edited-${++count}.har`)
  const writer = await createWriter(settings(path))
  for (const one of exchanges) writer.record(one)
  await writer.finish()
  return path
}

type Entry = {
  request: { method: string; headers: { name: string; value: string }[]; postData: { text: string } }
  response: {
    status: number
    redirectURL: string
    headers: { name: string; value: string }[]
    content: { text: string; size: number; encoding?: string }
  }
  _cassette: { wire: { request: { body: string }; reply: { headers: string[][]; body?: string } } }
}

/** What a reviewer does with an editor. */
function edit(path: string, change: (entries: Entry[]) => void): void {
  const tree = JSON.parse(readFileSync(path, 'utf8')) as { log: { entries: Entry[] } }
  change(tree.log.entries)
  writeFileSync(path, JSON.stringify(tree, null, 2))
}

const CODINGS = {
  identity: (text: string) => Buffer.from(text),
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
}

const page = (coding: keyof typeof CODINGS, text: string) =>
  exchange({
    method: 'GET',
    target: '/made/up',
    replyHeaders: [
      ['Content-Type', 'text/plain; charset=utf-8'],
      ['Content-Encoding', coding],
      ['Cache-Control', 'max-age=5'],
    ],
    reply: new Uint8Array(CODINGS[coding](text)),
  })

const statuses = fc.constantFrom(200, 202, 403, 404, 422, 500)
const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })

describe('what a reviewer reads', () => {
  it('is what is served: status, headers and text, whatever coding the answer came in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...(Object.keys(CODINGS) as (keyof typeof CODINGS)[])),
        texts,
        texts,
        statuses,
        async (coding, before, after, status) => {
          const path = await recorded([page(coding, before)])
          edit(path, ([entry]) => {
            if (!entry) return
            expect(entry.response.content.text).toBe(before)
            expect(entry._cassette.wire.reply.body).toBeUndefined()
            entry.response.status = status
            entry.response.content.text = after
            entry.response.headers = [
              ...entry.response.headers.filter(({ name }) => name !== 'cache-control'),
              { name: 'content-language', value: 'fr' },
            ]
          })
          const tape = await replay(path)
          const answer = await fetch(`${tape.url}/made/up`)
          const { headers } = answer
          expect([answer.status, await answer.text()]).toEqual([status, after])
          expect(headers.get('content-length')).toBe(String(Buffer.byteLength(after)))
          expect(headers.get('content-encoding')).toBeNull()
          expect([headers.get('content-language'), headers.get('cache-control')]).toEqual(['fr', null])
          await tape.close()
          const found = lintCassette(path)
          expect(found.map(({ kind }) => kind)).toContain('edited')
          expect(found.map(({ message }) => message)).toContain(
            'response.headers counts, and differs from _cassette.wire',
          )
        },
      ),
      { numRuns: runs(12) },
    )
  })

  it('is what is compared: the text of a request that came packed', async () => {
    const path = await recorded([
      exchange({
        target: '/made/up',
        headers: [
          ['Content-Type', 'application/json'],
          ['Content-Encoding', 'gzip'],
        ],
        body: new Uint8Array(gzipSync('{"n":1}')),
        reply: { ok: true },
      }),
    ])
    edit(path, ([entry]) => {
      if (entry) entry.request.postData.text = '{"n":2}'
    })
    const { interactions } = loadSound(path)
    expect(interactions[0]?.request.body).toEqual(gzipSync('{"n":2}'))
  })

  it('keeps the spelling of the wire where nothing was edited', async () => {
    const path = await recorded([page('identity', 'as it was')])
    const before = loadCassette(path).interactions
    edit(path, () => {})
    expect(loadCassette(path)).toMatchObject({ isEdited: true })
    expect(loadCassette(path).interactions).toEqual(before)
    expect(before[0]?.reply?.headers).toContainEqual(['Cache-Control', 'max-age=5'])
  })
})

const account = exchange({
  operation: 'accounts.open',
  target: '/v1/accounts/open',
  headers: [['Idempotency-Key', 'b2f0a1f6-3f0f-4a52-9a53-6f1f3f1f0c11']],
  body: { phone: '+2250712345678', customerRef: 'C-1', firstName: 'Awa', lastName: 'Koné', country: 'CI' },
  status: 201,
  reply: { accountId: 'acc_0VhYx3kQm4Zq9TtB2nR7wLc1d', phone: '+2250712345678', status: 'active' },
})

/** What the replay says, or undefined when it starts. */
async function refusalOf(path: string): Promise<CassetteError | undefined> {
  try {
    await (await replay(path)).close()
    return undefined
  } catch (error) {
    if (error instanceof CassetteError) return error
    throw error
  }
}

describe('an edit that moves a binding or a redaction from its place', () => {
  let whole = ''
  beforeAll(async () => {
    whole = await recorded([account])
  })

  it.each<[string, (entry: Entry) => unknown]>([
    ['another identifier in the answer', ({ response }) => replaceIn(response.content, /acc_\w+/, 'acc_1')],
    ['a field that was renamed', ({ response }) => replaceIn(response.content, '"phone"', '"mobile"')],
    [
      'an object around it',
      ({ response }) => replaceIn(response.content, /^.*$/, (all) => `{"data":${all}}`),
    ],
    ['another reference in the request', ({ request }) => replaceIn(request.postData, 'C-1', 'C-2')],
    [
      'a name in the place of a stand-in',
      ({ request }) => replaceIn(request.postData, /"firstName":"[^"]+"/, ''),
    ],
    ['a header that is gone', ({ request }) => request.headers.pop()],
  ])('is one error before anything is served: %s', async (_, change) => {
    const path = join(directory, `moved-${++count}.har`)
    copyFileSync(whole, path)
    expect(await refusalOf(path)).toBeUndefined()
    edit(path, ([entry]) => entry && change(entry))
    const refusal = await refusalOf(path)
    expect(refusal).toMatchObject({ reason: 'moved-place', place: { entry: 1 } })
    expect(refusal?.message).toMatch(/does not hold/)
    expect(lintCassette(path)).toContainEqual(expect.objectContaining({ kind: 'binding', severity: 'error' }))
  })

  it('is not found in what the recorder writes, whatever passed', () => {
    fc.assert(
      fc.property(fc.array(anyExchange, { maxLength: 4 }), (exchanges) => {
        const { redact } = redactor()
        const interactions = exchanges.map((one, i) => {
          const { exchange: stored, redactions, bindings } = redact(one)
          return { ...stored, sequence: i + 1, ended: i + 1, redactions, bindings }
        })
        const annotated = annotate(interactions, { rules: DEFAULT_OUTCOMES, volatile: HEADER.volatile })
        expect(annotated.flatMap((interaction) => movedPlaces(interaction))).toEqual([])
      }),
      { numRuns: runs(150) },
    )
  })

  it('is not found in the recordings that are shipped, spelled by any JSON tool', () => {
    for (const name of ['account-to-payment', 'idempotent-retries', 'paging', 'refusals', 'widget-session']) {
      const path = join(directory, `${name}.har`)
      writeFileSync(path, readFileSync(`recordings/${name}.har`))
      expect(loadSound(path).isEdited).toBe(false)
      edit(path, () => {})
      expect(loadSound(path).isEdited).toBe(true)
    }
  })
})

function replaceIn(
  held: { text: string },
  found: string | RegExp,
  by: string | ((all: string) => string),
): void {
  held.text = typeof by === 'string' ? held.text.replace(found, by) : held.text.replace(found, by)
}
