import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CapturedExchange } from '../../../src/cassettes/interaction.ts'
import { createWriter } from '../../../src/cassettes/writer/writer.ts'
import { replay } from '../../../src/sandgate.ts'
import { sandgateReplay } from '../../cli/replay-command.ts'
import { runHere } from '../../support/command-line.ts'
import { exchange, HEADER, scratch, settings } from '../recording-fixtures.ts'

const directory = scratch()
let count = 0

async function recorded(...exchanges: readonly CapturedExchange[]): Promise<string> {
  const path = join(directory, `said-${++count}.har`)
  const writer = await createWriter(settings(path))
  for (const one of exchanges) writer.record(one)
  await writer.finish()
  return path
}

/** The remedy of the one miss that the work makes. */
async function remedyOf(path: string, work: (url: string) => Promise<Response>) {
  const tape = await replay(path)
  const answer = await work(tape.url)
  expect(answer.status).toBe(424)
  const { cassette } = (await answer.json()) as {
    cassette: { remedy: string; closest: { reasons: object[] }[] }
  }
  await tape.close()
  return { ...cassette, path }
}

const get = (target: string, more: Partial<Parameters<typeof exchange>[0]> = {}) =>
  exchange({ method: 'GET', target, reply: { ok: true }, ...more })

describe('a miss has its sentence and its remedy', () => {
  it('of an exchange that was recorded without a reply', async () => {
    const unanswered = { ...get('/made/up'), reply: undefined, noReply: 'cut' } as const
    const path = await recorded(get('/other'), unanswered)
    const { remedy, closest } = await remedyOf(path, (url) => fetch(`${url}/made/up`))
    expect(remedy).toBe(
      `${path} entry 2 was recorded without a reply: its answer broke off. Record it again: sandgate record --upstream https://sandbox.example.com --out ${path} --mode all`,
    )
    expect(closest[0]?.reasons).toMatchObject([{ kind: 'unanswered' }])
  })

  it('of a page that was not recorded', async () => {
    const { remedy } = await remedyOf(await recorded(get('/other')), (url) =>
      fetch(`${url}/kyc/widget/kyc_0VhYx3kQm4Zq9TtB2nR7wLc1d`),
    )
    expect(remedy).toMatch(/^This page was not recorded: while recording, the browser has to open the url/)
    expect(remedy).toContain('--mode new_episodes')
  })

  it('of nothing that is like it', async () => {
    const { remedy } = await remedyOf(await recorded(get('/other')), (url) => fetch(`${url}/a/b/c/d`))
    expect(remedy).toMatch(/^Nothing like it was recorded\. Record it: sandgate record --upstream /)
  })

  it('of a second value that was never recorded', async () => {
    const opened = (customerRef: string) =>
      exchange({ target: '/made/up', body: { customerRef }, reply: { customerRef } })
    const path = await recorded(opened('C-1'))
    const ask = (url: string, customerRef: string) =>
      fetch(`${url}/made/up`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ customerRef }),
      })
    const { remedy } = await remedyOf(path, async (url) => {
      expect((await ask(url, 'A')).status).toBe(200)
      return ask(url, 'B')
    })
    expect(remedy).toMatch(/^body \/customerRef "B" was never recorded: \S+ entry 1 has "C-1" there/)
    expect(remedy).toContain('--mode new_episodes')
  })

  it('of a number, without quotes', async () => {
    const path = await recorded(exchange({ target: '/made/up', body: { count: 10 }, reply: { ok: true } }))
    const { remedy } = await remedyOf(path, (url) =>
      fetch(`${url}/made/up`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"count":11}',
      }),
    )
    expect(remedy).toContain('recorded → sent: body /count 10 → 11.')
  })
})

describe('a multipart request with a personal field', () => {
  const form = (phone: string, note = 'x') => {
    const data = new FormData()
    data.set('phone', phone)
    data.set('note', note)
    return data
  }
  const captured = async (body: FormData) => {
    const request = new Request('http://h/made/up', { method: 'POST', body })
    return exchange({
      target: '/made/up',
      headers: [['Content-Type', request.headers.get('content-type') ?? '']],
      body: new Uint8Array(await request.arrayBuffer()),
      reply: { ok: true },
    })
  }

  it('matches itself, in any order, and two people stay two', async () => {
    const path = await recorded(
      await captured(form('+2250712345678')),
      await captured(form('+2250787654321')),
    )
    const tape = await replay(path)
    const ask = async (phone: string, note?: string) =>
      (await fetch(`${tape.url}/made/up`, { method: 'POST', body: form(phone, note) })).status
    expect([await ask('+2250787654321'), await ask('+2250712345678')]).toEqual([200, 200])
    expect([await ask('+2250712345678'), await ask('+2250700000001', 'y')]).toEqual([424, 424])
    expect(JSON.stringify(tape.misses())).not.toMatch(/0700000001|0712345678/)
    await tape.close()
  })
})

describe('the head of an answer from the tape', () => {
  it('has one X-Request-Id, and no Content-Length where there is no content', async () => {
    const path = await recorded(
      get('/none', { status: 204, reply: '' }),
      get('/same', { status: 304, reply: '', replyHeaders: [['ETag', '"1"']] }),
      get('/one', { replyHeaders: [['X-Request-Id', 'r-1']] }),
      get('/two', {
        replyHeaders: [
          ['X-Request-Id', 'r-1'],
          ['X-Request-Id', 'r-2'],
          ['X-RateLimit-Limit', '9'],
        ],
      }),
      get('/rated', { replyHeaders: [['X-RateLimit-Limit', '9']] }),
    )
    const tape = await replay(path)
    for (const target of ['/none', '/same', '/one', '/two', '/rated', '/missing/at/all']) {
      const { status, headers } = await fetch(`${tape.url}${target}`)
      expect(headers.get('x-request-id'), target).toMatch(/^[^,]+$/)
      expect(headers.has('content-length'), target).toBe(status !== 204 && status !== 304)
    }
    await tape.close()
  })
})

describe('the ledger', () => {
  it('says when a read was answered late, and is written as JSON by --ledger', async () => {
    const at = (n: number) => ({ startedAt: HEADER.t0 + n * 1000 })
    const path = await recorded(
      get('/made/up', { ...at(1), reply: { state: 'before' } }),
      exchange({ target: '/made/up', body: { change: 1 }, reply: { ok: true }, ...at(2) }),
      get('/made/up', { ...at(3), reply: { state: 'after' } }),
    )
    const out = join(directory, 'ledger.json')
    const post = `curl -sS -H 'content-type: application/json' -d '{"change":1}' "$SANDGATE_URL/made/up"`
    const read = `curl -sS "$SANDGATE_URL/made/up"`
    const ended = await sandgateReplay([
      path,
      '--ledger',
      out,
      '--',
      'sh',
      '-c',
      [post, read, read, read].join('; '),
    ])
    const ledger = JSON.parse(readFileSync(out, 'utf8'))
    expect(ledger).toMatchObject({ loaded: 3, missed: 0, misses: [], failed: [] })
    expect({ code: ended.code, stdout: ended.stdout.split('\n')[1] }).toMatchObject({ code: 0 })
    const ask = 'curl -sS -o /dev/null "$SANDGATE_URL/no/such"'
    const missing = await runHere(['replay', path, '--ledger', out, '--', 'sh', '-c', ask])
    expect(missing.code).toBe(1)
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({
      missed: 1,
      misses: [{ request: { target: '/no/such' } }],
      failed: ['nothing was served: no request reached the cassette', '1 request missed'],
    })
  })
})
