import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { annotate } from '../../../src/cassettes/bindings/annotate.ts'
import { VOLATILE } from '../../../src/cassettes/bindings/contract.ts'
import { loadCassette } from '../../../src/cassettes/file/load.ts'
import { importHarBytes } from '../../../src/cassettes/tools/import.ts'
import { bodyText, HEADER, redactor, scratch } from '../recording-fixtures.ts'
import { rules, written } from './tool-cassettes.ts'

const directory = scratch()

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
          startedDateTime: '2026-01-15T09:30:02.000Z',
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
    const { redaction, profile, product, volatile, outcomes } = HEADER
    const { cassette, skipped } = importHarBytes(Buffer.from(JSON.stringify(browser)), 'b.har', {
      redactor: redactor(),
      annotate: (interactions) => annotate(interactions, { rules, volatile: VOLATILE }),
      header: { redaction, profile, product, volatile, outcomes },
    })
    expect(skipped).toEqual([
      { entry: 1, reason: 'is no request of the interface' },
      { entry: 2, reason: 'is no request of the interface' },
      { entry: 6, reason: 'went to https://other.example' },
    ])
    expect(cassette).toMatchObject({ origin: 'https://api.example', t0: Date.UTC(2026, 0, 15, 9, 30) })
    const [token, open, lost] = cassette.interactions
    expect(lost).toMatchObject({ operation: 'accounts.read', reply: undefined, noReply: 'not-kept' })
    expect(bodyText(token?.request)).toBe('client_secret=redacted-client-secret-1')
    expect(open).toMatchObject({ operation: 'accounts.open', lane: 'key_a', sequence: 2 })
    expect(open?.reply?.headers).toEqual([
      ['Set-Cookie', 'a=redacted-cookie-1'],
      ['Set-Cookie', 'b=redacted-cookie-2'],
    ])
    expect(bodyText(open?.request)).toBe('{"phone":"+99900000001"}')
    expect(open?.bindings).toContainEqual(expect.objectContaining({ type: 'accountId', value: 'acc_x' }))
    const path = written(directory, 'imported.har', cassette)
    expect(loadCassette(path).interactions).toHaveLength(3)
    expect(() =>
      importHarBytes(readFileSync(path), path, {
        redactor: redactor(),
        annotate: (all) => all,
        header: HEADER,
      }),
    ).toThrow(/already/)
  })

  function importing(...entries: object[]) {
    const { redaction, profile, product, volatile } = HEADER
    return importHarBytes(Buffer.from(JSON.stringify({ log: { entries } })), 'b.har', {
      redactor: redactor(),
      annotate: (interactions) => annotate(interactions, { rules, volatile: VOLATILE }),
      header: { redaction, profile, product, volatile },
    })
  }

  it('takes a lane off the path that names it', () => {
    const { cassette } = importing(
      foreign({ url: 'https://api.example/_lane/mine/v1/webhooks?limit=1', method: 'GET' }),
    )
    expect(cassette.interactions).toMatchObject([
      { lane: 'mine', request: { target: '/v1/webhooks?limit=1' } },
    ])
  })

  it('writes no secret as the name of a lane', () => {
    const secret = 'sk_sandbox_0VhYx3kQm4Zq9TtB'
    const { cassette } = importing(
      foreign({ url: `https://api.example/_lane/${secret}/v1/webhooks`, method: 'GET' }),
    )
    expect(cassette.interactions[0]?.lane).toMatch(/^redacted-/)
    expect(JSON.stringify(cassette)).not.toContain(secret)
  })

  it('looks for what an exchange has told in those after it, in whatever order the file has them', () => {
    const person = '{"lastName":"Ouattara","phone":"+2250799887766"}'
    const { cassette } = importing(
      foreign({
        url: 'https://api.example/v1/accounts',
        method: 'GET',
        startedDateTime: '2026-01-15T09:31:00.000Z',
        response: { content: { size: 28, mimeType: '', text: 'for Ouattara, +2250799887766' } },
      }),
      foreign({
        url: 'https://api.example/v1/accounts/open',
        method: 'POST',
        headers: [{ name: 'Content-Type', value: 'application/json' }],
        postData: { mimeType: 'application/json', text: person },
      }),
    )
    expect(cassette.interactions.map(({ operation }) => operation)).toEqual([
      'accounts.open',
      'accounts.list',
    ])
    expect(bodyText(cassette.interactions[1]?.reply)).not.toMatch(/Ouattara|0799/)
  })

  it('keeps the preflight of an operation, and leaves out that of anything else', () => {
    const asking = (method: string) => [{ name: 'Access-Control-Request-Method', value: method }]
    const allowed = [
      { name: 'Access-Control-Allow-Origin', value: 'https://shop.example' },
      { name: 'Access-Control-Allow-Methods', value: 'POST' },
    ]
    const preflight = (path: string, wanted: string) =>
      foreign({
        url: `https://api.example${path}`,
        method: 'OPTIONS',
        headers: asking(wanted),
        response: { status: 204, headers: allowed },
      })
    const { cassette, skipped } = importing(
      preflight('/v1/payments/fund', 'POST'),
      preflight('/v1/payments/fund', 'DELETE'),
      preflight('/assets/app.js', 'GET'),
    )
    expect(skipped.map(({ entry }) => entry)).toEqual([2, 3])
    expect(cassette.interactions).toMatchObject([
      { request: { method: 'OPTIONS' }, operation: undefined, reply: { status: 204 } },
    ])
    expect(cassette.interactions[0]?.reply?.headers.map(([name]) => name)).toEqual(
      allowed.map(({ name }) => name),
    )
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
