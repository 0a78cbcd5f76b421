import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSecrets } from '../../../src/cassettes/redaction/secrets/secrets.ts'
import { runs } from '../../support/effort.ts'
import { bodyText, exchange, redactor } from '../recording-fixtures.ts'

const SECRET = 's3cr3t value/with+signs&"quotes"'
const KEY = 'sk_sandbox_0VhYx3kQm4Zq9TtB2nR7wLc1d'
const JWT = `eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.${'a1B2'.repeat(12)}.${'c3D4'.repeat(12)}`

const percent = (text: string) => encodeURIComponent(text)
const percentAll = (text: string) =>
  [...Buffer.from(text)].map((b) => `%${b.toString(16).padStart(2, '0')}`).join('')
const jsonHex = (text: string) =>
  [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Every way in which a text may be written that gives the secret back to whoever reads it. */
const SPELLINGS: Record<string, (text: string) => string> = {
  raw: (text) => text,
  percent,
  'percent twice': (text) => percent(percent(text)),
  'percent three times': (text) => percent(percent(percent(text))),
  'percent, every byte': percentAll,
  form: (text) => percent(text).replaceAll('%20', '+'),
  json: (text) => JSON.stringify(text).slice(1, -1),
  'json, every character': jsonHex,
  'json in json': (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  'json in percent': (text) => percent(JSON.stringify(text)),
  base64,
  'base64, one byte before': (text) => base64(`x${text}`),
  'base64, two bytes before': (text) => base64(`xy${text}z`),
  base64url: (text) => Buffer.from(`user:${text}`).toString('base64url'),
  'base64 of a form': (text) => base64(`user:${percent(text)}`),
  'percent of base64': (text) => percent(base64(text)),
  'utf-16': (text) => Buffer.from(text, 'utf16le').toString('latin1'),
}

describe('a secret is found in every spelling', () => {
  const known = createSecrets()
  known.learn(SECRET)
  it.each(Object.keys(SPELLINGS))('%s, when it has been seen', (name) => {
    const spelled = SPELLINGS[name]?.(SECRET) ?? ''
    const text = `{"before":"a ${Buffer.from(spelled).toString('latin1')} b"}`
    const [hit, ...more] = known.find(text)
    expect(more).toEqual([])
    expect(hit?.value).toBe(SECRET)
    const left = text.slice(0, hit?.start) + text.slice(hit?.end)
    expect(known.find(left)).toEqual([])
    expect(left).toMatch(/^\{"before":"a .{0,12} b"\}$/)
  })

  it.each([
    ...Object.entries(SPELLINGS),
    ['hex', (text: string) => Buffer.from(text).toString('hex')],
    ['bytes as a list', (text: string) => [...Buffer.from(text)].map((b) => b.toString(16)).join(':')],
    ['quoted-printable', (text: string) => percentAll(text).replaceAll('%', '=').toUpperCase()],
  ] as const)('%s, also in a line that came before anybody knew the secret', (_, spell) => {
    const { redact } = redactor()
    const spelled = spell('Kx7#mB9!qLw2')
    const headers = [
      ['Content-Type', 'application/json'],
      ['ETag', `"${spelled}"`],
    ] as const
    const twice = [0, 1].map(() => redact(exchange({ target: '/v1/x', replyHeaders: headers, reply: '{}' })))
    const [before] = twice
    expect(before?.exchange.reply?.headers).toContainEqual(['ETag', `"${spelled}"`])
    redact(exchange({ target: '/v1/x', replyHeaders: headers, reply: '{"clientSecret":"Kx7#mB9!qLw2"}' }))
    const { exchange: after } = redact(exchange({ target: '/v1/x', replyHeaders: headers, reply: '{}' }))
    expect(JSON.stringify(after.reply?.headers)).not.toContain(spelled)
  })

  it.each([KEY, 'whsec_c2FuZGdhdGUtZXhhbXBsZQ==', JWT])('%s, when nobody has seen it', (secret) => {
    for (const [name, spell] of Object.entries(SPELLINGS)) {
      const hits = createSecrets().find(`a "${spell(secret)}" b`)
      expect(hits.length, name).toBeGreaterThan(0)
    }
  })

  it.each([
    'https://user:pass@example.com/',
    'Basic dXNlcjpwYXNz',
    'Bearer abcdefghijklmnop1',
    'https://a.example/cb?access_token=abc&x=1',
    'see%20https%3A%2F%2Fuser%3Apass%40example.com',
  ])('in %s', (text) => {
    expect(createSecrets().find(text)).toHaveLength(1)
  })

  it.each([
    'Bearer error="invalid_token"',
    'Basic realm="sandgate"',
    'Basic authentication is offered, Bearer authentication is preferred',
    'https://example.com/a@b',
    'eyJust.a.word',
    '{"cursor":"cGF5XzBWaFl4M2tRbTRacTlUdEIyblI3d0xjMWQ"}',
  ])('but not in %s', (text) => {
    expect(createSecrets().find(text)).toEqual([])
  })

  it('whatever stands around it', () => {
    const spell = fc.constantFrom(...Object.values(SPELLINGS))
    const noise = fc.string({ unit: 'grapheme', maxLength: 20 })
    fc.assert(
      fc.property(spell, noise, noise, (spelled, before, after) => {
        const secrets = createSecrets()
        secrets.learn(SECRET)
        const text = Buffer.from(`${before} ${spelled(SECRET)} ${after}`).toString('latin1')
        return secrets.find(text).some(({ value }) => value === SECRET)
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('the token exchange', () => {
  it('keeps neither the secret nor the token, in the body, in Basic or in the reply', () => {
    const { exchange: stored, redactions } = redactor().redact(
      exchange({
        operation: 'auth.token',
        target: '/auth/token',
        headers: [
          ['Content-Type', 'application/x-www-form-urlencoded'],
          ['Authorization', `Basic ${base64(`key_demo:${percent(SECRET)}`)}`],
        ],
        body: `grant_type=client_credentials&client_id=key_demo&client_secret=${percent(SECRET)}`,
        reply: { access_token: JWT, token_type: 'Bearer', note: `it was ${SECRET}` },
      }),
    )
    expect(bodyText(stored.request)).toBe(
      'grant_type=client_credentials&client_id=key_demo&client_secret=redacted-client-secret-1',
    )
    expect(stored.request.headers).toContainEqual(['Authorization', 'Basic redacted-basic-1'])
    expect(bodyText(stored.reply)).toBe(
      '{"access_token":"redacted-access-token-1","token_type":"Bearer","note":"it was redacted-client-secret-1"}',
    )
    expect(redactions.map(({ place }) => place.pointer)).toContain('/client_secret')
  })

  it('keeps a client id only when it is a key id or a tenant', () => {
    const ids = ['key_demo', 'tn_sandbox_demo', 'someone@example.com', KEY]
    const { redact } = redactor()
    const kept = ids.map((id) => bodyText(redact(exchange({ body: { client_id: id } })).exchange.request))
    expect(kept).toEqual([
      '{"client_id":"key_demo"}',
      '{"client_id":"tn_sandbox_demo"}',
      '{"client_id":"redacted-client-id-1"}',
      '{"client_id":"redacted-client-id-2"}',
    ])
  })

  it('learns from it what to look for in later exchanges', () => {
    const { redact } = redactor()
    redact(exchange({ body: { client_secret: 'opaque-upstream-key' } }))
    const later = redact(
      exchange({ target: '/x?next=opaque%2Dupstream-key', reply: 'b3BhcXVlLXVwc3RyZWFtLWtleQ==' }),
    )
    expect(later.exchange.request.target).toBe('/x?next=redacted-client-secret-1')
    expect(bodyText(later.exchange.reply)).toBe('redacted-client-secret-1')
  })

  it('never takes a stand-in for one, whatever a client sends as its token', () => {
    const { redact } = redactor()
    redact(exchange({ headers: [['Authorization', 'Bearer redacted']] }))
    redact(exchange({ body: { client_secret: 'client-secret' } }))
    const text = 'redacted-token-1 and redacted-client-secret-1'
    expect(bodyText(redact(exchange({ target: '/x', reply: text })).exchange.reply)).toBe(text)
  })
})

describe('headers', () => {
  it('that are not listed are left out, both ways', () => {
    const { exchange: stored } = redactor().redact(
      exchange({
        headers: [
          ['X-Api-Key', 'a'],
          ['User-Agent', 'b'],
          ['Idempotency-Key', 'c'],
          ['Host', '127.0.0.1:40001'],
        ],
        replyHeaders: [
          ['X-Internal', 'a'],
          ['Retry-After', '1'],
        ],
      }),
    )
    expect(stored.request.headers).toEqual([['Idempotency-Key', 'c']])
    expect(stored.reply?.headers).toEqual([['Retry-After', '1']])
  })

  it('three cookies stay three, with their names and attributes', () => {
    const { exchange: stored } = redactor().redact(
      exchange({
        headers: [['Cookie', 'sid=one; theme=two']],
        replyHeaders: [
          ['Set-Cookie', 'sid=one; Path=/; HttpOnly'],
          ['Set-Cookie', 'csrf=three; Secure'],
          ['Set-Cookie', 'gone=; Max-Age=0'],
        ],
      }),
    )
    expect(stored.request.headers).toEqual([['Cookie', 'sid=redacted-cookie-1; theme=redacted-cookie-2']])
    expect(stored.reply?.headers.map(([, value]) => value)).toEqual([
      'sid=redacted-cookie-1; Path=/; HttpOnly',
      'csrf=redacted-cookie-3; Secure',
      'gone=; Max-Age=0',
    ])
  })

  it('a redirect keeps its shape and loses what it carries', () => {
    const location = `https://u:p@app.example/cb?phone=%2B2250712345678&code_hint=1#access_token=${JWT}`
    const { exchange: stored } = redactor().redact(
      exchange({ status: 302, replyHeaders: [['Location', location]] }),
    )
    expect(stored.reply?.headers).toEqual([
      [
        'Location',
        'https://redacted-userinfo-1@app.example/cb?phone=%2B99900000001&code_hint=1#access_token=redacted-access-token-1',
      ],
    ])
  })
})

describe('compressed bodies', () => {
  const codings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }
  it.each(Object.entries(codings))('%s of an answer are kept as their text', (coding, compress) => {
    const text = `{"phone":"+2250712345678","key":"${KEY}"}`
    const { exchange: stored, redactions } = redactor().redact(
      exchange({
        replyHeaders: [
          ['Content-Encoding', coding],
          ['Content-Type', 'application/json'],
        ],
        reply: new Uint8Array(compress(text)),
      }),
    )
    expect(bodyText(stored.reply)).toBe('{"phone":"+99900000001","key":"redacted-key-1"}')
    expect(stored.reply?.headers).toEqual([['Content-Type', 'application/json']])
    expect(redactions.map(({ rule }) => rule)).toEqual(['phone', 'key'])
  })

  it.each(Object.entries(codings))('%s of an answer that broke off are no answer', (coding, compress) => {
    const packed = new Uint8Array(compress(JSON.stringify({ list: [...Array(99).keys()] })))
    for (const length of [1, 2, 10, packed.length >> 1, packed.length - 1]) {
      const { exchange: stored } = redactor().redact(
        exchange({ replyHeaders: [['Content-Encoding', coding]], reply: packed.subarray(0, length) }),
      )
      expect(stored).toMatchObject({ reply: undefined, noReply: 'undecodable' })
    }
  })

  it('of an answer that nobody can look into are no answer, whatever they look like', () => {
    for (const reply of [new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0x80]), 'a text']) {
      const { exchange: stored } = redactor().redact(
        exchange({ replyHeaders: [['Content-Encoding', 'zstd']], reply }),
      )
      expect(stored).toMatchObject({ reply: undefined, noReply: 'unreadable-coding' })
    }
  })

  it.each(Object.entries(codings))(
    '%s of a request that hold nothing pass byte for byte',
    (coding, compress) => {
      const body = new Uint8Array(compress('{"ok":true}'))
      const { exchange: stored } = redactor().redact(
        exchange({ headers: [['Content-Encoding', coding]], body }),
      )
      expect(stored.request.body).toEqual(body)
      expect(stored.request.headers).toEqual([['Content-Encoding', coding]])
    },
  )

  it.each(Object.entries(codings))(
    '%s of a request that hold a secret are stored decoded, and say so',
    (coding, compress) => {
      const { exchange: stored, redactions } = redactor().redact(
        exchange({
          headers: [
            ['Content-Encoding', coding],
            ['Content-Type', 'application/json'],
          ],
          body: new Uint8Array(compress(`{"phone":"+2250712345678","key":"${KEY}"}`)),
        }),
      )
      expect(bodyText(stored.request)).toBe('{"phone":"+99900000001","key":"redacted-key-1"}')
      expect(stored.request.headers).toEqual([['Content-Type', 'application/json']])
      expect(redactions.at(-1)).toMatchObject({
        rule: expect.stringMatching(/^stored-decoded (?:gzip|br|deflate)$/),
        place: { pointer: '/content-encoding' },
      })
    },
  )

  it('of a request that nobody can look into are stored as their length and a digest', () => {
    const body = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0x80])
    const { exchange: stored, redactions } = redactor().redact(
      exchange({ headers: [['Content-Encoding', 'zstd']], body }),
    )
    expect(bodyText(stored.request)).toMatch(/^a body of 5 bytes, scrypt [\w-]{32}$/)
    expect(redactions).toMatchObject([
      { rule: 'beyond unknown-packing' },
      { rule: expect.stringMatching(/^unreadable-encoding /) },
    ])
  })
})
