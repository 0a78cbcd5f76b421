import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { loadCassette } from '../../../src/cassettes/file/load.ts'
import { sandgate } from '../../cli/cassette-fixtures.ts'
import { scratch } from '../recording-fixtures.ts'

const directory = scratch()
let count = 0

type Response = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly content?: object
  readonly bodySize?: number
}
type Asked = { readonly headers?: Readonly<Record<string, string>>; readonly method?: string }

const lines = (headers: Readonly<Record<string, string>> = {}) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))

function entryOf(
  { status = 200, headers, content = { size: 0, mimeType: '' }, bodySize = -1 }: Response,
  asked: Asked = {},
) {
  return {
    startedDateTime: '2026-01-15T09:30:00.000Z',
    time: 3,
    request: {
      method: asked.method ?? 'GET',
      url: 'https://api.example/v1/accounts/acc_x',
      httpVersion: 'HTTP/1.1',
      headers: lines(asked.headers),
      queryString: [],
    },
    response: {
      status,
      httpVersion: 'HTTP/1.1',
      headers: lines(headers),
      content,
      redirectURL: '',
      bodySize,
    },
  }
}

async function imported(
  entry: object,
  more: { readonly log?: object; readonly flags?: readonly string[] } = {},
) {
  const [har, out] = [join(directory, `${++count}.har`), join(directory, `${count}-out.har`)]
  const creator = { name: 'tests', version: '1' }
  const whole = entryOf({ content: { size: 2, mimeType: 'application/json', text: '{}' } })
  writeFileSync(
    har,
    JSON.stringify({ log: { version: '1.2', creator, ...more.log, entries: [whole, entry] } }),
  )
  const ended = await sandgate(['cassette', 'import', har, '--out', out, ...(more.flags ?? [])])
  return { ...ended, second: loadCassette(out).interactions[1] }
}

const TEXT = JSON.stringify({ accountId: 'acc_x', list: [1, 2, 3] })
const json = (more: object) => ({ mimeType: 'application/json', ...more })
const base64 = (bytes: Uint8Array) => ({ text: Buffer.from(bytes).toString('base64'), encoding: 'base64' })

describe('an answer of a HAR that is not whole is no answer', () => {
  it.each<[string, Response, string]>([
    ['its body was not kept', { content: json({ size: 44 }) }, 'not-kept'],
    ['its length is not known, and it has no text', { content: json({ size: -1 }) }, 'not-kept'],
    ['its text is empty, its length not known', { content: json({ size: -1, text: '' }) }, 'not-kept'],
    ['its text is cut', { content: json({ size: TEXT.length, text: TEXT.slice(0, 20) }) }, 'not-kept'],
    [
      'its text is cut by the header alone',
      { headers: { 'content-length': '44' }, content: json({ size: 20, text: TEXT.slice(0, 20) }) },
      'not-kept',
    ],
    ['the program says so', { content: json({ size: 4, text: '"ab"', comment: 'truncated' }) }, 'not-kept'],
    [
      'it is packed in a way that nobody can undo',
      {
        headers: { 'content-encoding': 'zstd' },
        content: json({ size: 5, ...base64(Buffer.from('28b52ffd80', 'hex')) }),
      },
      'unreadable-coding',
    ],
    [
      'it is packed and cut',
      {
        headers: { 'content-encoding': 'gzip' },
        content: json({ size: 30, ...base64(gzipSync(TEXT).subarray(0, 30)) }),
      },
      'undecodable',
    ],
    ['nobody asked whether it had changed', { status: 304 }, 'from-cache'],
  ])('%s', async (_, response, noReply) => {
    const refused = await imported(entryOf(response))
    expect(refused).toMatchObject({ code: 7, second: { reply: undefined, noReply } })
    expect(refused.err).toMatch(/without a reply: entry 2, GET \/v1\/accounts\/acc_x: /)
    expect(await imported(entryOf(response), { flags: ['--allow-incomplete'] })).toMatchObject({ code: 0 })
  })

  it('a browser took it from its cache', async () => {
    const conditional = { headers: { 'if-none-match': '"1"' } }
    const browser = { log: { creator: { name: 'WebInspector', version: '537.36' } } }
    expect(await imported(entryOf({ status: 304 }, conditional), browser)).toMatchObject({
      code: 7,
      second: { noReply: 'from-cache' },
    })
    const agent = { headers: { ...conditional.headers, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' } }
    expect(await imported(entryOf({ status: 304 }, agent))).toMatchObject({ code: 7 })
  })
})

describe('an answer of a HAR that is whole is kept', () => {
  it.each<[string, Response, Asked]>([
    ['304 for a program that has asked for it', { status: 304 }, { headers: { 'if-none-match': '"1"' } }],
    ['no content', { status: 204, headers: {} }, {}],
    ['the head alone', { headers: { 'content-length': '44' } }, { method: 'HEAD' }],
    ['an empty answer', { headers: { 'content-length': '0' } }, {}],
    [
      'a size that counts packed bytes',
      { headers: { 'content-encoding': 'gzip' }, content: json({ size: 99, text: TEXT }) },
      {},
    ],
    [
      'packed bytes that can be undone',
      { headers: { 'content-encoding': 'gzip' }, content: json({ size: 9, ...base64(gzipSync(TEXT)) }) },
      {},
    ],
    [
      'a text whose mark of byte order was dropped',
      { content: { size: 7, mimeType: 'text/plain', text: 'text' } },
      {},
    ],
    [
      'a text in another charset',
      {
        headers: { 'content-type': 'text/plain; charset=utf-16' },
        content: { size: 8, mimeType: 'text/plain', text: 'text' },
      },
      {},
    ],
  ])('%s', async (_, response, asked) => {
    const { code, err, second } = await imported(entryOf(response, asked))
    expect({ code, err, status: second?.reply?.status }).toEqual({
      code: 0,
      err: expect.not.stringContaining('without a reply'),
      status: response.status ?? 200,
    })
    if (response.headers?.['content-encoding'])
      expect(Buffer.from(second?.reply?.body ?? []).toString()).toBe(TEXT)
  })
})
