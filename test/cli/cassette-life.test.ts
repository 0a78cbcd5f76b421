import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeHar } from '../../src/cassettes/file/har/write.ts'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import type { CapturedExchange } from '../../src/cassettes/interaction.ts'
import { createSecrets } from '../../src/cassettes/redaction/secrets/secrets.ts'
import { createWriter } from '../../src/cassettes/writer/writer.ts'
import { terminalProgress } from '../../src/cli/progress.ts'
import { exchange, HEADER, scratch, settings } from '../cassettes/recording-fixtures.ts'
import { recordHere, requesting, sandgateRecord } from '../recorder/command.ts'
import { answerEmpty, startUpstream } from '../recorder/upstream.ts'
import { cassetteOf, sandgate } from './cassette-fixtures.ts'

const directory = scratch()
const file = (name: string) => join(directory, name)
const DAY_MS = 86_400_000

function written(name: string, exchanges: readonly CapturedExchange[]): string {
  writeHar(file(name), cassetteOf(exchanges), createSecrets())
  return file(name)
}

const ACCOUNT = 'acc_1VhYx3kQm4Zq9TtB2nR7wLc1d'
const open = exchange({
  operation: 'accounts.open',
  target: '/v1/accounts/open',
  body: { customerRef: 'C-1' },
  status: 201,
  reply: { accountId: ACCOUNT },
})
const read = exchange({
  operation: 'accounts.read',
  method: 'GET',
  target: `/v1/accounts/${ACCOUNT}`,
  startedAt: HEADER.t0 + 1000,
  reply: { accountId: ACCOUNT, customerRef: 'C-1' },
})
const score = exchange({
  operation: 'score.read',
  method: 'GET',
  target: '/v1/score?customerRef=CUS-9',
  startedAt: HEADER.t0 + 2000,
  status: 404,
  reply: { code: 'SCORE_NOT_FOUND' },
})

const unused = (path: string, ...entries: readonly (readonly [number, string, string])[]) => {
  const ledger = file('ledger.json')
  const list = entries.map(([sequence, method, operation]) => ({
    file: path,
    sequence,
    method,
    operation,
    lane: '',
  }))
  writeFileSync(ledger, JSON.stringify({ unused: list }))
  return ledger
}

describe('cassette prune', () => {
  it('takes out what no ledger used, and never what a kept entry depends on', async () => {
    const path = written('prune.har', [open, read, score])
    const ledger = unused(path, [1, 'POST', 'accounts.open'], [3, 'GET', 'score.read'])
    const dry = await sandgate(['cassette', 'prune', path, '--unused', ledger, '--dry-run'])
    expect(dry).toMatchObject({ code: 0, out: `${path}:3: GET score.read\n` })
    expect(loadCassette(path).interactions).toHaveLength(3)
    expect((await sandgate(['cassette', 'prune', path, '--unused', ledger])).code).toBe(0)
    expect(loadCassette(path).interactions.map(({ operation }) => operation)).toEqual([
      'accounts.open',
      'accounts.read',
    ])
  })

  it('takes out what one of two ledgers used no more than the other one', async () => {
    const path = written('both.har', [open, read, score])
    const other = file('other.json')
    writeFileSync(other, readFileSync(unused(path, [1, 'POST', 'accounts.open'])))
    const ledger = unused(path, [3, 'GET', 'score.read'])
    const ended = await sandgate(['cassette', 'prune', path, '--unused', ledger, '--unused', other])
    expect(ended).toMatchObject({ code: 0, out: '' })
    expect(loadCassette(path).interactions).toHaveLength(3)
  })

  it('takes out what is old, refuses a ledger of another recording, and leaves no empty file', async () => {
    const path = written('old.har', [open, { ...score, startedAt: Date.now() }])
    const wrong = unused(path, [1, 'GET', 'score.read'])
    expect(await sandgate(['cassette', 'prune', path, '--unused', wrong])).toMatchObject({ code: 7 })
    expect(await sandgate(['cassette', 'prune', path, '--older-than', 'soon'])).toMatchObject({ code: 2 })
    expect(await sandgate(['cassette', 'prune', path, '--older-than', '1d'])).toMatchObject({ code: 0 })
    expect(loadCassette(path).interactions.map(({ operation }) => operation)).toEqual(['score.read'])
    const all = unused(path, [2, 'GET', 'score.read'])
    const ended = await sandgate(['cassette', 'prune', path, '--unused', all])
    expect(ended.err).toContain('nothing would be left')
    expect(loadCassette(path).interactions).toHaveLength(1)
  })
})

describe('cassette show', () => {
  it('shows what is asked for, also as JSON', async () => {
    const path = written('show.har', [open, read, { ...score, lane: 'b' }])
    const entries = async (...args: string[]) =>
      JSON.parse((await sandgate(['cassette', 'show', path, '--json', ...args])).out).map(
        ({ entry }: { entry: number }) => entry,
      )
    expect(await entries()).toEqual([1, 2, 3])
    expect(await entries('--operation', 'accounts.open')).toEqual([1])
    expect(await entries('--status', '4xx')).toEqual([3])
    expect(await entries('--status', '200')).toEqual([2])
    expect(await entries('--lane', 'b')).toEqual([3])
    expect(await entries('--status', 'none')).toEqual([])
    expect((await sandgate(['cassette', 'show', path, '--status', 'bad'])).code).toBe(2)
    const full = JSON.parse((await sandgate(['cassette', 'show', path, '--json', '--entry', '1'])).out)
    expect(full).toMatchObject([{ request: { body: '{"customerRef":"C-1"}' } }])
  })
})

describe('an old cassette', () => {
  it('is said to be old by replay, and fails with --fail-old', async () => {
    const path = written('age.har', [open])
    const replay = (...args: string[]) => sandgate(['replay', path, ...args, '--', 'true'])
    const old = /age\.har is old: an entry was recorded \d+ days ago, and --max-age is 1 day; record it again/
    expect((await replay('--max-age', '1d')).err).toMatch(old)
    expect((await replay('--max-age', '90y')).err).not.toContain('is old')
    expect((await replay('--max-age', 'x')).code).toBe(2)
    expect((await replay('--fail-old')).code).toBe(2)
  })
})

describe('progress', () => {
  it('is a line on a terminal after a second, and is taken away', () => {
    let now = 0
    let text = ''
    const stream = (isTTY: boolean) => ({
      isTTY,
      write: (more: string) => {
        text += more
      },
    })
    const quick = terminalProgress(stream(true), () => now)
    quick.at('early')
    quick.done()
    expect(text).toBe('')
    const progress = terminalProgress(stream(true), () => now)
    now = 1500
    progress.at('half')
    progress.at('too soon')
    progress.done()
    expect(text).toBe('\r\u001b[Khalf\r\u001b[K')
    text = ''
    const piped = terminalProgress(stream(false), () => now)
    now += DAY_MS
    piped.at('x')
    piped.done()
    expect(text).toBe('')
  })
})

describe('sandgate record --mode all', () => {
  it('leaves the old cassette when the command fails, with the new one beside it', async () => {
    const { url } = await startUpstream(answerEmpty)
    const out = file('all.har')
    const record = (run: typeof recordHere, child: readonly string[]) =>
      run(['--upstream', url.origin, '--out', out, '--mode', 'all', '--', ...child])
    const failing = [...requesting('/v1/score?customerRef=CUS-1')]
    failing[2] = `${failing[2]}\nexit 3`
    // Where there is none, it is written in its place.
    expect((await record(recordHere, failing)).code).toBe(3)
    const before = readFileSync(out, 'utf8')
    const ended = await record(sandgateRecord, failing)
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining('all.partial.har') })
    expect(ended.stderr).toContain(`the command failed, so ${out} stands as it was`)
    expect(readFileSync(out, 'utf8')).toBe(before)
    expect(loadCassette(file('all.partial.har')).interactions).toHaveLength(1)
    expect((await record(recordHere, requesting('/v1/score?customerRef=CUS-2'))).code).toBe(0)
    expect(readFileSync(out, 'utf8')).not.toBe(before)
  })

  it('is not gone on with by another mode after it was killed', async () => {
    const out = file('killed.har')
    const writer = await createWriter(settings(out, { replaces: true }))
    writer.record(open)
    await writer.flush()
    await writer.close()
    const next = await createWriter(settings(out))
    expect(next.setAside).toBe(file('killed.cassette.replaced.jsonl'))
    next.record(score)
    await next.finish()
    expect(loadCassette(out).interactions).toHaveLength(1)
    expect(readdirSync(directory).filter((name) => name.startsWith('killed'))).toEqual([
      'killed.cassette.replaced.jsonl',
      'killed.har',
    ])
  })

  it('follows a symbolic link', async () => {
    const real = written('real.har', [open])
    symlinkSync('real.har', file('link.har'))
    symlinkSync('later.har', file('dangling.har'))
    writeHar(file('link.har'), cassetteOf([score]), createSecrets())
    writeHar(file('dangling.har'), cassetteOf([score]), createSecrets())
    expect(lstatSync(file('link.har')).isSymbolicLink()).toBe(true)
    expect(loadCassette(real).interactions[0]?.operation).toBe('score.read')
    expect(existsSync(file('later.har'))).toBe(true)
    // One that leads to another, and into a directory that is not there yet.
    symlinkSync('second.har', file('first.har'))
    symlinkSync('new/third.har', file('second.har'))
    const writer = await createWriter(settings(file('first.har')))
    writer.record(score)
    await writer.finish()
    expect(loadCassette(file('new/third.har')).interactions).toHaveLength(1)
    expect(lstatSync(file('second.har')).isSymbolicLink()).toBe(true)
  })

  it('is refused before a recording begins where it could not be written at its end', async () => {
    symlinkSync('b.har', file('a.har'))
    symlinkSync('a.har', file('b.har'))
    await expect(createWriter(settings(file('a.har')))).rejects.toThrow(/ELOOP/)
    mkdirSync(file('folder.har'))
    await expect(createWriter(settings(file('folder.har')))).rejects.toThrow('is a directory')
    // What is written beside it until it is whole has a name that is not too long either.
    const longest = file(`${'n'.repeat(215)}.har`)
    writeHar(longest, cassetteOf([score]), createSecrets())
    writeHar(file(`${'n'.repeat(240)}.har`), cassetteOf([score]), createSecrets())
    expect(existsSync(longest)).toBe(true)
  })

  it('stands as it was when nothing has passed', async () => {
    const path = written('empty.har', [score])
    const writer = await createWriter(settings(path))
    expect(await writer.finish()).toMatchObject({ path, interactions: 0 })
    expect(loadCassette(path).interactions).toHaveLength(1)
    expect(readdirSync(directory).filter((name) => name.startsWith('empty'))).toEqual(['empty.har'])
  })

  it('is written by one at a time', async () => {
    const path = written('busy.har', [score, { ...open, startedAt: Date.now() }])
    const writer = await createWriter(settings(path))
    const before = readFileSync(path, 'utf8')
    const merge = ['merge', path, path, '--out', path, '--force']
    for (const argv of [['prune', path, '--older-than', '1d'], merge]) {
      const ended = await sandgate(['cassette', ...argv])
      expect(ended).toMatchObject({ code: 7, err: expect.stringContaining('is recording this cassette') })
    }
    expect(readFileSync(path, 'utf8')).toBe(before)
    writer.record(score)
    writer.record({ ...open, startedAt: Date.now() })
    await writer.flush()
    await writer.close()
    // A journal is what a recorder goes on with.
    const journal = file('busy.cassette.jsonl')
    const ended = await sandgate(['cassette', 'prune', journal, '--older-than', '1d'])
    expect(ended).toMatchObject({ code: 7, err: expect.stringContaining('not finished') })
    expect(loadCassette(journal).interactions).toHaveLength(2)
  })
})
