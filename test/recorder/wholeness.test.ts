import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import type { HeaderLine } from '../../src/http/header-lines.ts'
import { readableCodings } from '../../src/recorder/accepted-codings.ts'
import { replay } from '../../src/sandgate.ts'
import { scratch } from '../cassettes/recording-fixtures.ts'
import { runs } from '../support/effort.ts'
import { recordHere, requesting, sandgateRecord } from './command.ts'
import { type Handler, rawExchange, record, startUpstream } from './upstream.ts'

const directory = scratch()
let out = ''
let count = 0
beforeEach(() => {
  out = join(directory, `whole-${++count}.har`)
})

const TEXT = JSON.stringify({ list: Array.from({ length: 60 }, (_, i) => `item ${i}`) })
const PACK = {
  identity: (text: string) => Buffer.from(text),
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: (text: string) => Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), Buffer.from(text)]),
  'x-made-up': (text: string) => Buffer.from(text),
}
type Coding = keyof typeof PACK
const CODINGS = Object.keys(PACK) as Coding[]
const isReadable = (coding: Coding) => coding !== 'zstd' && coding !== 'x-made-up'

/** `/CODING/COUNT`: so many bytes of the packed text, all of them for `all`; the length says nothing of the cut. */
const packed: Handler = (req, res) => {
  const [, coding = '', length = ''] = (req.url ?? '').split('/')
  const bytes = PACK[coding as Coding](TEXT)
  res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding })
  res.end(length === 'all' ? bytes : bytes.subarray(0, Number(length)))
}

describe('an answer that is not whole', () => {
  it('is an exchange without a reply, and every other one is served as it was', async () => {
    const upstream = await startUpstream(packed)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...CODINGS), fc.constantFrom('all', '1', '12', '30')), {
          minLength: 1,
          maxLength: 6,
        }),
        async (asked) => {
          const path = join(directory, `any-${++count}.har`)
          const recorder = await record(upstream.url, path)
          const port = Number(new URL(recorder.url).port)
          for (const [coding, length] of asked)
            await rawExchange(
              port,
              `GET /${coding}/${length} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`,
            )
          const isWhole = ([coding, length]: readonly [Coding, string]) =>
            coding === 'identity' || (isReadable(coding) && length === 'all')
          const recorded = await recorder.finish()
          expect(recorded?.withoutReply.map(({ entry }) => entry)).toEqual(
            asked.flatMap((one, i) => (isWhole(one) ? [] : [i + 1])),
          )
          const tape = await replay(path)
          for (const one of asked) {
            const [coding, length] = one
            const answer = await fetch(`${tape.url}/${coding}/${length}`)
            expect(answer.status).toBe(isWhole(one) ? 200 : 424)
            if (isWhole(one))
              expect(await answer.text()).toBe(length === 'all' ? TEXT : TEXT.slice(0, Number(length)))
          }
          await tape.close()
        },
      ),
      { numRuns: runs(10) },
    )
  })

  it('is named at the end, with 6, and replaces no cassette unless --allow-incomplete takes the recording', async () => {
    const upstream = await startUpstream(packed)
    const options = ['--upstream', upstream.url.origin, '--out', out, '--mode', 'all']
    const asked = ['--', ...requesting('/gzip/all', '/gzip/30', '/zstd/all')]
    const ended = await sandgateRecord([...options, ...asked])
    expect(ended.code).toBe(6)
    expect(ended.stderr).toContain(
      'without a reply: entry 2, GET /gzip/30: its answer was compressed and cannot be unpacked as a whole\n',
    )
    expect(ended.stderr).toContain(
      'without a reply: entry 3, GET /zstd/all: its answer came in a content coding that cannot be read here\n',
    )
    expect(loadCassette(out).interactions.map(({ reply }) => reply?.status)).toEqual([
      200,
      undefined,
      undefined,
    ])
    const before = readFileSync(out, 'utf8')
    const again = await recordHere([...options, ...asked])
    expect(again).toMatchObject({ code: 6, stderr: expect.stringContaining(`so ${out} stands as it was`) })
    expect(readFileSync(out, 'utf8')).toBe(before)
    expect(loadCassette(out.replace('.har', '.partial.har')).interactions).toHaveLength(3)
    expect(await recordHere([...options, '--allow-incomplete', ...asked])).toMatchObject({ code: 0 })
    expect(readFileSync(out, 'utf8')).not.toBe(before)
  })

  it('is one that breaks off on the wire, also of no coding; the traffic sees what it saw', async () => {
    const upstream = await startUpstream((req, res) => {
      if (req.url === '/whole') return void res.end('ok')
      res.writeHead(200, { 'content-length': '10' })
      res.write('half')
      setTimeout(() => res.destroy(), 20)
    })
    const recorder = await record(upstream.url, out)
    await fetch(`${recorder.url}/whole`)
    await expect(fetch(`${recorder.url}/cut`).then((answer) => answer.text())).rejects.toThrow()
    expect((await recorder.finish())?.withoutReply).toEqual([
      { entry: 2, request: 'GET /cut', reason: 'its answer broke off', isFault: true },
    ])
  })

  it('because its client hung up is named, and is no fault', async () => {
    const upstream = await startUpstream((req, res) => {
      if (req.url === '/slow') res.writeHead(200).write('begun')
      else res.end('ok')
    })
    const script = `curl -sS -o /dev/null "$SANDGATE_URL"/quick; curl -sS -m 0.5 -o /dev/null "$SANDGATE_URL"/slow; true`
    const ended = await recordHere([
      ...['--upstream', upstream.url.origin, '--out', out, '--mode', 'all', '--', 'sh', '-c', script],
    ])
    expect(ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        'without a reply: entry 2, GET /slow: its client did not wait for the answer\n',
      ),
    })
  })
})

describe('the recorder asks', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'gzip, deflate, br'],
    ['zstd', 'identity'],
    ['*', 'identity'],
    ['zstd;q=1.0, gzip;q=0.5', 'gzip;q=0.5'],
    ['gzip;q=0, *;q=0, identity', 'gzip;q=0, *;q=0, identity'],
    ['identity;q=0, *', 'gzip, deflate, br, identity;q=0'],
    ['gzip, br', 'gzip, br'],
    ['', ''],
  ])('for no coding that it cannot read: %s', (asked, sent) => {
    const host: HeaderLine = ['Host', 'h']
    expect(readableCodings([host, ['accept-Encoding', asked]])).toEqual([host, ['accept-Encoding', sent]])
  })

  it('so on the wire', async () => {
    const upstream = await startUpstream((_req, res) => res.end('ok'))
    const recorder = await record(upstream.url, out)
    await rawExchange(
      recorder.port,
      'GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: zstd, gzip\r\nConnection: close\r\n\r\n',
    )
    expect(upstream.seen[0]?.rawHeaders.join('|')).toContain('|Accept-Encoding|gzip')
  })
})
