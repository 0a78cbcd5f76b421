import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { annotate } from '../../../src/cassettes/bindings/annotate.ts'
import { VOLATILE } from '../../../src/cassettes/bindings/contract.ts'
import { writeHar } from '../../../src/cassettes/file/har/write.ts'
import { loadCassette } from '../../../src/cassettes/file/load.ts'
import type { CapturedExchange, Cassette } from '../../../src/cassettes/interaction.ts'
import { mergeCassettes } from '../../../src/cassettes/merging/merge.ts'
import { createSecrets } from '../../../src/cassettes/redaction/secrets/secrets.ts'
import { diffCassettes, formatDiff } from '../../../src/cassettes/tools/diff.ts'
import { importHarBytes } from '../../../src/cassettes/tools/import.ts'
import { lintCassette } from '../../../src/cassettes/tools/lint.ts'
import { showCassette } from '../../../src/cassettes/tools/show.ts'
import { DEFAULT_OUTCOMES } from '../../../src/config/outcomes.ts'
import { bodyText, exchange, HEADER, redactor, scratch } from '../recording-fixtures.ts'

const directory = scratch()
const rules = DEFAULT_OUTCOMES

function cassetteOf(exchanges: readonly CapturedExchange[], cassetteKey?: string): Cassette {
  const { redact } = redactor(cassetteKey === undefined ? {} : { cassetteKey })
  const interactions = exchanges.map((one, i) => {
    const { exchange: stored, redactions, bindings } = redact(one)
    const { startedAt, durationMs, lane, operation, origin, request, reply } = stored
    return {
      sequence: i + 1,
      ended: i + 1,
      startedAt,
      durationMs,
      lane,
      operation,
      origin,
      request,
      reply,
      redactions,
      bindings,
    }
  })
  return { ...HEADER, interactions: annotate(interactions, { rules, volatile: VOLATILE }) }
}

function written(name: string, cassette: Cassette, change = (text: string) => text): string {
  const path = join(directory, name)
  writeHar(path, cassette, createSecrets())
  writeFileSync(path, change(readFileSync(path, 'utf8')))
  return path
}

const account = (n: number, phone = '+2250712345678', more: object = {}) =>
  exchange({
    operation: 'accounts.open',
    target: '/v1/accounts/open',
    startedAt: HEADER.t0 + n,
    headers: [['Idempotency-Key', `00000000-0000-4000-8000-00000000000${n % 10}`]],
    body: { customerRef: `C-${n}`, phone, firstName: 'Awa' },
    status: 201,
    reply: {
      accountId: `acc_${n}VhYx3kQm4Zq9TtB2nR7wLc1d`,
      phone,
      openedAt: new Date(HEADER.t0 + n).toISOString(),
      ...more,
    },
  })
const read = (n: number, phone = '+2250712345678') =>
  exchange({
    operation: 'accounts.read',
    method: 'GET',
    target: `/v1/accounts/acc_${n}VhYx3kQm4Zq9TtB2nR7wLc1d`,
    startedAt: HEADER.t0 + 100 + n,
    reply: { accountId: `acc_${n}VhYx3kQm4Zq9TtB2nR7wLc1d`, phone },
  })

describe('lint', () => {
  it('finds nothing in a recording, in either form', () => {
    const cassette = cassetteOf([account(1), read(1)])
    expect(lintCassette(cassette, { rules })).toEqual([])
    expect(lintCassette(written('good.har', cassette), { rules })).toEqual([])
  })

  it('finds a secret and a personal value that somebody has written into the file, and the edit itself', () => {
    const path = written('edited.har', cassetteOf([account(1), read(1)]), (text) =>
      text.replace(
        '\\"firstName\\":\\"First-1\\"',
        '\\"firstName\\":\\"First-1\\",\\"lastName\\":\\"Koné\\",\\"note\\":\\"sk_sandbox_0VhYx3kQm4Zq9T\\"',
      ),
    )
    expect(lintCassette(path, { rules }).map(({ severity, kind, at }) => [severity, kind, at.entry])).toEqual(
      [
        ['error', 'secret', 1],
        ['warning', 'edited', undefined],
        ['error', 'personal', 1],
      ],
    )
    expect(JSON.stringify(lintCassette(path, { rules }))).not.toMatch(/sk_sandbox_0|Koné/)
  })

  it('finds a bound value that an edit has torn from its binding', () => {
    const path = written('torn.har', cassetteOf([account(1)]), (text) =>
      text.replace('\\"C-1\\"', '\\"C-2\\"'),
    )
    expect(lintCassette(path, { rules })).toContainEqual(
      expect.objectContaining({ kind: 'binding', place: { part: 'request-body', pointer: '/customerRef' } }),
    )
  })

  it('finds secrets in what cannot be loaded at all', () => {
    const path = join(directory, 'rubbish.har')
    writeFileSync(path, 'x\n{"a":"whsec_c2FuZGdhdGUtZXhhbXBsZQ=="')
    expect(lintCassette(path, { rules }).map(({ kind, at }) => [kind, at.line])).toEqual([
      ['secret', 2],
      ['structure', 1],
    ])
  })

  it('lets magic and published test values stand', () => {
    const magic = cassetteOf([exchange({ body: { phone: '+225000000009' } })])
    expect(lintCassette(magic, { rules })).toEqual([])
    expect(lintCassette(magic, { rules: [] })).toMatchObject([{ kind: 'personal' }])
    expect(lintCassette(magic, { rules: [], testValues: ['+225000000009'] })).toEqual([])
  })
})

describe('show', () => {
  it('lists the interactions, and one in full with its body as it is spelled', () => {
    const cassette = cassetteOf([account(1, '+2250712345678', { limit: 1 }), read(1)])
    const list = showCassette(cassette, { color: false })
    expect(list).toMatch(/#1 09:30:00\.001 POST \/v1\/accounts\/open 201 accounts\.open/)
    const spelled = cassetteOf([
      exchange({ body: Buffer.from('{"amount":10.00,"big":9007199254740993,"list":[],"o":{"a":"x:y"}}') }),
    ])
    expect(showCassette(spelled, { color: false, entry: 1 })).toContain(
      '{\n  "amount": 10.00,\n  "big": 9007199254740993,\n  "list": [],\n  "o": {\n    "a": "x:y"\n  }\n}',
    )
    expect(showCassette(cassette, { color: false, entry: 1 })).toMatch(
      /phone \+99900000001 bound when first seen, not compared/,
    )
    expect(showCassette(cassette, { color: false, entry: 9 })).toBe(
      'There is no entry 9; the cassette has 2.\n',
    )
  })

  it('lets nothing that was recorded steer the terminal', () => {
    const nasty = cassetteOf([
      exchange({
        target: '/a',
        body: '\u001b[31mred\u001b[0m',
        replyHeaders: [['Link', '\u001b]0;x\u0007']],
      }),
    ])
    for (const options of [{ color: false }, { color: false, entry: 1 }])
      expect(showCassette(nasty, options).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(showCassette(nasty, { color: true, entry: 1 })).not.toContain('\u001b[31mred')
  })
})

describe('diff', () => {
  it('sees no difference between two recordings of one run', () => {
    const first = cassetteOf([account(1), account(2, '+2250799999999'), read(1)])
    const again = cassetteOf([
      account(5, '+33123456789'),
      account(6, '+33123456780'),
      read(5, '+33123456789'),
    ])
    expect(diffCassettes(first, again)).toEqual({ added: [], removed: [], changed: [] })
    expect(formatDiff(diffCassettes(first, again))).toBe('The cassettes say the same.\n')
  })

  it('sees whose account was read', () => {
    const first = cassetteOf([account(1), account(2), read(1)])
    const other = cassetteOf([account(1), account(2), read(2)])
    expect(diffCassettes(first, other).changed[0]?.differences).toEqual(
      expect.arrayContaining([
        { at: 'path /2', kind: 'value', before: '{accountId 1}', after: '{accountId 2}' },
      ]),
    )
  })

  it('sees what was added, removed, and how a reply changed', () => {
    const first = cassetteOf([account(1, undefined, { amount: 1, code: null, gone: 'x' }), read(1)])
    const other = cassetteOf([account(1, undefined, { amount: '1', code: false, more: 'y' }), account(2)])
    const { added, removed, changed } = diffCassettes(first, other)
    expect(added).toEqual([{ sequence: 2, title: 'POST /v1/accounts/open' }])
    expect(removed).toEqual([{ sequence: 2, title: 'GET /v1/accounts/{accountId}' }])
    expect(changed[0]?.differences).toEqual([
      { at: 'reply-body /amount', kind: 'type', before: '1', after: '1' },
      { at: 'reply-body /gone', kind: 'removed', before: 'x' },
      { at: 'reply-body /code', kind: 'value', before: 'null', after: 'false' },
      { at: 'reply-body /more', kind: 'added', after: 'y' },
    ])
  })
})

describe('merge', () => {
  it('keeps two people two, whose stand-ins were the same in two recordings', () => {
    const merged = mergeCassettes(
      [cassetteOf([account(1)]), cassetteOf([account(2, '+2250799999999'), read(2)])],
      rules,
    )
    const phones = merged.interactions.map(({ reply }) => JSON.parse(bodyText(reply)).phone)
    expect(merged.interactions.map(({ sequence, ended }) => [sequence, ended])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
    expect(new Set(phones).size).toBe(3)
    for (const { bindings, request, reply } of merged.interactions) {
      const phone = bindings.find(({ type }) => type === 'phone')?.value
      expect(JSON.parse(bodyText(reply)).phone).toBe(phone)
      if (request.method === 'POST') expect(JSON.parse(bodyText(request)).phone).toBe(phone)
    }
    expect(lintCassette(merged, { rules })).toEqual([])
  })

  it('makes one person of two where the cassette key says so', () => {
    const merged = mergeCassettes([
      cassetteOf([account(1)], 'k'),
      cassetteOf([account(3, '+33123456789'), account(2)], 'k'),
    ])
    const phones = merged.interactions.map(({ request }) => JSON.parse(bodyText(request)).phone)
    expect(phones[2]).toBe(phones[0])
    expect(phones[1]).not.toBe(phones[0])
  })

  it('refuses what was redacted otherwise', () => {
    expect(() => mergeCassettes([cassetteOf([]), { ...cassetteOf([]), redaction: 'secrets-1' }])).toThrow(
      /redacted by secrets-1/,
    )
  })
})

describe('import', () => {
  const browser = {
    log: {
      version: '1.2',
      creator: { name: 'WebInspector', version: '537.36' },
      pages: [],
      entries: [
        foreign({ url: 'https://app.example/main.js', method: 'GET' }),
        foreign({ url: 'https://api.example/v1/accounts/open', method: 'OPTIONS' }),
        foreign({
          url: 'https://api.example/v1/accounts/open',
          method: 'POST',
          startedDateTime: '2026-01-15T10:30:01.000+01:00',
          httpVersion: 'h2',
          headers: [
            { name: ':method', value: 'POST' },
            { name: 'content-encoding', value: 'gzip' },
            {
              name: 'authorization',
              value: `Bearer e30.${Buffer.from('{"client_id":"key_a"}').toString('base64url')}.x`,
            },
          ],
          postData: { mimeType: 'application/json', text: '{"phone":"+2250712345678"}' },
          response: {
            headers: [{ name: 'Set-Cookie', value: 'a=1\nb=2' }],
            content: {
              size: 20,
              mimeType: 'application/json',
              text: Buffer.from('{"accountId":"acc_x"}').toString('base64'),
              encoding: 'base64',
            },
          },
        }),
        foreign({
          url: 'https://api.example/v1/accounts/acc_x',
          method: 'GET',
          response: { content: { size: 9, mimeType: 'application/json' } },
        }),
        foreign({
          url: 'https://api.example/auth/token',
          method: 'POST',
          postData: {
            mimeType: 'application/x-www-form-urlencoded',
            params: [{ name: 'client_secret', value: 'opaque secret' }],
          },
        }),
        foreign({ url: 'https://other.example/v1/accounts', method: 'GET' }),
      ],
    },
  }

  it('takes what the interface knows, redacted and bound, and says what it left out', () => {
    const { redaction, profile, product, volatile } = HEADER
    const { cassette, skipped } = importHarBytes(Buffer.from(JSON.stringify(browser)), 'b.har', {
      redactor: redactor(),
      annotate: (interactions) => annotate(interactions, { rules, volatile: VOLATILE }),
      header: { redaction, profile, product, volatile },
    })
    expect(skipped).toEqual([
      { entry: 1, reason: 'is no request of the interface' },
      { entry: 2, reason: 'is no request of the interface' },
      { entry: 4, reason: 'has no response body: export the HAR with its content' },
      { entry: 6, reason: 'went to https://other.example' },
    ])
    expect(cassette).toMatchObject({ origin: 'https://api.example', t0: Date.UTC(2026, 0, 15, 9, 30) })
    const [token, open] = cassette.interactions
    expect(bodyText(token?.request)).toBe('client_secret=redacted-client-secret-1')
    expect(open).toMatchObject({ operation: 'accounts.open', lane: 'key_a', sequence: 2 })
    expect(open?.reply?.headers).toEqual([
      ['Set-Cookie', 'a=redacted-cookie-1'],
      ['Set-Cookie', 'b=redacted-cookie-2'],
    ])
    expect(bodyText(open?.request)).toBe('{"phone":"+99900000001"}')
    expect(open?.bindings).toContainEqual(expect.objectContaining({ type: 'accountId', value: 'acc_x' }))
    const path = written('imported.har', cassette)
    expect(loadCassette(path).interactions).toHaveLength(2)
    expect(() =>
      importHarBytes(readFileSync(path), path, {
        redactor: redactor(),
        annotate: (all) => all,
        header: HEADER,
      }),
    ).toThrow(/already/)
  })

  it('takes a lane off the path that names it', () => {
    const entries = [foreign({ url: 'https://api.example/_lane/mine/v1/webhooks?limit=1', method: 'GET' })]
    const { redaction, profile, product, volatile } = HEADER
    const { cassette } = importHarBytes(Buffer.from(JSON.stringify({ log: { entries } })), 'b.har', {
      redactor: redactor(),
      annotate: (interactions) => annotate(interactions, { rules, volatile: VOLATILE }),
      header: { redaction, profile, product, volatile },
    })
    expect(cassette.interactions).toMatchObject([
      { lane: 'mine', request: { target: '/v1/webhooks?limit=1' } },
    ])
  })
})

function foreign(parts: Record<string, unknown> & { response?: object }) {
  const { response = {}, startedDateTime = '2026-01-15T09:30:00.000Z', ...request } = parts
  return {
    startedDateTime,
    time: 3,
    request: {
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      queryString: [],
      headersSize: -1,
      bodySize: -1,
      ...request,
    },
    response: {
      status: 200,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      content: { size: 0, mimeType: '' },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
      ...response,
    },
    cache: {},
    timings: { send: 0, wait: 3, receive: 0 },
  }
}
