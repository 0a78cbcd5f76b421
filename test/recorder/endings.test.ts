import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { writeHar } from '../../src/cassettes/file/har/write.ts'
import { loadCassette } from '../../src/cassettes/file/load.ts'
import { createSecrets } from '../../src/cassettes/redaction/secrets/secrets.ts'
import { exchange, scratch } from '../cassettes/recording-fixtures.ts'
import { cassetteOf } from '../cli/cassette-fixtures.ts'
import { COMMAND, environmentOfADesk } from '../support/command.ts'
import { recordHere, requesting, sandgateRecord } from './command.ts'
import { answerEmpty, startUpstream } from './upstream.ts'

const root = scratch()
let out = ''
let count = 0
beforeEach(() => {
  out = join(root, `${++count}.har`)
})
const left = () =>
  readdirSync(dirname(out))
    .filter((name) => name.startsWith(basename(out, '.har')))
    .map((name) => name.slice(basename(out, '.har').length))
    .sort()

describe('a recorder whose thread ends', () => {
  const PRELOAD = pathToFileURL(join(import.meta.dirname, 'ending-thread.mjs')).href

  it.each(['exit', 'throw', 'memory'])(
    'by %s ends with 6: the traffic is unhurt, the lock gone and the journal set aside',
    async (way) => {
      const { url, seen } = await startUpstream(answerEmpty)
      const log = join(root, `${count}.log`)
      const env = {
        ...{ NODE_OPTIONS: `--import ${PRELOAD} --max-old-space-size=64` },
        ...{ THREAD_ENDS: way, THREAD_LOG: log },
      }
      const paths = Array.from({ length: 6 }, (_, i) => `/v1/score?customerRef=CUS-${i}`)
      const ended = await sandgateRecord(
        ['--upstream', url.origin, '--out', out, '--', ...requesting(...paths)],
        { env },
      )
      expect(readFileSync(log, 'utf8')).toBe('ended\n')
      expect(ended.code).toBe(6)
      expect(ended.stdout.match(/^200$/gm)).toHaveLength(6)
      expect(seen).toHaveLength(6)
      expect(ended.stderr).toContain('the recording is incomplete: the recorder ended unexpectedly.')
      expect(left()).toEqual(['.cassette.incomplete.jsonl', '.log'])
      const journal = loadCassette(out.replace('.har', '.cassette.incomplete.jsonl'))
      expect(journal.interactions.length).toBeGreaterThan(0)
      // Nobody is in the way of the next one.
      const next = await recordHere(['--upstream', url.origin, '--out', out, '--', ...requesting('/v1/x')])
      expect(next.code).toBe(0)
      expect(loadCassette(out).interactions).toHaveLength(1)
    },
  )
})

describe('Ctrl-C with --mode all', () => {
  /** A command that asks once, says so, and waits for its end; the signal goes to the group, as a terminal sends it. */
  async function interrupted(command: string) {
    const { url } = await startUpstream(answerEmpty)
    const said = join(root, `${count}.said`)
    const script = `curl -gsS -o /dev/null "$SANDGATE_URL/v1/x"; ${command.replace('SAID', `echo asked > ${said}`)}`
    const child = spawn(
      process.execPath,
      [COMMAND, 'record', '--upstream', url.origin, '--out', out, '--mode', 'all', '--', 'sh', '-c', script],
      { env: environmentOfADesk(), stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    )
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk)
    })
    await expect.poll(() => existsSync(said)).toBe(true)
    process.kill(-(child.pid ?? 0), 'SIGINT')
    const [code] = await once(child, 'close')
    return { code, stderr }
  }
  const written = () => {
    writeHar(out, cassetteOf([exchange({ reply: { good: true } })]), createSecrets())
    return readFileSync(out, 'utf8')
  }

  it.each([
    ['that is ended by it', 'SAID; exec sleep 60', 130],
    ['that makes a good end', `sleep 60 & trap "kill $!; exit 0" INT; SAID; wait`, 0],
  ])('leaves the old cassette to a command %s', async (_, command, code) => {
    const before = written()
    const ended = await interrupted(command)
    expect(ended.code).toBe(code)
    expect(ended.stderr).toContain(`the command was interrupted, so ${out} stands as it was`)
    expect(readFileSync(out, 'utf8')).toBe(before)
    expect(loadCassette(out.replace('.har', '.partial.har')).interactions).toHaveLength(1)
    expect(left()).toEqual(['.har', '.partial.har', '.said'])
  })

  it('is written in its place where there is none', async () => {
    expect((await interrupted('SAID; exec sleep 60')).code).toBe(130)
    expect(loadCassette(out).interactions).toHaveLength(1)
    expect(left()).toEqual(['.har', '.said'])
  })

  it('that comes while nothing has passed writes nothing', async () => {
    const before = written()
    const { url } = await startUpstream(answerEmpty)
    const args = ['--upstream', url.origin, '--out', out, '--mode', 'all', '--', 'sh', '-c', 'kill -INT $$']
    expect((await recordHere(args)).code).toBe(130)
    expect(readFileSync(out, 'utf8')).toBe(before)
    expect(left()).toEqual(['.har'])
  })
})
