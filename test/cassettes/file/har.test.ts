import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { chromium } from 'playwright-core'
import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { harText, writeHar } from '../../../src/cassettes/file/har/write.ts'
import type { Cassette, Interaction } from '../../../src/cassettes/interaction.ts'
import { createSecrets } from '../../../src/cassettes/redaction/secrets/secrets.ts'
import { CHROMIUM } from '../../support/browser.ts'
import { runs } from '../../support/effort.ts'
import { anyExchange, exchange, HEADER, redactor, scratch } from '../recording-fixtures.ts'
import { Har } from './har-schema.ts'

const directory = scratch()
const schema = Compile(Har)

function cassetteOf(exchanges: Parameters<ReturnType<typeof redactor>['redact']>[0][]): Cassette {
  const { redact } = redactor()
  const interactions = exchanges.map((one, i): Interaction => {
    const { exchange: stored, redactions, bindings } = redact(one)
    const { partner: _, ...rest } = stored
    return { ...rest, sequence: i + 1, ended: stored.reply && i + 1, redactions, bindings }
  })
  return { ...HEADER, interactions }
}

describe('the file', () => {
  it('is HAR 1.2, whatever was recorded', () => {
    fc.assert(
      fc.property(fc.array(anyExchange, { maxLength: 3 }), (exchanges) => {
        const har: unknown = JSON.parse(harText(cassetteOf(exchanges)))
        expect([...schema.Errors(har)]).toEqual([])
      }),
      { numRuns: runs(60) },
    )
  })

  it('has nothing of ours outside _cassette, and no mark that other tools take for a variable', () => {
    const text = harText(
      cassetteOf([
        exchange({ body: { phone: '+2250712345678', signingSecret: 'whsec_c2FuZGdhdGU=' }, reply: {} }),
      ]),
    )
    const names = [...text.matchAll(/"(_\w+)":/g)].map(([, name]) => name)
    expect(new Set(names)).toEqual(new Set(['_cassette']))
    expect(text).not.toContain('${')
  })

  it('holds the text of an answer that came packed, and no second copy of it', () => {
    const body = new Uint8Array(gzipSync('{"a":1}'))
    const { log } = JSON.parse(
      harText(
        cassetteOf([
          exchange({
            replyHeaders: [
              ['Content-Encoding', 'gzip'],
              ['Content-Length', '9'],
              ['X-Sandbox-Rule', 'default'],
            ],
            reply: body,
          }),
        ]),
      ),
    )
    const [{ response, _cassette }] = log.entries
    expect(response.content).toEqual({ size: 7, mimeType: 'x-unknown', text: '{"a":1}' })
    expect(response.headers).toEqual([{ name: 'x-sandbox-rule', value: 'default' }])
    expect(Object.keys(_cassette.wire.reply)).toEqual(['headers'])
  })

  it('keeps bytes that are no text in base64, both ways', () => {
    const bytes = new Uint8Array([0xff, 0, 0xfe])
    const { log } = JSON.parse(harText(cassetteOf([exchange({ body: bytes, reply: bytes })])))
    expect(log.entries[0].request.postData).toMatchObject({ text: '/wD+', encoding: 'base64' })
    expect(log.entries[0].response.content).toMatchObject({ text: '/wD+', encoding: 'base64', size: 3 })
  })

  it('has one line for each small thing', () => {
    const text = harText(cassetteOf([exchange({ body: { phone: '+2250712345678' } })]))
    expect(text).toContain('\n                { "part": "request-body", "pointer": "/phone" }\n')
    expect(text.split('\n').filter((line) => line.length > 400)).toEqual([])
  })
})

describe('Playwright with Chromium', () => {
  it('answers a page from the cassette', async () => {
    const json = ['Content-Type', 'application/json'] as const
    const path = join(directory, 'played.har')
    const cassette = cassetteOf([
      exchange({
        method: 'GET',
        target: '/',
        replyHeaders: [['Content-Type', 'text/html; charset=utf-8']],
        reply: '<title>é</title>',
      }),
      exchange({
        method: 'GET',
        target: '/v1/accounts?limit=1',
        replyHeaders: [json, ['Content-Encoding', 'gzip']],
        reply: new Uint8Array(gzipSync('{"big":9007199254740993}')),
      }),
      exchange({
        target: '/v1/payments/fund',
        body: Buffer.from('{"amount":10.00}'),
        headers: [json],
        reply: { outcome: 'success' },
      }),
      exchange({
        method: 'GET',
        target: '/bytes',
        replyHeaders: [['Content-Type', 'application/octet-stream']],
        reply: new Uint8Array([255, 0, 254]),
      }),
    ])
    writeHar(path, cassette, createSecrets())
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    try {
      const page = await browser.newPage()
      await page.routeFromHAR(path, { notFound: 'abort' })
      await page.goto(`${HEADER.origin}/`)
      expect(await page.title()).toBe('é')
      const answers = await page.evaluate(async () => {
        const text = async (url: string, init?: RequestInit) => (await fetch(url, init)).text()
        const bytes = new Uint8Array(await (await fetch('/bytes')).arrayBuffer())
        return [
          await text('/v1/accounts?limit=1'),
          await text('/v1/payments/fund', { method: 'POST', body: '{"amount":10.00}' }),
          [...bytes].join(),
          await text('/v1/payments/fund', { method: 'POST', body: '{"amount":10}' }).catch(() => 'aborted'),
        ]
      })
      expect(answers).toEqual(['{"big":9007199254740993}', '{"outcome":"success"}', '255,0,254', 'aborted'])
    } finally {
      await browser.close()
    }
  })
})
