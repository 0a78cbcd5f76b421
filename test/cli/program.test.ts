import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** The program as it is installed; `npm test` builds it first. */
const program = resolve('dist/cli/main.js')

it('the program can be executed, and says the version of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(execFileSync(program, ['--version'], { encoding: 'utf8' })).toBe(`${version}\n`)
})

it('the program ends with a sentence where what it says finds no room', () => {
  const full = openSync('/dev/full', 'w')
  const { status, stderr } = spawnSync(program, ['--version'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'sandgate: cannot write to standard output (ENOSPC)\n',
  })
})

type Line = Record<string, unknown> & { msg: string }

describe('a gateway that was started without a configuration flag', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sandgate-cli-'))
  const file = join(directory, 'sandgate.yaml')
  const limited = (limit: string) => `partners: []\nrateLimits: { groups: { other: ${limit} } }\n`
  const lines: Line[] = []
  let gateway: ReturnType<typeof start>
  let partnerUrl = ''

  function start() {
    const child = spawn(program, ['serve', '--store', 'memory', '--port', '0', '--operator-port', '0'], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts.map((part) => JSON.parse(part) as Line))
    })
    return child
  }

  /** The next line with this message; earlier ones are forgotten. */
  async function logged(msg: string): Promise<Line> {
    for (;;) {
      const found = lines.findIndex((line) => line.msg === msg)
      const [line] = found < 0 ? [] : lines.splice(0, found + 1).slice(-1)
      if (line) return line
      if (gateway.exitCode !== null) throw new Error(`ended with ${gateway.exitCode} before "${msg}"`)
      await new Promise((done) => setTimeout(done, 20))
    }
  }

  beforeAll(async () => {
    writeFileSync(file, limited('50'))
    gateway = start()
    partnerUrl = String((await logged('listening')).partnerUrl)
  })

  afterAll(() => {
    gateway.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })

  const limit = async () => (await fetch(`${partnerUrl}/v1/accounts`)).headers.get('x-ratelimit-limit')

  it('uses the usual file of the working directory', async () => {
    expect(await limit()).toBe('50')
  })

  it('logs a line for each request', async () => {
    expect(await logged('request')).toMatchObject({
      level: 'info',
      method: 'GET',
      operation: 'accounts.list',
      status: 401,
      code: 'TOKEN_MISSING',
      durationMs: expect.any(Number),
    })
  })

  it('uses a changed limit without a restart', async () => {
    writeFileSync(file, limited('60'))
    await logged('configuration reloaded')
    expect(await limit()).toBe('60')
  })

  it('goes on with the last good configuration and logs what is wrong with the new one', async () => {
    writeFileSync(file, limited('many'))
    const mistake = await logged('the configuration has mistakes; the one before stays in use')
    expect(mistake.errors).toEqual([
      expect.stringMatching(/^sandgate.yaml:2:32: rateLimits.groups.other: must be/),
    ])
    expect(await limit()).toBe('60')
  })

  it('reloads on SIGHUP', async () => {
    writeFileSync(file, limited('70'))
    await logged('configuration reloaded')
    gateway.kill('SIGHUP')
    expect(await logged('configuration reloaded')).toMatchObject({ needsRestart: [] })
  })

  it('ends with 0 on SIGTERM, its last line written', async () => {
    const exit = new Promise((done) => gateway.on('exit', done))
    gateway.kill('SIGTERM')
    expect(await exit).toBe(0)
    expect(lines.at(-1)).toMatchObject({ msg: 'stopped' })
  })
})
