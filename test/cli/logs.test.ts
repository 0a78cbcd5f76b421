import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { COMMAND, type Finished } from '../support/command.ts'
import { runHere } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/gateway.ts'

const NOW = Date.now()
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString()

const request = (n: number, over: object = {}) => ({
  level: 'info',
  time: ago(n * 60),
  requestId: `req_${n}`,
  partner: 'demo',
  operation: 'payments.fund',
  method: 'POST',
  status: 200,
  code: null,
  durationMs: 1.234,
  msg: 'request',
  ...over,
})

const LIMITED = { status: 429, code: 'RATE_LIMITED' }
const LINES = [
  request(180, LIMITED),
  request(90, LIMITED),
  request(30, LIMITED),
  request(20, { ...LIMITED, partner: 'other' }),
  request(10, { status: 503, code: 'STORE_UNAVAILABLE', operation: 'accounts.open' }),
  {
    level: 'error',
    time: ago(300),
    requestId: 'req_9',
    err: { message: 'broken', stack: 'at x' },
    msg: 'request failed',
  },
  { level: 'warn', time: ago(240), msg: 'sweep failed' },
  request(1, { operation: 'credit.simulate', method: 'GET', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' }),
]

let plain = ''
let packed = ''
beforeAll(() => {
  const directory = temporaryDirectory('logs')
  const text = `${LINES.map((line) => JSON.stringify(line)).join('\n')}\nnot a line of ours\n`
  plain = join(directory, 'gateway.log')
  packed = join(directory, 'gateway.log.1.gz')
  writeFileSync(plain, text)
  writeFileSync(packed, gzipSync(`${JSON.stringify(request(2000, { ...LIMITED, requestId: 'req_old' }))}\n`))
})

const logs = (...args: string[]) => runHere(['logs', ...args])

const ids = ({ out }: Finished) => [...out.matchAll(/req_\w+/g)].map(([id]) => id)

describe('sandgate logs', () => {
  it('finds what an operator asks for at night', async () => {
    const found = await logs(plain, '--partner', 'demo', '--code', 'RATE_LIMITED', '--since', '1h')
    expect(found.code).toBe(0)
    expect(ids(found)).toEqual(['req_30'])
    expect(found.out).toMatch(/^\S+Z {2}429 {2}demo +POST payments\.fund +RATE_LIMITED +1\.2 ms {2}req_30\n$/)
  })

  it('reads several files in their order, packed ones too', async () => {
    expect(ids(await logs(packed, plain, '--code', 'RATE_LIMITED'))).toEqual([
      'req_old',
      'req_180',
      'req_90',
      'req_30',
      'req_20',
    ])
  })

  it('reads what is piped in', async () => {
    const child = spawn(process.execPath, [COMMAND, 'logs', '--status', '5xx'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    let stdout = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stdin.end(LINES.map((line) => JSON.stringify(line)).join('\n'))
    await once(child, 'close')
    expect(stdout).toContain('STORE_UNAVAILABLE')
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  })

  it.each([
    [['--operation', 'accounts.open'], ['req_10']],
    [['--request', 'req_9'], ['req_9']],
    [['--trace', '4bf92f3577b34da6a3ce929d0e0e4736'], ['req_1']],
    [['--level', 'error'], ['req_9']],
    [
      ['--status', '503', '--status', '429', '--since', '25m'],
      ['req_20', 'req_10'],
    ],
    [
      ['--code', 'store_unavailable', '--code', 'RATE_LIMITED', '--since', '25m'],
      ['req_20', 'req_10'],
    ],
    [['--since', ago(120)], ['req_1']],
    [['--partner', 'nobody'], []],
  ])('%j', async (options, expected) => {
    expect(ids(await logs(plain, ...options))).toEqual(expected)
  })

  it('shows errors with their message, and with --json the lines as they are', async () => {
    expect((await logs(plain, '--level', 'error')).out).toContain(
      'ERROR  request failed  requestId=req_9  : broken',
    )
    const { out } = await logs(plain, '--level', 'error', '--json')
    expect(JSON.parse(out)).toEqual(LINES[5])
  })

  it('says how many lines it cannot read, and goes on', async () => {
    const { err, out, code } = await logs(plain)
    expect(err).toBe(`${plain}: 1 lines are none of a JSON log (log.format: json)\n`)
    expect(out.trimEnd().split('\n')).toHaveLength(LINES.length)
    expect(code).toBe(0)
  })

  it('shows what is in a line without obeying it', async () => {
    const file = join(temporaryDirectory('logs'), 'hostile.log')
    writeFileSync(file, `${JSON.stringify({ level: 'warn', time: ago(1), msg: 'a\u001b[2Jb\nc' })}\n`)
    expect((await logs(file)).out).toMatch(/a\\u001b\[2Jb\\u000ac\n$/)
  })

  it('reads the other files when one is missing or broken, and fails', async () => {
    const broken = join(temporaryDirectory('logs'), 'broken.gz')
    writeFileSync(broken, 'no gzip')
    const found = await logs('/nowhere/gateway.log', broken, plain, '--request', 'req_9')
    expect(found.code).toBe(1)
    expect(found.err).toContain('/nowhere/gateway.log: ENOENT')
    expect(found.err).toContain(`${broken}: incorrect header check`)
    expect(ids(found)).toEqual(['req_9'])
  })

  it.each([
    [['--code', 'RATE_LIMTED'], 'there is no error code RATE_LIMTED; did you mean RATE_LIMITED?'],
    [['--status', '6xx'], '--status takes a status such as 429, or 5xx, not 6xx'],
    [['--since', '1'], '--since takes 90s, 15m, 1h or 2d, or an instant'],
    [['--code', '429'], '--code takes an error code; --status 429 takes a status'],
    [['--since', 'yesterday'], '--since takes 90s, 15m, 1h or 2d, or an instant'],
    [['--level', 'debug'], '--level is one of info, warn, error, not debug'],
    [['--operation', 'payment.fund'], 'there is no operation payment.fund; did you mean payments.fund?'],
  ])('%j is told what is wrong', async (options, message) => {
    const { code, err } = await logs(plain, ...options)
    expect(err).toContain(message)
    expect(code).toBe(2)
  })
})
