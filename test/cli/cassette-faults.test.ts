import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { writeHar } from '../../src/cassettes/file/har/write.ts'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { createSecrets } from '../../src/cassettes/redaction/secrets/secrets.ts'
import { scratch } from '../cassettes/recording-fixtures.ts'
import { EFFORT } from '../support/effort.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { sandgate } from './cassette-fixtures.ts'

const directory = scratch()
const file = (name: string) => join(directory, name)
const good = file('good.har')
const text = readFileSync('recordings/account-to-payment.har', 'utf8')
writeFileSync(good, text)
/** As good, and smaller: what a linter looks for in a file takes longer than all else here. */
const small = file('small.har')
const whole = loadCassette(good)
writeHar(small, { ...whole, interactions: whole.interactions.slice(0, 1) }, createSecrets())

function entryWithoutResponse(): string {
  const har = JSON.parse(text)
  delete har.log.entries[2].response
  return JSON.stringify(har, null, 1)
}

/** Of a browser that looked at a page, not at the interface. */
const BROWSED = {
  log: {
    version: '1.2',
    creator: { name: 'WebInspector', version: '537.36' },
    entries: [
      {
        startedDateTime: '2026-01-15T09:30:00.000Z',
        time: 1,
        request: { method: 'GET', url: 'https://www.example.org/main.js', httpVersion: 'h2', headers: [] },
        response: { status: 200, headers: [], content: { size: 0, mimeType: 'text/javascript', text: '' } },
      },
    ],
  },
}

type Fault = {
  readonly content?: string | Uint8Array
  readonly message: RegExp
  /** What import says, where it is something else. */
  readonly imported?: RegExp
}

const ALREADY = /is a cassette already; replay it as it is\./

const FAULTS: Readonly<Record<string, Fault>> = {
  'missing.har': { message: /does not exist\./ },
  'directory.har': { message: /is a directory, not a file\./ },
  'empty.har': { content: '', message: /is empty\./ },
  'torn.har': {
    content: text.slice(0, text.length / 2),
    message: /is not well-formed JSON; it may be cut off\./,
  },
  'picture.har': {
    content: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    message: /is not valid UTF-8: it is no text, or one that was saved in another encoding\./,
  },
  'latin1.har': {
    content: Buffer.from(text.replace('First-1', 'Andr\xe9'), 'latin1'),
    message: /is not valid UTF-8: it is no text, or one that was saved in another encoding\./,
  },
  'other.har': { content: '{"openapi":"3.1.0"}', message: /is JSON, but no HAR: it has no log\./ },
  'browsed.har': {
    content: JSON.stringify(BROWSED),
    message: /is a HAR of another program\. Make a cassette of it with `sandgate cassette import`\./,
    imported: /holds no exchange of the interface; nothing was written\./,
  },
  'newer.har': {
    content: text.replace('"version": 2,', '"version": 9,'),
    message: /has format 9, and this version of Sandgate reads up to 2: update Sandgate\./,
    imported: ALREADY,
  },
  'lacking.har': {
    content: entryWithoutResponse(),
    message: /response is missing or has the wrong type\./,
    imported: ALREADY,
  },
  'text.cassette.jsonl': {
    content: 'hello\n',
    message: /is not a journal of a recording\./,
    imported: /is not well-formed JSON; it may be cut off\./,
  },
}

beforeAll(() => {
  mkdirSync(file('directory.har'))
  for (const [name, { content }] of Object.entries(FAULTS))
    if (content !== undefined) writeFileSync(file(name), content)
})

const COMMANDS = {
  replay: (path: string) => ['replay', good, path, '--', 'true'],
  'cassette show': (path: string) => ['cassette', 'show', path],
  'cassette lint': (path: string) => ['cassette', 'lint', small, path],
  'cassette diff': (path: string) => ['cassette', 'diff', good, path],
  'cassette merge': (path: string) => ['cassette', 'merge', good, path, '--out', file('merged.har')],
  'cassette import': (path: string) => ['cassette', 'import', path, '--out', file('imported.har')],
} as const

describe.each(Object.entries(COMMANDS))('sandgate %s', (name, argv) => {
  it.each(Object.entries(FAULTS))('says what is wrong with %s, and ends with 7', async (bad, fault) => {
    const { code, out, err } = await sandgate(argv(file(bad)))
    expect(code).toBe(7)
    const { message, imported = message } = fault
    // One line says it, and names the file. lint reports it among its findings.
    const lines = (name === 'cassette lint' ? out : err).trimEnd().split('\n')
    const [line = ''] = lines.slice(-1)
    expect(line).toMatch(name === 'cassette import' ? imported : message)
    expect(line).toContain(file(bad))
    expect(`${out}${err}`).not.toMatch(/^\s+at /m)
    if (name === 'cassette lint') expect(err).toBe('2 cassettes: 1 error, 0 warnings\n')
    else expect(line.startsWith(`sandgate ${name}: `)).toBe(true)
    for (const made of ['merged.har', 'imported.har'])
      expect(() => readFileSync(file(made))).toThrow(/ENOENT/)
  })
})

describe('sandgate replay', () => {
  it('of a cassette in which nothing matches fails with each miss, and says that nothing was served', async () => {
    const run = ['--', 'sh', '-c', 'curl -s -o /dev/null "$SANDGATE_URL/v1/unknown"']
    const { code, err } = await sandgate(['replay', file('good.har'), ...run])
    expect(code).toBe(1)
    expect(err).toMatch(/CASSETTE MISS GET \/v1\/unknown/)
    expect(err).toMatch(
      /failed: nothing was served: no request reached the cassette\n.*failed: 1 request missed/s,
    )
  })

  it('of a cassette of hundreds of megabytes works, in a bounded part of the memory', () => {
    const [megabytes, most] = EFFORT === 'soak' ? [200, 500] : [50, 200]
    const path = file('large.har')
    writeLarge(path, megabytes)
    // The command that is run looks at what its parent has used at most.
    const peak = `sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\) kB$/\\1/p' "/proc/$PPID/status"`
    const command = [resolve('dist/cli/main.js'), 'replay', path, '--', 'sh', '-c', peak]
    const { stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' })
    expect(stderr).toContain(`loaded ${megabytes}, `)
    expect(Number(/^(\d+)$/m.exec(stdout)?.[1]) / 1024).toBeLessThan(most)
  })
})

/** A cassette of so many entries of a megabyte. */
function writeLarge(path: string, count: number): void {
  const [head = '', first = ''] = text.split(/(?<="entries": \[)\n {6}/)
  const entry = first.slice(0, first.indexOf('\n      },\n') + '\n      }'.length)
  const padded = entry.replace('"text": "{', `"text": "{\\"padding\\":\\"${'x'.repeat(1_000_000)}\\",`)
  const fd = openSync(path, 'w')
  writeSync(fd, `${head}`)
  for (let n = 1; n <= count; n++)
    writeSync(fd, `${n === 1 ? '' : ','}\n      ${padded.replace('"sequence": 1,', `"sequence": ${n},`)}`)
  writeSync(fd, '\n    ]\n  }\n}\n')
  closeSync(fd)
}

describe('POST /recordings', () => {
  let gateway: Gateway
  const recordings = join(directory, 'recordings')
  beforeAll(async () => {
    mkdirSync(recordings)
    gateway = await startGateway({ runs: 'here', config: { recording: { directory: recordings } } })
  })

  const start = async (body: string) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${gateway.operatorUrl}/recordings`, { method: 'POST', headers, body })
    return { status: response.status, ...((await response.json()) as { detail?: string }) }
  }

  it.each<[string, number, RegExp]>([
    ['{"name":"a"', 400, /JSON/],
    ['{"name":"../a"}', 400, /^Send \{"name": NAME/],
    ['{"name":"a","partner":"nobody"}', 400, /no such partner/],
    ['{"name":"a","file":"b"}', 400, /^Send \{"name": NAME/],
  ])('refuses %s', async (body, status, message) => {
    expect(await start(body)).toEqual({ status, detail: expect.stringMatching(message) })
  })

  it.each<[string, (path: string) => void, RegExp]>([
    ['a directory', (path) => mkdirSync(path), /left\.cassette\.jsonl: is a directory, not a file/],
    ['no journal', (path) => writeFileSync(path, 'hello\n'), /is not a journal of a recording/],
    ['a newer format', (path) => writeFileSync(path, journal('"version":9')), /has format 9/],
  ])('says what stands in the way of the journal: %s', async (what, make, message) => {
    const name = `${what.replaceAll(' ', '-')}-left`
    make(join(recordings, `${name}.cassette.jsonl`))
    expect(await start(JSON.stringify({ name }))).toEqual({
      status: 409,
      detail: expect.stringMatching(message),
    })
    expect((await start(JSON.stringify({ name: `${name}-other` }))).status).toBe(201)
  })

  it('whose HAR cannot be written says so at its end, and the journal stays', async () => {
    expect((await start('{"name":"blocked"}')).status).toBe(201)
    await fetch(`${gateway.url}/v1/unknown`)
    mkdirSync(join(recordings, 'blocked.har'))
    const response = await fetch(`${gateway.operatorUrl}/recordings/blocked`, { method: 'DELETE' })
    expect(response.status).toBe(507)
    expect(await response.json()).toMatchObject({
      detail: expect.stringMatching(/blocked\.har: cannot be written \(EISDIR\)\.$/),
    })
    expect(readFileSync(join(recordings, 'blocked.cassette.jsonl'), 'utf8')).toContain('/v1/unknown')
  })
})

function journal(version: string): string {
  return `{"seq":0,"prev":"","cassette":{${version},"product":"sandgate/9.0.0","t0":0}}\n`
}
