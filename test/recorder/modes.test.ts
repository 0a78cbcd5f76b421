import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { record } from '../../src/sandgate.ts'
import { scratch } from '../cassettes/recording-fixtures.ts'
import { COMMAND } from '../support/command.ts'
import { recordHere, requesting, sandgateRecord } from './command.ts'
import { type Handler, openUpstream, startUpstream, type Upstream } from './upstream.ts'

const SPY = join(import.meta.dirname, 'connection-spy.mjs')
const root = scratch()
let out = ''
let count = 0
beforeEach(() => {
  out = join(root, String(++count), 'tests.har')
})

const answering: Handler = (req, res) => {
  req.resume().on('end', () => res.setHeader('Content-Type', 'application/json').end('{"ok":true}'))
}
const targets = (path = out) => loadCassette(path).interactions.map(({ request }) => request.target)

const first = join(root, 'first', 'tests.har')
let shared: Upstream
beforeAll(async () => {
  shared = await openUpstream(answering)
  const options = ['--upstream', shared.url.origin, '--out', first]
  expect(await recordHere([...options, '--', ...requesting('/a', '!/b')])).toMatchObject({ code: 0 })
  expect(targets(first)).toEqual(['/a', '/b'])
  expect(readdirSync(dirname(first))).toEqual([basename(first)])
  return shared.close
})

/** A cassette with two requests, which was recorded once, and how often the upstream was asked since. */
function recorded() {
  mkdirSync(dirname(out))
  copyFileSync(first, out)
  shared.seen.length = 0
  const options = ['--upstream', shared.url.origin, '--out', out]
  return { ...shared, options, before: readFileSync(out, 'utf8') }
}

const explainsAMiss = async (mode: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { options, seen, before } = recorded()
  const ended = await recordHere([...options, ...mode, '--', ...requesting('/a', '/new')], { env })
  expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining('200\n424\n') })
  expect(ended.stderr).toContain('CASSETTE MISS')
  expect(ended.stderr).toContain('failed: 1 request missed')
  expect(seen).toEqual([])
  expect(readFileSync(out, 'utf8')).toBe(before)
  expect(readdirSync(dirname(out))).toEqual([basename(out)])
}

describe.each(['none', 'once'])('mode %s, with the file there', (name) => {
  const mode = ['--mode', name]

  it('replays it, and says at the end what became of it', async () => {
    const { options, seen } = recorded()
    const run = name === 'none' ? sandgateRecord : recordHere
    const ended = await run([...options, ...mode, '--', ...requesting('/a', '!/b')])
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^replaying 2 interactions of .*\n200\n200\n$/),
    })
    expect(ended.stderr).toContain('loaded 2, served 2, live 0, repeated 0, unused 0, missed 0, forwarded 0')
    expect(seen).toEqual([])
  })

  it('explains a miss and fails; nothing is asked or written', () => explainsAMiss(mode))

  it('needs no upstream', async () => {
    recorded()
    expect(await recordHere(['--out', out, ...mode, '--', ...requesting('/a')])).toMatchObject({
      code: 0,
    })
  })
})

it.each([{}, { CI: '1' }])(
  'without a mode a cassette that is there is replayed, and nothing else: %j',
  (env) => explainsAMiss([], env),
)

describe('mode none', () => {
  it.each([
    [['--mode', 'none'], {}, ''],
    [[], { CI: 'true' }, ' (None is the default where CI is set.)'],
  ])('refuses where the file is absent: %j %j', async (mode, env, more) => {
    const ended = await recordHere(
      ['--upstream', 'http://x', '--out', out, ...mode, '--', ...requesting('/a')],
      { env },
    )
    expect(ended).toEqual({
      code: 7,
      stdout: '',
      stderr: `sandgate record: ${out}: does not exist. Mode none records nothing; mode once records what is absent.${more}\n`,
    })
    expect(existsSync(dirname(out))).toBe(false)
  })

  it('opens no connection to anywhere, also on a miss', async () => {
    const { options } = recorded()
    const connections = async (mode: string) => {
      const log = join(dirname(out), `${mode}.log`)
      writeFileSync(log, '')
      const env = { NODE_OPTIONS: `--import ${SPY}`, CONNECTION_LOG: log, CONNECTION_PROGRAM: 'record' }
      await sandgateRecord([...options, '--mode', mode, '--', ...requesting('/a', '!/b', '/new')], { env })
      return readFileSync(log, 'utf8').split('\n').filter(Boolean)
    }
    expect(await connections('none')).toEqual([])
    expect(await connections('once')).toEqual([])
    // The spy does see what there is to be seen.
    expect((await connections('new_episodes')).length).toBeGreaterThan(0)
  })
})

describe('mode new_episodes', () => {
  it('records where the file is absent', async () => {
    const { url } = await startUpstream(answering)
    const options = ['--upstream', url.origin, '--out', out, '--mode', 'new_episodes']
    const ended = await recordHere([...options, '--', ...requesting('/a')])
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^recording /) })
    expect(targets()).toEqual(['/a'])
  })

  it('passes on what misses, byte for byte, and keeps it beside the old', async () => {
    const { options, seen, url } = recorded()
    const ended = await recordHere([
      ...options,
      '--mode',
      'new_episodes',
      '--',
      ...requesting('/a', '!/new?x=%zz&y', '!/b'),
    ])
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`, recording what is new -> ${url.origin}\n`),
    })
    expect(ended.stderr).toContain('recorded 1 exchange,')
    expect(ended.stderr).toContain('served 2, live 0, repeated 0, unused 0, missed 0, forwarded 1')
    expect(ended.stderr).not.toContain('CASSETTE MISS')
    expect(seen.map(({ method, target, body }) => [method, target, String(body)])).toEqual([
      ['POST', '/new?x=%zz&y', '{"amount":10.00}'],
    ])
    expect(seen[0]?.rawHeaders.join()).not.toMatch(/lane/i)
    expect(targets()).toEqual(['/a', '/b', '/new?x=%zz&y'])
    expect(readdirSync(dirname(out))).toEqual([basename(out)])
    const replay = await recordHere(['--out', out, '--', ...requesting('/a', '!/new?x=%zz&y', '!/b')])
    expect(replay.code).toBe(0)
  })

  it('fails under CI when something was passed on, and keeps it all the same', async () => {
    const { options } = recorded()
    const run = [...options, '--mode', 'new_episodes', '--', ...requesting('/a', '/new')]
    const ended = await recordHere(run, { env: { CI: 'true' } })
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('failed: 1 forwarded under CI') })
    expect(await recordHere(run, { env: { CI: 'true' } })).toMatchObject({ code: 0 })
  })

  it('says that a damaged cassette cannot be read, and leaves it', async () => {
    const { options, before, seen } = recorded()
    writeFileSync(out, before.slice(0, 300))
    const ended = await recordHere([...options, '--mode', 'new_episodes', '--', ...requesting('/a')])
    expect(ended).toMatchObject({ code: 7, stdout: '', stderr: expect.stringContaining('may be cut off') })
    expect(readFileSync(out, 'utf8')).toBe(before.slice(0, 300))
    expect(seen).toEqual([])
    expect(readdirSync(dirname(out))).toEqual([basename(out)])
  })

  it('has one recorder at a time', async () => {
    const { options } = recorded()
    const recording = [...options, '--mode', 'new_episodes', '--']
    const inner = [process.execPath, COMMAND, 'record', ...recording, ...requesting('/a')]
    const ended = await recordHere([...recording, 'sh', '-c', 'exec "$@" 2>&1', 'sh', ...inner])
    expect(ended).toMatchObject({
      code: 6,
      stdout: expect.stringMatching(/process \d+ is recording this cassette/),
    })
  })
})

describe('mode all', () => {
  it('records everything anew, and replaces the file at the end', async () => {
    const { options } = recorded()
    expect(await recordHere([...options, '--mode', 'all', '--', ...requesting('/a', '/new')])).toMatchObject({
      code: 0,
    })
    expect(targets()).toEqual(['/a', '/new'])
  })

  it('leaves the file when no exchange had a reply, and when nothing passed', async () => {
    const { before } = recorded()
    const options = ['--upstream', 'http://127.0.0.1:1', '--out', out, '--mode', 'all']
    const unanswered = await recordHere([...options, '--', ...requesting('/a')])
    expect(unanswered).toMatchObject({ code: 6, stderr: expect.stringContaining('no exchange had a reply') })
    expect(await recordHere([...options, '--', ...requesting()])).toMatchObject({ code: 6 })
    expect(readFileSync(out, 'utf8')).toBe(before)
    expect(readdirSync(dirname(out))).toEqual([basename(out)])
  })
})

describe('a port that is in use', () => {
  it.each(['none', 'new_episodes', 'all'])('ends mode %s with 5, and nothing is written', async (mode) => {
    const { options, before } = recorded()
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as import('node:net').AddressInfo
    const ended = await recordHere([
      ...options,
      '--mode',
      mode,
      '--port',
      String(port),
      '--',
      ...requesting('/a'),
    ])
    expect(ended).toEqual({
      code: 5,
      stdout: '',
      stderr: `sandgate record: 127.0.0.1:${port} cannot be listened on (EADDRINUSE); choose another port with --port, or none for a free one\n`,
    })
    expect(readFileSync(out, 'utf8')).toBe(before)
    expect(readdirSync(dirname(out))).toEqual([basename(out)])
  })
})

describe('record() of the package', () => {
  it('records once and replays from then on; other modes as the command', async () => {
    const { url, seen } = await startUpstream(answering)
    const upstream = url.origin
    const first = await record({ upstream, out, mode: 'once' })
    await fetch(`${first.url}/a`)
    expect(await first.finish()).toMatchObject({ recorded: { exchanges: 1 }, ledger: undefined })
    const second = await record({ out, mode: 'once' })
    expect((await fetch(`${second.url}/a`)).status).toBe(200)
    expect((await fetch(`${second.url}/new`)).status).toBe(424)
    expect(second.misses()).toHaveLength(1)
    expect(await second.finish()).toMatchObject({ recorded: undefined, ledger: { served: 1, missed: 1 } })
    const third = await record({ upstream, out, mode: 'new_episodes' })
    expect((await fetch(`${third.url}/new`)).status).toBe(200)
    expect(await third.finish()).toMatchObject({ recorded: { exchanges: 1 }, ledger: { forwarded: 1 } })
    expect(seen.map(({ target }) => target)).toEqual(['/a', '/new'])
    await expect(record({ out: join(root, 'absent.har'), mode: 'none' })).rejects.toMatchObject({
      reason: 'missing',
    })
    await expect(record({ out, mode: 'all' })).rejects.toThrow('name the upstream')
  })
})
