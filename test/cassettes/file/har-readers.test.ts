import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { writeHar } from '../../../src/cassettes/file/har/write.ts'
import { createSecrets } from '../../../src/cassettes/redaction/secrets/secrets.ts'
import { cassetteOf } from '../../cli/cassette-fixtures.ts'
import { exchange, scratch } from '../recording-fixtures.ts'

/** What scripts/har-readers.sh installs. Playwright's own reader is tested beside the file format. */
const READERS = resolve('node_modules/.cache/har-readers')
/** The whole of it: without a window it has no developer tools. */
const CHROMIUM = '/usr/bin/chromium'
const directory = scratch()

const JSON_TYPE = ['Content-Type', 'application/json'] as const

/** What readers have stumbled over: repeats, codings, numbers, other letters, no body, no answer. */
const awkward = join(directory, 'awkward.har')
writeHar(
  awkward,
  cassetteOf([
    exchange({
      method: 'GET',
      target: '/v1/accounts?limit=1&cursor=a%2Bb',
      headers: [['Accept', '*/*']],
      replyHeaders: [
        JSON_TYPE,
        ['Set-Cookie', 'a=1; Path=/'],
        ['Set-Cookie', 'b=2'],
        ['Content-Encoding', 'gzip'],
        ['Content-Length', '44'],
      ],
      reply: new Uint8Array(gzipSync('{"big":9007199254740993,"price":10.00,"é":"😀"}')),
    }),
    exchange({
      target: '/v1/payments/fund',
      headers: [JSON_TYPE, ['Idempotency-Key', '1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10']],
      body: Buffer.from('{"amount":5077.00, "note":"l\'été \\"\\\\n`"}'),
      replyHeaders: [JSON_TYPE],
      reply: '{"outcome":"success"}',
    }),
    exchange({ method: 'GET', target: '/v1/webhooks', status: 204 }),
    exchange({ method: 'GET', target: '/v1/poll', replyHeaders: [JSON_TYPE], reply: '{"state":"PENDING"}' }),
    exchange({ method: 'GET', target: '/v1/poll', replyHeaders: [JSON_TYPE], reply: '{"state":"DONE"}' }),
    { ...exchange({ method: 'GET', target: '/v1/broken' }), reply: undefined },
  ]),
  createSecrets(),
)

const shipped = readdirSync('recordings').map((name) => resolve('recordings', name))
const files = [awkward, ...shipped.filter((path) => path.endsWith('.har'))]

type Entry = {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: readonly { readonly name: string; readonly value: string }[]
    readonly postData?: { readonly text: string }
  }
  readonly response: { readonly status: number; readonly content: { readonly text?: string } }
}

const entriesOf = (path: string): readonly Entry[] => JSON.parse(readFileSync(path, 'utf8')).log.entries

/** What one run of a program makes of each file; it prints JSON. A run for each would be start and little else. */
function told<T>(program: string, cwd: string): readonly T[] {
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', program, '--', ...files], {
    cwd,
    encoding: 'utf8',
  })
  return JSON.parse(text)
}

type MswAnswer = { readonly status: number; readonly text: string; readonly cookies: readonly string[] }

const ASK_MSW = `
import { readFileSync } from 'node:fs'
import { fromTraffic } from '@mswjs/source/traffic'
import { setupServer } from 'msw/node'
const all = []
for (const path of process.argv.slice(1)) {
  const har = JSON.parse(readFileSync(path, 'utf8'))
  const server = setupServer(...fromTraffic(har))
  server.listen({ onUnhandledRequest: 'error' })
  const answers = []
  for (const { request: { method, url, postData } } of har.log.entries) {
    const response = await fetch(url, { method, body: postData?.text }).catch(() => undefined)
    answers.push({ status: response?.status ?? 0, text: (await response?.text()) ?? '', cookies: response?.headers.getSetCookie() ?? [] })
  }
  server.close()
  all.push(answers)
}
console.log(JSON.stringify(all))`

let answeredByMsw: readonly (readonly MswAnswer[])[]
let sentByK6: readonly unknown[]
beforeAll(() => {
  answeredByMsw = told(ASK_MSW, READERS)
  sentByK6 = told(PLAY_K6, k6Home())
})

describe.each(files)('%s', (path) => {
  const entries = entriesOf(path)

  it('answers the same requests in MSW, in their order', () => {
    const answers = answeredByMsw[files.indexOf(path)]
    expect(answers?.map(({ status, text }) => [status, text])).toEqual(
      entries.map(({ response: { status, content } }) => [status, content.text ?? '']),
    )
    if (path === awkward) expect(answers?.[0]?.cookies).toHaveLength(2)
  })

  it('becomes a k6 script that sends the same requests', () => {
    const sent = sentByK6[files.indexOf(path)]
    expect(sent).toEqual(
      entries.map(({ request: { method, url, headers, postData } }) => ({
        method,
        url,
        body: postData?.text ?? null,
        headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
      })),
    )
  })
})

const STUB = `
const sent = []
const call = (method) => (url, body, params) => {
  const withBody = method === 'GET' || method === 'HEAD' ? [null, body] : [body ?? null, params]
  sent.push({ method, url: String(url), body: withBody[0], headers: withBody[1]?.headers ?? {} })
}
const get = call('GET')
const post = call('POST')
const request = (method, url, body, params) => call(method)(url, body, params)
export default { get, post, request, url: (parts, ...values) => String.raw(parts, ...values) }
export { sent }`

/** A directory in which k6 itself is a stub. */
function k6Home(): string {
  const home = join(directory, 'k6')
  const k6 = join(home, 'node_modules/k6')
  mkdirSync(k6, { recursive: true })
  writeFileSync(
    join(k6, 'package.json'),
    '{"type":"module","exports":{".":"./index.js","./http":"./http.js"}}',
  )
  writeFileSync(join(k6, 'index.js'), 'export const sleep = () => {}\nexport const check = () => {}')
  writeFileSync(join(k6, 'http.js'), STUB)
  return home
}

/** What the scripts of har-to-k6 send. */
const PLAY_K6 = `
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sent } from 'k6/http'
const { liHARToK6Script } = createRequire(${JSON.stringify(`${READERS}/`)})('har-to-k6')
const all = []
for (const [i, path] of process.argv.slice(1).entries()) {
  const { main } = await liHARToK6Script(JSON.parse(readFileSync(path, 'utf8')))
  const script = resolve('script-' + i + '.mjs')
  writeFileSync(script, main)
  const played = await import(pathToFileURL(script))
  played.default()
  all.push(sent.splice(0))
}
console.log(JSON.stringify(all))`

/** The reader behind "Import HAR file" of the Network panel, in the DevTools that this Chromium has. */
const READER = 'devtools://devtools/bundled/models/har/har.js'
const IMPORT_IN_DEVTOOLS = `async (text) => {
  const har = await import('${READER}')
  const { log } = new har.HARFormat.HARRoot(JSON.parse(text))
  const requests = []
  for (const one of har.Importer.Importer.requestsFromHARLog(log)) {
    const content = await one.requestContentData()
    requests.push({
      method: one.requestMethod,
      url: one.url(),
      status: one.statusCode,
      body: (await one.requestFormData()) ?? null,
      text: content.text ?? '',
    })
  }
  return requests
}`

describe('the Network panel of Chrome DevTools', () => {
  it('imports them', async () => {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    try {
      const page = await browser.newPage()
      // Any document of DevTools may load it. This one is text: their window is most of the work of a run.
      await page.goto(READER)
      for (const path of files) {
        const imported = await page.evaluate(
          `(${IMPORT_IN_DEVTOOLS})(${JSON.stringify(readFileSync(path, 'utf8'))})`,
        )
        expect(imported, path).toEqual(
          entriesOf(path).map(({ request: { method, url, postData }, response: { status, content } }) => ({
            method,
            url,
            status,
            body: postData?.text ?? null,
            text: content.text ?? '',
          })),
        )
      }
    } finally {
      await browser.close()
    }
  })
})
