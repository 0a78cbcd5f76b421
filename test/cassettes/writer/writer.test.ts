import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadCassette } from '../../../src/cassettes/file/load.ts'
import { acquireLock } from '../../../src/cassettes/file/lock.ts'
import type { CapturedExchange } from '../../../src/cassettes/interaction.ts'
import { createWriter, type RecordingStatus } from '../../../src/cassettes/writer/writer.ts'
import { EFFORT, runs } from '../../support/effort.ts'
import { bodyText, exchange, HEADER, scratch, settings } from '../recording-fixtures.ts'

const directory = scratch()
let count = 0
const fresh = () => join(directory, `tape-${++count}.har`)
const journalOf = (path: string) => path.replace('.har', '.cassette.jsonl')

const open = exchange({
  operation: 'accounts.open',
  body: { phone: '+2250712345678', customerRef: 'C-1' },
  reply: { accountId: 'acc_0VhYx3kQm4Zq9TtB2nR7wLc1d', phone: '+2250712345678' },
})

describe('a recording', () => {
  it('is a journal while it lasts and a HAR when it is finished', async () => {
    const path = fresh()
    const writer = await createWriter(settings(path))
    writer.record(open)
    await writer.flush()
    expect(writer.status()).toMatchObject({ state: 'recording', exchanges: 1, written: 1, queuedBytes: 0 })
    expect(loadCassette(journalOf(path)).interactions).toHaveLength(1)
    expect(existsSync(path)).toBe(false)
    expect(await writer.finish()).toEqual({ path, interactions: 1, kept: 0 })
    const { interactions } = loadCassette(path)
    expect(bodyText(interactions[0]?.request)).toBe('{"phone":"+99900000001","customerRef":"C-1"}')
    expect(interactions[0]?.bindings.map(({ type, madeBy }) => `${type} ${madeBy}`).sort()).toEqual([
      'accountId server',
      'customerRef client',
      'phone client',
    ])
    expect(readdirSync(directory).filter((file) => file.startsWith(`tape-${count}`))).toEqual([
      `tape-${count}.har`,
    ])
  })

  it('keeps the order of what overlaps, and what never ended', async () => {
    const path = fresh()
    const writer = await createWriter(settings(path))
    const [a, b, c] = [writer.open(open), writer.open(open), writer.open(open)]
    writer.end(b, open)
    writer.end(a, { durationMs: 3, origin: 'upstream', reply: undefined })
    await writer.finish()
    const found = loadCassette(path).interactions.map(({ ended, reply }) => [ended, reply?.status])
    expect([found, c]).toEqual([
      [
        [undefined, undefined],
        [1, 200],
        [undefined, undefined],
      ],
      3,
    ])
  })

  it('that is made again is the same file', async () => {
    const paths = [fresh(), fresh()]
    for (const path of paths) {
      const writer = await createWriter(settings(path))
      for (let i = 0; i < 20; i++) writer.record({ ...open, startedAt: HEADER.t0 + i })
      await writer.finish()
    }
    expect(readFileSync(paths[0] ?? '', 'utf8')).toBe(readFileSync(paths[1] ?? '', 'utf8'))
  })

  it('has one recorder', async () => {
    const path = fresh()
    const writer = await createWriter(settings(path))
    await expect(createWriter(settings(path))).rejects.toMatchObject({ reason: 'busy' })
    await writer.close()
    await (await createWriter(settings(path))).close()
  })

  it('of a dead process is not in the way, of a living one on another machine it is', () => {
    const lock = join(directory, 'x.cassette.lock')
    const dead = Number(execFileSync(process.execPath, ['-p', 'process.pid']))
    writeFileSync(lock, JSON.stringify({ pid: dead, host: hostname(), token: 'a' }))
    acquireLock(lock)()
    expect(existsSync(lock)).toBe(false)
    writeFileSync(lock, JSON.stringify({ pid: dead, host: 'elsewhere', mark: 'a' }))
    expect(() => acquireLock(lock)).toThrow(/process \d+ on elsewhere is recording/)
    writeFileSync(
      lock,
      JSON.stringify({
        pid: process.pid,
        host: hostname(),
        started: '1',
        token: 'a',
      }),
    )
    acquireLock(lock)()
  })

  it('is resumed after a crash, refused or discarded as the caller says', async () => {
    const path = fresh()
    const first = await createWriter(settings(path))
    first.record(open)
    await first.close()
    const torn = '{"seq":3,"prev":"x","op'
    writeFileSync(journalOf(path), torn, { flag: 'a' })
    await expect(createWriter(settings(path, { leftover: 'refuse' }))).rejects.toMatchObject({
      reason: 'unfinished',
    })
    const second = await createWriter(settings(path))
    second.record(exchange({ body: { phone: '+2250700000042' } }))
    expect(await second.finish()).toEqual({
      path,
      interactions: 2,
      kept: 0,
      recovered: { recovered: 2, dropped: 1 },
    })
    // The stand-ins of the first part are not given out again.
    expect(loadCassette(path).interactions.map(({ request }) => JSON.parse(bodyText(request)).phone)).toEqual(
      ['+99900000001', '+99900000002'],
    )
  })

  it('starts anew where a recorder ended before it had written anything', async () => {
    const path = fresh()
    for (const leftover of ['', '{"seq":0,"pre']) {
      writeFileSync(journalOf(path), leftover)
      const writer = await createWriter(settings(path))
      writer.record(open)
      expect(await writer.finish()).toEqual({ path, interactions: 1, kept: 0 })
    }
  })

  it('can be added to a finished cassette', async () => {
    const path = fresh()
    for (const existing of ['replace', 'append', 'append'] as const) {
      const writer = await createWriter(settings(path, { existing }))
      writer.record(
        exchange({
          body: { phone: `+22507000000${count}${existing.length}` },
          headers: [['Authorization', `Bearer t-${existing}`]],
        }),
      )
      await writer.finish()
    }
    const { interactions } = loadCassette(path)
    expect(interactions.map(({ sequence, ended }) => [sequence, ended])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
    expect(interactions.map(({ request }) => bodyText(request))).toEqual([
      '{"phone":"+99900000001"}',
      '{"phone":"+99900000002"}',
      '{"phone":"+99900000003"}',
    ])
  })
})

describe('a recording that cannot be whole', () => {
  it('says so when the recorder cannot keep up, keeps the old file and is never resumed', async () => {
    const path = fresh()
    writeFileSync(path, 'old')
    const said: RecordingStatus[] = []
    const writer = await createWriter(
      settings(path, { maxQueuedBytes: 10_000, onBad: (status) => said.push(status) }),
    )
    for (let i = 0; i < 100; i++) writer.record(open)
    expect(said).toMatchObject([{ state: 'bad', fault: { reason: 'incomplete-recording' } }])
    await writer.flush()
    await expect(writer.finish()).rejects.toMatchObject({ reason: 'incomplete-recording' })
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(existsSync(journalOf(path))).toBe(false)
    expect(readdirSync(directory)).toContain(`tape-${count}.cassette.incomplete.jsonl`)
    await (await createWriter(settings(path))).close()
  })

  it('says so when the disk is full', async () => {
    const path = fresh()
    let bad: (status: RecordingStatus) => void = () => {}
    const said = new Promise<RecordingStatus>((resolve) => {
      bad = resolve
    })
    const writer = await createWriter(settings(path, { onBad: (status) => bad(status) }))
    // Every write to it fails with ENOSPC, as on a full disk.
    const journal = journalOf(path)
    const fd = readdirSync('/proc/self/fd').find((entry) => linkOf(entry) === journal)
    expect(fd).toBeDefined()
    execFileSync('true')
    const { openSync, closeSync } = await import('node:fs')
    closeSync(Number(fd))
    const full = openSync('/dev/full', 'w')
    expect(full).toBe(Number(fd))
    writer.record(open)
    expect(await said).toMatchObject({ state: 'bad', written: 0, fault: { reason: 'unwritable' } })
    await expect(writer.finish()).rejects.toMatchObject({ reason: 'unwritable' })
    expect(existsSync(path)).toBe(false)
  })

  it('is refused in a directory that cannot be written', async () => {
    if (process.getuid?.() === 0) return
    chmodSync(directory, 0o500)
    try {
      await expect(createWriter(settings(fresh()))).rejects.toMatchObject({ reason: 'unwritable' })
    } finally {
      chmodSync(directory, 0o700)
    }
  })

  it('goes into quarantine when a secret is found at the end that cannot be taken out', async () => {
    const path = fresh()
    writeFileSync(path, 'old')
    const writer = await createWriter(settings(path))
    writer.record(exchange({ reply: { note: 'nothing' } }))
    await writer.flush()
    // It stands in the head of the file, which is none of the exchanges.
    writer.learn('sandbox.example.com')
    const finishing = writer.finish()
    await expect(finishing).rejects.toMatchObject({ reason: 'secret-found' })
    await expect(finishing).rejects.not.toThrow(/sandbox.example/)
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(existsSync(journalOf(path))).toBe(false)
    const aside = path.replace('.har', '.cassette.quarantine.jsonl')
    expect(statSync(aside).mode & 0o777).toBe(0o600)
  })

  it('loses what it had shown before it was known to be a secret, at once', async () => {
    const path = fresh()
    const writer = await createWriter(settings(path))
    writer.record(exchange({ reply: { note: 'it is 0paque-and-late' } }))
    await writer.flush()
    expect(readFileSync(journalOf(path), 'utf8')).toContain('0paque-and-late')
    writer.record(exchange({ headers: [['Authorization', 'Bearer 0paque-and-late']] }))
    await writer.flush()
    expect(readFileSync(journalOf(path), 'utf8')).not.toContain('0paque-and-late')
    expect(loadCassette(journalOf(path)).interactions).toHaveLength(2)
    await writer.finish()
    expect(bodyText(loadCassette(path).interactions[0]?.reply)).toBe('{"note":"it is redacted-token-1"}')
  })

  it('is set aside when its thread dies, and the lock is gone', async () => {
    const path = fresh()
    const faults: (string | undefined)[] = []
    const writer = await createWriter(
      settings(path, { threadMegabytes: 24, onBad: ({ fault }) => faults.push(fault?.reason) }),
    )
    writer.record(open)
    await writer.flush()
    // More than its heap takes.
    const reply = Buffer.from(`[${'{"note":"x"},'.repeat(200_000)}1]`)
    for (let i = 0; i < 6; i++) writer.record(exchange({ reply }))
    await expect(writer.finish()).rejects.toMatchObject({ reason: 'incomplete-recording' })
    expect(faults).toEqual(['incomplete-recording'])
    expect(writer.status().state).toBe('finished')
    const left = readdirSync(directory).filter((file) => file.startsWith(`tape-${count}.`))
    expect(left).toEqual([`tape-${count}.cassette.incomplete.jsonl`])
  })
})

describe('recordings of one process', () => {
  const LATE = '0paque-of-another'
  /** What each would show of another one, if its thread had kept anything. */
  const KINDS: readonly (readonly CapturedExchange[])[] = [
    [exchange({ headers: [['Authorization', `Bearer ${LATE}`]] })],
    [exchange({ reply: { note: `it is ${LATE}` } })],
    [open, exchange({ body: { phone: '+2250102030405' } })],
    [exchange({ body: { phone: '+2250505060708' }, reply: { note: '+2250712345678' } })],
    [],
  ]
  const threads = () => new Set(readdirSync('/proc/self/task'))

  async function recorded(kind: number, end: 'finish' | 'close' | 'fail', beside: boolean): Promise<string> {
    const path = fresh()
    const other = beside ? await createWriter(settings(fresh())) : undefined
    const writer = await createWriter(settings(path))
    for (const each of KINDS[kind] ?? []) writer.record(each)
    await writer.flush()
    const journal = readFileSync(journalOf(path), 'utf8')
    if (end === 'fail') {
      writer.markBad('for a test')
      await expect(writer.finish()).rejects.toThrow('for a test')
    } else await writer[end]()
    await other?.close()
    return end === 'finish' ? journal + readFileSync(path, 'utf8') : journal
  }

  it('know nothing of each other, in any order, beside each other, however they end', async () => {
    const ends = fc.constantFrom<'finish' | 'close' | 'fail'>('finish', 'close', 'fail')
    const each = fc.tuple(fc.nat(KINDS.length - 1), ends, fc.boolean())
    /** A thread that has seen a secret and a person, and then what holds them. */
    const inOrder = [0, 0, 1, 2, 3, 4].map((kind): [number, 'finish', boolean] => [kind, 'finish', false])
    const known = new Map<string, string>()
    await fc.assert(
      fc.asyncProperty(fc.array(each, { minLength: 4, maxLength: 12, size: 'max' }), async (all) => {
        for (const [kind, end, beside] of all) {
          const text = await recorded(kind, end, beside)
          const name = `${kind} ${end === 'finish'}`
          expect(text).toBe(known.get(name) ?? text)
          known.set(name, text)
          expect(text.includes(LATE)).toBe(kind === 1)
          expect(text).not.toMatch(/\+225\d{8}/)
        }
      }),
      { numRuns: EFFORT === 'soak' ? runs(30) : runs(10), endOnFailure: true, examples: [[inOrder]] },
    )
  })

  it('share a thread when they come one after the other', async () => {
    const before = threads()
    const seen = new Set<string>()
    for (let i = 0; i < 6; i++) {
      const writer = await createWriter(settings(fresh()))
      for (const id of threads()) if (!before.has(id)) seen.add(id)
      await writer.finish()
    }
    // The first one of a process ends with its recording.
    expect(seen.size).toBeLessThanOrEqual(2)
  })

  it('hold up no program that has ended with them', async () => {
    const script = `import { record } from '${pathToFileURL('dist/library/sandgate.mjs')}'
for (const name of ['a', 'b', 'c', 'd']) {
  const recording = await record({ upstream: 'http://127.0.0.1:9', out: '${directory}/end-' + name + '.har', mode: 'all' })
  await recording.finish()
}
console.log(performance.now())`
    const started = Date.now()
    const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    expect(Number(told)).toBeGreaterThan(0)
    expect(Date.now() - started - Number(told)).toBeLessThan(8000)
  })
})

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}
