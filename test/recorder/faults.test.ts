import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { scratch } from '../cassettes/recording-fixtures.ts'
import { recordHere, requesting, sandgateRecord } from './command.ts'
import { type Handler, openUpstream, type Upstream } from './upstream.ts'

const root = scratch()
chmodSync(root, 0o755)
let directory = ''
let out = ''
let count = 0
beforeEach(() => {
  directory = join(root, String(++count))
  mkdirSync(directory)
  out = join(directory, 'tests.har')
})

const answering: Handler = (req, res) => {
  req.resume().on('end', () => res.setHeader('Content-Type', 'application/json').end('{"ok":true}'))
}

const LONG = 'x'.repeat(20_000)
const first = join(root, 'first.har')
let shared: Upstream
beforeAll(async () => {
  shared = await openUpstream((req, res) => {
    if (req.url?.startsWith('/long/')) req.resume().on('end', () => res.end(LONG))
    else if (req.url !== '/never') answering(req, res)
  })
  await recordHere(['--upstream', shared.url.origin, '--out', first, '--', ...requesting('/old')])
  return shared.close
})

/** A cassette with one request, which was recorded once, and what the upstream has seen since. */
function recorded() {
  copyFileSync(first, out)
  shared.seen.length = 0
  const options = ['--upstream', shared.url.origin, '--out', out]
  return { ...shared, options, before: readFileSync(out, 'utf8') }
}

/** The old cassette as it was, and beside it only what is named. */
function expectUntouched(before: string, ...beside: string[]) {
  expect(readFileSync(out, 'utf8')).toBe(before)
  expect(readdirSync(directory).sort()).toEqual([basename(out), ...beside].sort())
}

describe('an upstream that does not answer in time', () => {
  it('is given up with 504; what else passed is recorded', async () => {
    const { options } = recorded()
    const ended = await recordHere([
      ...options,
      '--mode',
      'all',
      '--timeout',
      '1',
      '--',
      ...requesting('/a', '!/never', '/b'),
    ])
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n200\n504\n200\n$/) })
    expect(ended.stderr).toContain(
      'sandgate record: POST /…: UPSTREAM_TIMEOUT (UND_ERR_HEADERS_TIMEOUT). It did not answer in time.\n',
    )
    expect(ended.stderr).toContain('recorded 3 exchanges, 1 without a reply')
    expect(loadCassette(out).interactions.map(({ reply }) => reply?.status)).toEqual([200, undefined, 200])
  })

  it('alone makes no recording: 6, and the file stands', async () => {
    const { options, before } = recorded()
    const ended = await recordHere([
      ...options,
      '--mode',
      'all',
      '--timeout',
      '1',
      '--',
      ...requesting('/never'),
    ])
    expect(ended).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('no exchange had a reply of the upstream'),
    })
    expectUntouched(before)
  })
})

/** Permission bits say nothing to root, so root runs the command as somebody else. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const asNobody = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'] : []

describe('a directory without permission to write', () => {
  it('is refused with 6 before anything passes', async () => {
    const { options, before, seen } = recorded()
    chmodSync(directory, 0o555)
    onTestFinished(() => chmodSync(directory, 0o755))
    seen.length = 0
    const ended = await sandgateRecord([...options, '--mode', 'all', '--', ...requesting('/new')], {
      by: asNobody,
    })
    expect(ended).toMatchObject({ code: 6, stdout: '' })
    expect(ended.stderr).toMatch(
      /^sandgate record: \S+tests\.cassette\.lock: cannot be written \(EACCES\)\.\n$/,
    )
    expect(seen).toEqual([])
    expectUntouched(before)
  })

  it('is good enough to replay from', async () => {
    recorded()
    chmodSync(directory, 0o555)
    onTestFinished(() => chmodSync(directory, 0o755))
    const ended = await sandgateRecord(['--out', out, '--', ...requesting('/old')], { by: asNobody })
    expect(ended).toMatchObject({ code: 0 })
  })

  it('from the middle of a recording on keeps the file and what was recorded', async () => {
    const { options, before } = recorded()
    if (isRoot) chownSync(directory, NOBODY, NOBODY)
    onTestFinished(() => chmodSync(directory, 0o755))
    const [node = '', ...script] = requesting('/new')
    const command = ['sh', '-c', `"$0" "$@" && chmod 555 ${directory}`, node, ...script]
    const ended = await sandgateRecord([...options, '--mode', 'all', '--', ...command], { by: asNobody })
    expect(ended).toMatchObject({ code: 6, stdout: expect.stringMatching(/\n200\n$/) })
    expect(ended.stderr).toContain(`sandgate record: ${out}: cannot be written (EACCES).\n`)
    expectUntouched(before, 'tests.cassette.jsonl', 'tests.cassette.lock')
    expect(loadCassette(join(directory, 'tests.cassette.jsonl')).interactions).toHaveLength(1)
  })
})

/** A disk of its own, which is small; undefined where nobody may mount one. */
function smallDisk(bytes: number): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', directory], { stdio: 'ignore' })
  } catch {
    return false
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', directory]))
  return true
}

describe('a disk that fills up', () => {
  const many = Array.from({ length: 20 }, (_, i) => `/long/${i}`)

  function onSmallDisk(bytes: number, skip: () => void) {
    if (!smallDisk(bytes)) skip()
    return recorded()
  }

  const addEpisodes = (options: readonly string[], ...paths: readonly string[]) =>
    recordHere([...options, '--mode', 'new_episodes', '--', ...requesting(...paths)])

  it('while it records: the traffic goes on, the file stands, and the end is 6', async ({ skip }) => {
    const { options, before } = onSmallDisk(160 * 1024, skip)
    const ended = await sandgateRecord([...options, '--mode', 'all', '--', ...requesting(...many)])
    expect(ended).toMatchObject({ code: 6, stdout: expect.stringMatching(/\n(?:200\n){20}$/) })
    expect(ended.stderr).toMatch(/the recording is incomplete: .*\(ENOSPC\)\. The traffic goes on\.\n/)
    expectUntouched(before, 'tests.cassette.incomplete.jsonl')
  })

  it('while it adds to a cassette: likewise', async ({ skip }) => {
    const { options, before } = onSmallDisk(160 * 1024, skip)
    const ended = await addEpisodes(options, '/old', ...many)
    expect(ended).toMatchObject({ code: 6, stdout: expect.stringMatching(/\n(?:200\n){21}$/) })
    expect(ended.stderr).toMatch(/the recording is incomplete: .*\(ENOSPC\)\. The traffic goes on\.\n/)
    expect(ended.stderr).toContain('served 1, live 0, repeated 0, unused 0, missed 0, forwarded 20')
    expectUntouched(before, 'tests.cassette.incomplete.jsonl')
  })

  it('when it finishes: the file stands, and the next recording takes up what there is', async ({ skip }) => {
    const { options, before } = onSmallDisk(160 * 1024, skip)
    // The journal has room, the finished file beside it has not.
    const ended = await addEpisodes(options, '/old', ...many.slice(0, 4))
    expect(ended).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(`${out}: cannot be written (ENOSPC).`),
    })
    expectUntouched(before, 'tests.cassette.jsonl')
    execFileSync('mount', ['-o', 'remount,size=4m', directory])
    const next = await addEpisodes(options, '/old', ...many.slice(0, 5))
    expect(next).toMatchObject({ code: 0, stdout: expect.stringMatching(/^replaying 5 .*\n(?:200\n){6}$/) })
    expect(next.stderr).toContain('recorded 5 exchanges, recovered 8, dropped 0')
    expect(loadCassette(out).interactions).toHaveLength(6)
  })
})

describe('a directory that cannot be made', () => {
  it('is refused with 6', async () => {
    const { options } = recorded()
    writeFileSync(join(directory, 'file'), '')
    const blocked = join(directory, 'file', 'deeper', 'tests.har')
    const ended = await recordHere([...options, '--out', blocked, '--', ...requesting('/a')])
    expect(ended).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringMatching(/its directory cannot be made \(ENOTDIR\)\.\n$/),
    })
    expect(statSync(join(directory, 'file')).isFile()).toBe(true)
    expect(dirname(out)).toBe(directory)
  })
})
