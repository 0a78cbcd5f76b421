import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { annotate } from '../../../src/cassettes/bindings/annotate.ts'
import { VOLATILE } from '../../../src/cassettes/bindings/contract.ts'
import { writeHar } from '../../../src/cassettes/file/har/write.ts'
import { loadCassette } from '../../../src/cassettes/file/load.ts'
import type { CapturedExchange } from '../../../src/cassettes/interaction.ts'
import { mergeCassettes } from '../../../src/cassettes/merging/merge.ts'
import { CONTRACT_FIELDS } from '../../../src/cassettes/redaction/contract.ts'
import { createSecrets } from '../../../src/cassettes/redaction/secrets/secrets.ts'
import { createRedactingRecorder } from '../../../src/cassettes/writer/redacting-recorder.ts'
import type { HeaderLine } from '../../../src/http/header-lines.ts'
import { runs } from '../../support/effort.ts'
import { exchange, itemsOf, scratch, settings } from '../recording-fixtures.ts'

const CANARY = 'canary key/with+"signs"&'
const percent = (text: string) => encodeURIComponent(text)
const base64 = (text: string) => Buffer.from(text).toString('base64')
const inUrl = fc.constantFrom(
  percent,
  (text: string) => percent(percent(text)),
  (text: string) => percent(percent(percent(text))),
  (text: string) => percent(text).replaceAll('%20', '+'),
  (text: string) => Buffer.from(`user:${text}`).toString('base64url'),
)
const inText = fc.constantFrom(
  (text: string) => text,
  percent,
  base64,
  (text: string) => base64(`xy${text}z`),
  JSON.stringify,
)

/** An exchange with the canary somewhere, where nothing says that it is one. */
const leaky: fc.Arbitrary<CapturedExchange> = fc.oneof(
  inUrl.map((spell) => exchange({ method: 'GET', target: `/v1/${spell(CANARY)}/x` })),
  inUrl.map((spell) => exchange({ method: 'GET', target: `/v1/accounts?a=1&next=${spell(CANARY)}` })),
  inUrl.map((spell) =>
    exchange({
      body: `a=1&b=${spell(CANARY)}`,
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    }),
  ),
  inText.map((spell) =>
    exchange({ body: { note: [`see ${spell(CANARY)} there`] }, reply: { error: { detail: spell(CANARY) } } }),
  ),
  inText.map((spell) => exchange({ body: { [spell(CANARY)]: 1 } })),
  inText.map((spell) =>
    exchange({ body: Buffer.concat([Buffer.from([255, 0]), Buffer.from(spell(CANARY))]) }),
  ),
  inText.map((spell) =>
    exchange({
      headers: [
        ['X-Sandgate-Lane', spell(CANARY)],
        ['X-Api-Key', CANARY],
        ['Authorization', CANARY],
      ],
    }),
  ),
  inUrl.map((spell) =>
    exchange({ status: 302, replyHeaders: [['Location', `https://a.example/cb?x=${spell(CANARY)}`]] }),
  ),
  inText.map((spell) =>
    exchange({
      replyHeaders: [
        ['Set-Cookie', `s=${base64(CANARY)}; Path=/`],
        ['Link', spell(CANARY)],
      ],
    }),
  ),
  inText.map((spell) => {
    const gzip: HeaderLine = ['Content-Encoding', 'gzip']
    return exchange({ replyHeaders: [gzip], reply: new Uint8Array(gzipSync(`<p>${spell(CANARY)}</p>`)) })
  }),
)

describe('a secret that this process has seen', () => {
  const directory = scratch()
  let count = 0
  const secrets = createSecrets()
  secrets.learn(CANARY)
  /** Of the files of one recording: the others are as they were when they were looked through. */
  const expectClean = (name: string) => {
    const files = readdirSync(directory).filter((file) => file.startsWith(name))
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) {
      const text = readFileSync(join(directory, file)).toString('latin1')
      expect(secrets.find(text), file).toEqual([])
      // And without trusting the scanner that is tested.
      for (const spelled of [
        CANARY,
        percent(CANARY),
        percent(percent(CANARY)),
        base64(CANARY),
        JSON.stringify(CANARY).slice(1, -1),
      ])
        expect(text.includes(spelled), spelled).toBe(false)
    }
  }

  it('is in no file after any step, wherever and however it was spelled', () => {
    fc.assert(
      fc.property(fc.array(leaky, { minLength: 1, maxLength: 4 }), (exchanges) => {
        const name = `${++count % 5}.`
        const path = join(directory, `${name}har`)
        const recorder = createRedactingRecorder({
          ...settings(path, { secrets: [CANARY] }),
          fields: CONTRACT_FIELDS,
          tokenOperation: 'auth.token',
        })
        for (const [i, one] of exchanges.entries()) {
          const { items: list, bytes } = itemsOf(one, recorder.nextId + i)
          recorder.take(list, bytes)
        }
        expectClean(name)
        recorder.finish([])
        expectClean(name)
        const cassette = loadCassette(path)
        expect(cassette.interactions).toHaveLength(exchanges.length)
        const twice = mergeCassettes([cassette, cassette])
        writeHar(
          path,
          { ...twice, interactions: annotate(twice.interactions, { rules: [], volatile: VOLATILE }) },
          createSecrets(),
        )
        expectClean(name)
      }),
      { numRuns: runs(80) },
    )
  })
})
