import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeHar } from '../../src/cassettes/file/har/write.ts'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import type { CapturedExchange } from '../../src/cassettes/interaction.ts'
import { createSecrets } from '../../src/cassettes/redaction/secrets/secrets.ts'
import { exchange, HEADER, scratch } from '../cassettes/recording-fixtures.ts'
import { cassetteOf, sandgate } from './cassette-fixtures.ts'

const directory = scratch()
const file = (name: string) => join(directory, name)

function written(name: string, exchanges: readonly CapturedExchange[]): string {
  writeHar(file(name), cassetteOf(exchanges), createSecrets())
  return file(name)
}

const open = (n: number, more: object = {}) =>
  exchange({
    operation: 'accounts.open',
    target: '/v1/accounts/open',
    startedAt: HEADER.t0 + n,
    body: { customerRef: `C-${n}`, phone: `+22507123456${n}` },
    status: 201,
    reply: { accountId: `acc_${n}VhYx3kQm4Zq9TtB2nR7wLc1d`, ...more },
  })

const one = written('one.har', [open(1)])
const two = written('two.har', [open(2, { amount: '10.00' })])

describe('cassette show', () => {
  it('lists the entries, and shows one in full', async () => {
    expect(await sandgate(['cassette', 'show', one])).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/1 interactions[\s\S]*#1 09:30:00\.001 POST \/v1\/accounts\/open 201/),
    })
    const { out } = await sandgate(['cassette', 'show', one, '--entry', '1'])
    expect(out).toContain('{\n  "customerRef": "C-1",')
    expect(out).not.toContain('\u001b')
  })

  it('has colors when they are asked for', async () => {
    expect((await sandgate(['cassette', 'show', '--color', one])).out).toContain('\u001b[32m201')
  })

  it.each([
    ['nowhere.har', 7, /nowhere\.har: does not exist\.\n$/],
    ['empty.har', 7, /empty\.har: is empty\.\n$/],
    ['half.har', 7, /half\.har:\d+: is not well-formed JSON; it may be cut off\.\n$/],
    [
      'foreign.har',
      7,
      /is a HAR of another program\. Make a cassette of it with `sandgate cassette import`\.\n$/,
    ],
  ])('says of %s what is wrong', async (name, code, message) => {
    writeFileSync(file('empty.har'), '')
    writeFileSync(file('half.har'), readFileSync(one, 'utf8').slice(0, 900))
    writeFileSync(file('foreign.har'), '{"log":{"version":"1.2","creator":{},"entries":[]}}')
    const ended = await sandgate(['cassette', 'show', file(name)])
    expect(ended).toEqual({ code, out: '', err: expect.stringMatching(message) })
    expect(ended.err).toMatch(/^sandgate cassette show: /)
  })

  it('knows its entries', async () => {
    for (const entry of ['2', 'x', '0', '1.5'])
      expect(await sandgate(['cassette', 'show', one, '--entry', entry])).toEqual({
        code: 2,
        out: '',
        err: `sandgate cassette show: there is no entry ${entry}; ${one} has 1\n`,
      })
  })
})

describe('cassette lint', () => {
  it('is content with recordings', async () => {
    expect(await sandgate(['cassette', 'lint', one, two])).toEqual({
      code: 0,
      out: '',
      err: '2 cassettes: 0 errors, 0 warnings\n',
    })
  })

  it('ends with 7 and a line for each finding, with file and entry, without repeating what it found', async () => {
    const bad = file('bad.har')
    const key = 'sk_sandbox_0VhYx3kQm4Zq9TtB2nR7wLc1dAbCd'
    writeFileSync(
      bad,
      readFileSync(one, 'utf8').replace(
        '\\"C-1\\"',
        `\\"C-1\\",\\"lastName\\":\\"Koné\\",\\"note\\":\\"${key}\\"`,
      ),
    )
    const { code, out } = await sandgate(['cassette', 'lint', one, bad])
    expect(code).toBe(7)
    expect(out).toContain(`${bad}:1: error: secret: holds a secret (`)
    expect(out).toContain(
      `${bad}:1: error: personal: holds a personal value (lastName) at request-body /lastName\n`,
    )
    expect(out).toContain(`${bad}: warning: edited: was edited after it had been recorded\n`)
    expect(out).not.toMatch(/Koné|sk_sandbox_0/)
  })

  it('finds the secret of the environment', async () => {
    const leaked = written('leaked.har', [open(3, { note: 'correct horse battery' })])
    const argv = ['cassette', 'lint', leaked]
    expect((await sandgate(argv)).code).toBe(0)
    expect((await sandgate(argv, { SANDGATE_CLIENT_SECRET: 'correct horse battery' })).code).toBe(7)
  })

  it('lets warnings pass, unless told to be strict', async () => {
    const edited = file('edited.har')
    writeFileSync(edited, readFileSync(two, 'utf8').replace('10.00', '11.00'))
    expect((await sandgate(['cassette', 'lint', edited])).code).toBe(0)
    expect((await sandgate(['cassette', 'lint', edited, '--strict'])).code).toBe(7)
  })

  it('reports a missing file beside the others', async () => {
    const { code, out } = await sandgate(['cassette', 'lint', file('gone.har'), one])
    expect({ code, out }).toEqual({
      code: 7,
      out: `${file('gone.har')}: error: structure: missing: does not exist.\n`,
    })
  })
})

describe('cassette diff', () => {
  it('ends with 0 when both say the same, up to the values that differ in every run', async () => {
    expect(await sandgate(['cassette', 'diff', one, written('again.har', [open(4)])])).toEqual({
      code: 0,
      out: 'The cassettes say the same.\n',
      err: '',
    })
  })

  it('ends with 1 and the differences when they do not', async () => {
    expect(await sandgate(['cassette', 'diff', one, two])).toMatchObject({
      code: 1,
      out: '~ #1 POST /v1/accounts/open\n    reply-body /amount: added 10.00\n',
    })
  })

  it('needs two that can be read', async () => {
    expect((await sandgate(['cassette', 'diff', one])).code).toBe(2)
    expect((await sandgate(['cassette', 'diff', one, file('gone.har')])).code).toBe(7)
  })
})

describe('cassette merge', () => {
  it('writes one cassette, and none over another one unless it is told to', async () => {
    const out = file('merged.har')
    const argv = ['cassette', 'merge', one, two, '--out', out]
    expect(await sandgate(argv)).toEqual({ code: 0, out: '', err: `${out}: 2 interactions of 2 cassettes\n` })
    const before = readFileSync(out, 'utf8')
    expect(await sandgate(argv)).toEqual({
      code: 2,
      out: '',
      err: `sandgate cassette merge: ${out} exists; --force replaces it\n`,
    })
    expect((await sandgate([...argv, '--force'])).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(before)
    expect((await sandgate(['cassette', 'lint', out])).code).toBe(0)
  })

  it('leaves the old file when something is wrong with what it is given', async () => {
    const out = written('kept.har', [open(5)])
    const before = readFileSync(out, 'utf8')
    const { code } = await sandgate(['cassette', 'merge', one, file('gone.har'), '--out', out, '--force'])
    expect(code).toBe(7)
    expect(readFileSync(out, 'utf8')).toBe(before)
  })

  it.each([
    [['merge', one, '--out', file('x.har')], /name two cassettes or more/],
    [['merge', one, two], /name the new cassette with --out FILE/],
    [['merge', one, two, '--out', file('x.json')], /a finished cassette is a HAR/],
  ])('%# says what is missing', async (argv, message) => {
    expect(await sandgate(['cassette', ...argv])).toMatchObject({
      code: 2,
      err: expect.stringMatching(message),
    })
  })
})

describe('cassette import', () => {
  const entry = (url: string, more: object = {}) => ({
    startedDateTime: '2026-01-15T09:30:00.000Z',
    time: 3,
    request: {
      method: 'POST',
      url,
      httpVersion: 'HTTP/2',
      headers: [{ name: 'authorization', value: 'Bearer abc.def.ghi' }],
      postData: { mimeType: 'application/json', text: '{"phone":"+2250712345678"}' },
    },
    response: {
      status: 201,
      headers: [{ name: 'content-type', value: 'application/json' }],
      content: { size: 0, mimeType: 'application/json', text: '{"accountId":"acc_x"}' },
    },
    ...more,
  })
  const har = (entries: readonly object[]) => {
    writeFileSync(file('browser.har'), JSON.stringify({ log: { version: '1.2', creator: {}, entries } }))
    return file('browser.har')
  }

  it('makes a clean cassette of a HAR, and says what it left out', async () => {
    const from = har([entry('https://app.example/main.js'), entry('https://api.example/v1/accounts/open')])
    const out = file('imported.har')
    const ended = await sandgate(['cassette', 'import', from, '--out', out])
    expect(ended).toEqual({
      code: 0,
      out: '',
      err: `left out: 1 (entry 1) is no request of the interface\n${out}: 1 interactions with https://api.example\n`,
    })
    expect(readFileSync(out, 'utf8')).not.toMatch(/0712345678|abc\.def/)
    expect(loadCassette(out).interactions).toHaveLength(1)
    expect((await sandgate(['cassette', 'lint', out])).code).toBe(0)
    expect((await sandgate(['cassette', 'import', from, '--out', out])).code).toBe(2)
    expect((await sandgate(['cassette', 'import', out, '--out', file('y.har')])).err).toMatch(
      /is a cassette already/,
    )
  })

  it('writes nothing when there is nothing of the interface in it', async () => {
    const out = file('nothing.har')
    const { code, err } = await sandgate([
      'cassette',
      'import',
      har([entry('https://x.example/')]),
      '--out',
      out,
    ])
    expect(code).toBe(7)
    expect(err).toMatch(/holds no exchange of the interface; nothing was written/)
    expect(() => readFileSync(out)).toThrow(/ENOENT/)
  })

  it('takes an origin, not a path', async () => {
    const argv = ['cassette', 'import', one, '--out', file('z.har'), '--origin', 'https://api.example/v1']
    expect(await sandgate(argv)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/scheme, host and port/),
    })
  })
})

it.each(['show', 'lint', 'diff', 'merge', 'import', 'verify'])(
  'cassette %s has help with an example',
  async (name) => {
    expect(await sandgate(['cassette', name, '--help'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(new RegExp(`Example:\\n  sandgate cassette ${name} `)),
    })
  },
)
