import { join } from 'node:path'
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib'
import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import { writeHar } from '../../src/cassettes/file/har/write.ts'
import { createSecrets } from '../../src/cassettes/redaction/secrets/secrets.ts'
import { lintCassette } from '../../src/cassettes/tools/lint.ts'
import type { HeaderLine } from '../../src/http/header-lines.ts'
import { replay } from '../../src/sandgate.ts'
import { exchange, HEADER, scratch } from '../cassettes/recording-fixtures.ts'
import { cassetteOf } from '../cli/cassette-fixtures.ts'

const directory = scratch()
const ACCOUNT = 'acc_1VhYx3kQm4Zq9TtB2nR7wLc1d'
/** Of an exchange that was not recorded. */
const TOKEN: HeaderLine = ['Authorization', 'Bearer redacted-token-1']
const PERSON = { phone: '+2250712345678', firstName: 'Awa', lastName: 'Koné', country: 'CI' }
const JSON_TYPE: HeaderLine = ['Content-Type', 'application/json']

/** A sandbox that compresses what it answers: an account is opened and read. */
function recorded(name: string, encoding: string, encode: (text: string) => Uint8Array) {
  const account = JSON.stringify({
    accountId: ACCOUNT,
    customerRef: 'CUS-1',
    balance: '10.00',
    openedAt: '2026-01-15T09:30:00.000Z',
  })
  const body = encode(account)
  const replyHeaders: HeaderLine[] = [
    JSON_TYPE,
    ['Content-Encoding', encoding],
    ['Content-Length', String(body.length)],
  ]
  const one = exchange({
    operation: 'accounts.open',
    target: '/v1/accounts/open',
    startedAt: HEADER.t0,
    headers: [JSON_TYPE, TOKEN, ['Idempotency-Key', '1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10']],
    body: { customerRef: 'CUS-1', ...PERSON },
    status: 201,
    replyHeaders,
    reply: body,
  })
  const two = exchange({
    operation: 'accounts.read',
    method: 'GET',
    headers: [TOKEN],
    target: `/v1/accounts/${ACCOUNT}`,
    startedAt: HEADER.t0 + 1000,
    replyHeaders,
    reply: body,
  })
  const path = join(directory, `${name}.har`)
  writeHar(path, cassetteOf([one, two]), createSecrets())
  return { path, account }
}

async function opened(path: string) {
  const tape = await replay(path)
  const form = new URLSearchParams({ client_id: 'key_demo', client_secret: 'any' })
  const token = await (await fetch(`${tape.url}/auth/token`, { method: 'POST', body: form })).json()
  const authorization = `Bearer ${(token as { access_token: string }).access_token}`
  const ask = async (method: 'GET' | 'POST', target: string, body?: string) => {
    const reply = await request(`${tape.url}${target}`, {
      method,
      headers: {
        authorization,
        'accept-encoding': 'gzip, br',
        ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
      },
      ...(body && { body }),
    })
    return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() }
  }
  const answers = [
    await ask('POST', '/v1/accounts/open', JSON.stringify({ customerRef: 'CUS-of-another-run', ...PERSON })),
    await ask('GET', `/v1/accounts/${ACCOUNT}`),
  ]
  return { answers, ledger: await tape.close() }
}

describe('an answer that was compressed', () => {
  it.each([
    ['gzip', 'gzip', gzipSync],
    ['brotli', 'br', brotliCompressSync],
    ['deflate', 'deflate', deflateRawSync],
    ['twice', 'gzip, br', (text: string) => brotliCompressSync(gzipSync(text))],
  ] as const)(
    '%s: has its values and instants in place, and says what it is',
    async (name, encoding, encode) => {
      const { path, account } = recorded(name, encoding, (text) => new Uint8Array(encode(text)))
      const { answers, ledger } = await opened(path)
      expect(ledger).toMatchObject({ missed: 0, unused: [] })
      for (const { headers, text } of answers) {
        expect(headers['content-encoding']).toBeUndefined()
        expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
        const { openedAt, ...rest } = JSON.parse(text)
        expect(rest).toEqual({ accountId: ACCOUNT, customerRef: 'CUS-of-another-run', balance: '10.00' })
        expect(Math.abs(Date.now() - Date.parse(openedAt))).toBeLessThan(60_000)
        // Nothing else has changed.
        expect(
          text.replace('CUS-of-another-run', 'CUS-1').replace(openedAt, '2026-01-15T09:30:00.000Z'),
        ).toBe(account)
      }
      expect(lintCassette(path, { secrets: createSecrets() })).toEqual([])
    },
  )

  it('in a way that nobody knows stays what it was, with its label', async () => {
    const { path, account } = recorded('label', 'gzip', (text) => new Uint8Array(Buffer.from(text)))
    const { answers } = await opened(path)
    for (const { headers, text } of answers) {
      expect(headers['content-encoding']).toBe('gzip')
      expect(text).toContain(JSON.parse(account).balance)
      expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
    }
  })
})
