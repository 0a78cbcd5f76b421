import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { record, replay } from '../../src/sandgate.ts'
import { defaultMode, isCi } from '../../src/start/record-mode.ts'
import { startUpstream } from '../recorder/upstream.ts'
import { temporaryDirectory } from '../support/gateway.ts'
import { ask, signIn } from './partner.ts'
import { CLIENTS, frontDoor } from './ways.ts'

const out = join(temporaryDirectory('package'), 'keyed.har')
afterEach(() => vi.unstubAllEnvs())

describe('SANDGATE_CASSETTE_KEY in a test file', () => {
  it('compares redacted values; another key is one clear error before anything is served', async () => {
    const { url } = await frontDoor()
    const partners = [CLIENTS[0]]
    vi.stubEnv('SANDGATE_CASSETTE_KEY', 'the key of the recording')
    const recorder = await record({ upstream: url, out, mode: 'all' })
    await ask(await signIn(recorder.url, { partners }), 'POST', '/v1/kyc/submit', { phone: '+2250712345678' })
    await recorder.finish()
    expect(loadCassette(out).keyCheck).toMatch(/^[\w-]{43}$/)

    const statuses = async () => {
      const tape = await replay(out)
      const client = await signIn(tape.url, { partners })
      const one = await ask(client, 'POST', '/v1/kyc/submit', { phone: '+2250799999999' })
      const other = await ask(client, 'POST', '/v1/kyc/submit', { phone: '+2250712345678' })
      await tape.close()
      return [one.status, other.status]
    }
    expect(await statuses()).toEqual([424, 200])
    vi.stubEnv('SANDGATE_CASSETTE_KEY', '')
    expect((await statuses())[0]).toBe(200)
    vi.stubEnv('SANDGATE_CASSETTE_KEY', 'another key')
    await expect(replay(out)).rejects.toMatchObject({ reason: 'other-key' })
    await expect(record({ upstream: url, out, mode: 'new_episodes' })).rejects.toMatchObject({
      reason: 'other-key',
    })
  })
})

describe('an option of the package', () => {
  it('that is misspelt is refused with those that there are', async () => {
    const misspelt = { volatil: ['/x'] } as object
    await expect(replay('x.har', misspelt)).rejects.toThrow(
      /no option volatil; there are config, time, profile, volatile/,
    )
    await expect(record({ out: 'x.har', upstrem: 'http://x' } as { out: string })).rejects.toThrow(
      /no option upstrem; there are upstream, out, mode, config/,
    )
  })

  it.each([{ keepUrls: 'yes' }, { allowIncomplete: 1 }, { mode: 'some' }])(
    'of a recording with a value that there is not is refused: %o',
    async (options) => {
      await expect(record({ out: 'x.har', upstream: 'http://x', ...(options as object) })).rejects.toThrow(
        /is one of/,
      )
    },
  )

  it.each([{ time: 'frezze' }, { profile: 'loose' }])(
    'with a value that there is not is refused: %o',
    async (options) => {
      await expect(replay('x.har', options as object)).rejects.toThrow(/is one of/)
    },
  )
})

describe('URLs of answers, in a test file', () => {
  it('lead to the recorder; with keepUrls they stay, and those that lead past it are named at the end', async () => {
    const upstream = await startUpstream((req, res) => {
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify({ next: `http://${req.headers.host}/v1/accounts?cursor=2` }))
    })
    for (const keepUrls of [false, true]) {
      const recorder = await record({ upstream: upstream.url.href, out, mode: 'all', keepUrls })
      const { next } = (await (await fetch(`${recorder.url}/v1/accounts`)).json()) as { next: string }
      const owner = keepUrls ? upstream.url.origin : recorder.url
      expect(next).toBe(`${owner}/v1/accounts?cursor=2`)
      const { urlsPast } = await recorder.finish()
      expect(urlsPast).toEqual(keepUrls ? [`${upstream.url.origin}/v1/accounts`] : [])
    }
  })
})

describe('an answer that is not whole, in a test file', () => {
  it('leaves the cassette that is there, unless the recording is taken all the same', async () => {
    let isWhole = true
    const upstream = await startUpstream((_, res) => {
      const whole = gzipSync('{"items":[]}')
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      res.end(isWhole ? whole : whole.subarray(0, 20))
    })
    const recorded = async (allowIncomplete: boolean) => {
      const recorder = await record({ upstream: upstream.url.href, out, mode: 'all', allowIncomplete })
      await fetch(`${recorder.url}/v1/accounts`).then((answer) => answer.text().catch(() => ''))
      return (await recorder.finish()).recorded
    }
    expect(await recorded(false)).toMatchObject({ path: out, withoutReply: [] })
    isWhole = false
    const kept = readFileSync(out, 'utf8')
    expect(await recorded(false)).toMatchObject({ path: out.replace('.har', '.partial.har') })
    expect(readFileSync(out, 'utf8')).toBe(kept)
    expect(await recorded(true)).toMatchObject({ path: out, withoutReply: [{ isFault: true }] })
  })
})

describe('the variable CI', () => {
  it.each(['false', '0', '', 'FALSE', 'no', undefined])('set to %s is no CI', (CI) => {
    expect([isCi({ CI }), defaultMode({ CI })]).toEqual([false, 'once'])
  })

  it.each(['true', '1', 'woodpecker'])('set to %s is one', (CI) => {
    expect([isCi({ CI }), defaultMode({ CI })]).toEqual([true, 'none'])
  })
})
