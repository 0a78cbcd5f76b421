import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { writeHar } from '../../src/cassettes/file/har/write.ts'
import { createSecrets } from '../../src/cassettes/redaction/secrets/secrets.ts'
import { exchange, HEADER, scratch } from '../cassettes/recording-fixtures.ts'
import { cassetteOf, SIGN_IN, sandgate } from './cassette-fixtures.ts'

const directory = scratch()
const file = (name: string) => join(directory, name)

/**
 * Pays for each order that it is given, as a partner's program would, and prints what it was answered. By curl, because a
 * Node.js of its own takes longer to start than all that it asks. Orders come as JSON.
 */
const PROGRAM = `
${SIGN_IN}
for order; do
  said=$(curl -sS -H "authorization: Bearer $token" -H 'content-type: application/json' \
    -H "idempotency-key: $(cat /proc/sys/kernel/random/uuid)" \
    -d "{\\"amount\\":5077,\\"metadata\\":{\\"order\\":$order}}" "$SANDGATE_URL/v1/payments/fund" |
    grep -oE '"(paymentId|code)": *"[^"]*"' | head -n 1 | cut -d '"' -f 4)
  printf '%s %s\\n' "$order" "$said" >> "$ANSWERS"
done
`

const cassette = file('orders.har')
let run = 0

beforeAll(() => {
  writeFileSync(file('pay.sh'), PROGRAM)
  const paid = (n: number) =>
    exchange({
      operation: 'payments.fund',
      target: '/v1/payments/fund',
      startedAt: HEADER.t0 + n,
      headers: [
        ['Authorization', 'Bearer token-of-the-recording'],
        ['Content-Type', 'application/json'],
        ['Idempotency-Key', `1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d1${n}`],
      ],
      body: { amount: 5077, metadata: { order: `A-${n}` } },
      status: 200,
      reply: { paymentId: `pay_${n}VhYx3kQm4Zq9TtB2nR7wLc1d`, metadata: { order: `A-${n}` } },
    })
  writeHar(cassette, cassetteOf([paid(1), paid(2)]), createSecrets())
})

/** Replays the cassette to the program. */
async function replayed(options: readonly string[], ...orders: string[]) {
  const own = file(`answers-${++run}.txt`)
  process.env.ANSWERS = own
  const ended = await sandgate([
    'replay',
    cassette,
    ...options,
    '--',
    'sh',
    '-e',
    file('pay.sh'),
    ...orders.map((order) => JSON.stringify(order)),
  ])
  return {
    ...ended,
    answers: existsSync(own) ? readFileSync(own, 'utf8').trim().replaceAll('"', '').split('\n') : [],
  }
}

describe('what a miss says to paste', () => {
  it('makes the next run match, and two orders stay two', async () => {
    const missed = await replayed([], 'B-1', 'B-2')
    expect(missed).toMatchObject({ code: 1, answers: ['B-1 CASSETTE_MISS', 'B-2 CASSETTE_MISS'] })
    const [, pasted = ''] = /^ +(--volatile \S+)$/m.exec(missed.err) ?? []
    const matched = await replayed([...pasted.split(' '), '--fail-unused'], 'B-1', 'B-2')
    expect(matched.err).toMatch(/^cassette: loaded 2, served 2, .* missed 0, /m)
    expect(matched.code).toBe(0)
    expect(matched.answers).toEqual([
      expect.stringMatching(/^B-1 pay_1/),
      expect.stringMatching(/^B-2 pay_2/),
    ])
  })
})

describe('the options of sandgate replay', () => {
  const wrong = (...options: string[]) => sandgate(['replay', cassette, ...options, '--', 'true'])

  it.each([
    [['--volatile', '/metadata/ordre'], /no recorded request has a value at \/metadata\/ordre/],
    [['--volatile', '/metadata/order', '--volatile', 'x'], /no recorded request has a value at x/],
    [['--profile', 'lax'], /--profile is contract or strict, not lax/],
    [['--port', '70000'], /--port takes a number from 0 to 65535, not 70000/],
    [['--volatile'], /--volatile needs a value: --volatile LIST/],
  ])('%j is refused', async (options, message) => {
    expect(await wrong(...options)).toEqual({ code: 2, out: '', err: expect.stringMatching(message) })
  })

  it('name a profile, which decides whether order rejects', async () => {
    const orders = ['A-2', 'A-1']
    expect((await replayed(['--profile', 'contract'], ...orders)).code).toBe(0)
    expect((await replayed(['--profile', 'strict'], ...orders)).code).toBe(1)
  })
})

/** What a parser of XML makes of a report. */
function readReport(path: string) {
  const script = `
import json, sys
from xml.etree import ElementTree
suites = ElementTree.parse(sys.argv[1]).getroot()
suite, = suites
print(json.dumps({
    'tags': [suites.tag, suite.tag],
    'counts': [suites.get('tests'), suites.get('failures'), suite.get('tests'), suite.get('failures')],
    'cases': [[case.tag, case.get('classname'), case.get('name'), case[0].tag, case[0].get('type')] for case in suite],
    'texts': [case[0].text for case in suite],
}))`
  return JSON.parse(execFileSync('/usr/bin/python3', ['-c', script, path], { encoding: 'utf8' }))
}

describe('--junit', () => {
  it('is XML with a failed case for each miss', async () => {
    const path = file('misses.xml')
    const { code, out, err } = await replayed(['--junit', path, '--quiet'], 'A-1', '<&"\u0007\'', 'B-3')
    expect(code).toBe(1)
    expect(out).toBe('')
    expect(err).toMatch(/^cassette: loaded 2, served 1, .* missed 2, /m)
    const report = readReport(path)
    expect(report).toMatchObject({
      tags: ['testsuites', 'testsuite'],
      counts: ['2', '2', '2', '2'],
      cases: [
        ['testcase', 'cassette.payments.fund', '1. POST /v1/payments/fund', 'failure', 'CASSETTE_MISS'],
        ['testcase', 'cassette.payments.fund', '2. POST /v1/payments/fund', 'failure', 'CASSETTE_MISS'],
      ],
    })
    expect(report.texts[0]).toContain('CASSETTE MISS POST /v1/payments/fund')
    expect(report.texts[1]).toContain('--volatile /metadata/order')
  })

  it('has no case when nothing missed', async () => {
    const path = file('none.xml')
    const ended = await replayed(['--junit', path, '--quiet'], 'A-1')
    expect(readReport(path)).toMatchObject({ counts: ['0', '0', '0', '0'], cases: [] })
    // Nothing missed, so a quiet run has nothing to say.
    expect(ended).toMatchObject({ code: 0, out: '', err: '' })
  })

  it('that cannot be written fails the run, and says so', async () => {
    const path = file('nowhere/misses.xml')
    const { code, err } = await replayed(['--junit', path], 'A-1')
    expect(err).toContain(`sandgate replay: ${path} cannot be written (ENOENT)\n`)
    expect(code).toBe(1)
  })
})
