import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { movedUrl } from '../../src/cassettes/message/urls.ts'
import { replay } from '../../src/sandgate.ts'
import { scratch } from '../cassettes/recording-fixtures.ts'
import { runs } from '../support/effort.ts'
import { recordHere, requesting } from './command.ts'
import { type Handler, record, startUpstream } from './upstream.ts'

const directory = scratch()
let out = ''
let count = 0
beforeEach(() => {
  out = join(directory, `urls-${++count}.har`)
})

/** Says in every place where to go on: at itself, under the path that was asked for, below `/base` when it has one. */
const leading =
  (origin: () => string, coding: string): Handler =>
  (req, res) => {
    req.resume().on('end', () => {
      const url = `${origin()}${req.url}?page=2`
      const text = JSON.stringify({ url, list: [url, `not ${url}`], other: 'https://elsewhere.invalid/x' })
      const body = coding === 'gzip' ? gzipSync(text) : Buffer.from(text)
      res.writeHead(201, [
        ...['Content-Type', 'application/json', 'Location', url],
        ...['Link', `<${url}>; rel="next", <https://elsewhere.invalid/>; rel="x"`],
        ...['Set-Cookie', 'a=1; Domain=sandbox.example.com; Path=/'],
        ...(coding === 'gzip' ? ['Content-Encoding', 'gzip'] : []),
        ...['Content-Length', String(body.length)],
      ])
      res.end(body)
    })
  }

async function seen(url: string) {
  const answer = await fetch(url, { redirect: 'manual' })
  const { headers } = answer
  return {
    body: (await answer.json()) as { url: string; list: string[]; other: string },
    location: headers.get('location'),
    link: headers.get('link'),
    cookies: headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*/, '=')),
  }
}

const led = (own: string, origin: string, path: string) => {
  const url = `${own}${path}?page=2`
  return {
    body: { url, list: [url, `not ${origin}${path}?page=2`], other: 'https://elsewhere.invalid/x' },
    location: url,
    link: `<${url}>; rel="next", <https://elsewhere.invalid/>; rel="x"`,
    cookies: ['a=; Path=/'],
  }
}

/** Without the letters of the words that name a secret, whose next segment would be one. */
const segments = fc.array(fc.stringMatching(/^[bcdfghlmnrstvxz0-9]{1,8}$/), { minLength: 1, maxLength: 3 })

describe('a URL that begins with the origin of the upstream', () => {
  it.each([
    ['', 'identity'],
    ['', 'gzip'],
    ['/base', 'identity'],
    ['/base', 'gzip'],
  ])('leads to the recorder, and to the replay: base "%s", %s', async (base, coding) => {
    let origin = ''
    const upstream = await startUpstream(leading(() => origin, coding))
    origin = upstream.url.origin
    await fc.assert(
      fc.asyncProperty(segments, async (steps) => {
        const path = join(directory, `any-${++count}.har`)
        const target = `/made/${steps.join('/')}`
        const recorder = await record(new URL(origin + base), path)
        expect(await seen(recorder.url + target)).toEqual(led(recorder.url, origin + base, target))
        await recorder.finish()
        const tape = await replay(path)
        expect(await seen(tape.url + target)).toEqual({
          ...led(tape.url, origin + base, target),
        })
        await tape.close()
      }),
      { numRuns: runs(4) },
    )
  })

  it('has to begin with all of it', () => {
    const move = { from: 'http://h:80', to: 'http://x' }
    expect(
      ['http://h:80', 'HTTP://H:80/a', 'http://h:80?b', 'http://h:801/a', ' http://h:80'].map((url) =>
        movedUrl(url, move),
      ),
    ).toEqual(['http://x', 'http://x/a', 'http://x?b', undefined, undefined])
  })

  it('stays in a body that is no JSON, whose bytes are as they were', async () => {
    const upstream = await startUpstream((_req, res) =>
      res.writeHead(200, { 'content-type': 'text/html' }).end(`<a href="${upstream.url.origin}/x">`),
    )
    const recorder = await record(upstream.url, out)
    expect(await (await fetch(recorder.url)).text()).toBe(`<a href="${upstream.url.origin}/x">`)
  })
})

describe('a URL that leads to the recorder', () => {
  it('leads to the upstream in what is sent, recorded and compared', async () => {
    const upstream = await startUpstream((req, res) => {
      req.resume().on('end', () => res.setHeader('Content-Type', 'application/json').end('{"ok":true}'))
    })
    const ask = async (own: string) => {
      const post = (type: string, body: string) =>
        fetch(`${own}/made/up?back=${encodeURIComponent(`${own}/cb`)}`, {
          method: 'POST',
          headers: { 'content-type': type, origin: own, referer: `${own}/page` },
          body,
        })
      const answers = [
        await post('application/json', JSON.stringify({ redirectUrl: `${own}/a`, n: 10.5 })),
        await post('application/x-www-form-urlencoded', `redirect=${encodeURIComponent(`${own}/a`)}&b=1`),
      ]
      return answers.map(({ status }) => status)
    }
    const recorder = await record(upstream.url, out)
    expect(await ask(recorder.url)).toEqual([200, 200])
    await recorder.finish()
    const { origin } = upstream.url
    for (const { target, rawHeaders, body } of upstream.seen) {
      expect(target).toBe(`/made/up?back=${encodeURIComponent(`${origin}/cb`)}`)
      const lines = rawHeaders.join('\n')
      expect(lines).toContain(`\n${origin}\n`)
      expect(lines).toContain(`\n${origin}/page`)
      expect(decodeURIComponent(String(body))).toContain(`${origin}/a`)
      expect(lines + String(body)).not.toContain(recorder.url)
    }
    for (const { request } of loadCassette(out).interactions)
      expect(decodeURIComponent(request.target + String(request.body))).toMatch(
        new RegExp(`${origin}/cb.*${origin}/a`),
      )
    const tape = await replay(out)
    expect(await ask(tape.url)).toEqual([200, 200])
    expect(tape.misses()).toEqual([])
    await tape.close()
  })
})

describe('--keep-urls', () => {
  it('leaves all of them, and names each that leads past the recorder, once', async () => {
    let origin = ''
    const upstream = await startUpstream(leading(() => origin, 'gzip'))
    origin = upstream.url.origin
    const recorder = await record(upstream.url, out, { keepUrls: true })
    const { location } = await seen(`${recorder.url}/made`)
    expect(location).toBe(`${origin}/made?page=2`)
    await recorder.finish()
    const { code, stderr } = await recordHere([
      ...['--upstream', origin, '--out', out, '--mode', 'all', '--keep-urls', '--'],
      ...requesting('/made/up', '/made/up'),
    ])
    expect(code).toBe(0)
    expect(stderr.match(/leads past the recorder: .*/g)).toEqual([`leads past the recorder: ${origin}/…/…`])
  })
})
