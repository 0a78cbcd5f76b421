import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Partner } from '../../src/config/partners.ts'
import { hashSecret } from '../../src/config/sandbox-keys.ts'
import { createRegistry, type Registry } from '../../src/tokens/registry.ts'
import { proveClient, readTokenRequest } from '../../src/tokens/token-request.ts'
import { alpha, keyIdOf, parseJson, SECRET } from './fixtures.ts'

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64')
const read = (authorization: string, body = '') =>
  readTokenRequest({ contentType: undefined, authorization, body: Buffer.from(body) }, parseJson)

function proves(authorization: string, registry: Registry, body = ''): string | undefined {
  const result = read(authorization, body)
  return result.ok ? keyIdOf(proveClient(result.request, registry)) : result.refusal.code
}

/** Every way in which clients are known to spell one half of the pair. */
const ENCODINGS: Record<string, (text: string) => string> = {
  raw: (text) => text,
  'encodeURIComponent (openid-client of old)': encodeURIComponent,
  'URLSearchParams (Go, Spring)': (text) => new URLSearchParams({ v: text }).toString().slice(2),
  'every character (oauth4webapi)': (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
}

describe('HTTP Basic', () => {
  const printable = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCharCode(c)),
    minLength: 1,
  })

  it.each(Object.entries(ENCODINGS))('proves any ASCII secret, encoded: %s', (_, encode) => {
    fc.assert(
      fc.property(printable, (secret) => {
        const partner: Partner = { ...alpha, keys: [{ id: 'key_alpha', sha256: hashSecret(secret) }] }
        const registry = createRegistry([partner])
        const header = `Basic ${base64(`${encode('key_alpha')}:${encode(secret)}`)}`
        expect(proves(header, registry)).toBe('key_alpha')
        expect(proves(header, registry, new URLSearchParams({ client_secret: secret }).toString())).toBe(
          'key_alpha',
        )
      }),
    )
  })

  const registry = createRegistry([alpha])
  const pair = base64(`key_alpha:${SECRET}`)

  it.each([
    ['in lower case', `basic ${pair}`],
    ['with more spaces', `BASIC   ${pair}`],
    ['without padding', `Basic ${pair.replace(/=+$/, '')}`],
    ['with the tenant', `Basic ${base64(`tn_sandbox_alpha:${SECRET}`)}`],
    ['with the sandbox key twice', `Basic ${base64(`${SECRET}:${SECRET}`)}`],
  ])('is read %s', (_, header) => {
    expect(proves(header, registry)).toBe('key_alpha')
  })

  it.each([
    ['nothing', 'Basic'],
    ['only spaces', 'Basic   '],
    ['no base64', 'Basic key_alpha:secret'],
    ['base64 with something behind it', `Basic ${pair} x`],
    ['base64 with a line break in it', `Basic ${pair.slice(0, 8)}\n${pair.slice(8)}`],
    ['no colon', `Basic ${base64('key_alpha')}`],
    ['bytes that are not UTF-8', `Basic ${base64(Uint8Array.of(0x61, 0x3a, 0xff))}`],
    ['a NUL', `Basic ${base64('key_alpha:\0')}`],
    ['a line break', `Basic ${base64(`key_alpha:${SECRET}\n`)}`],
  ])('with %s is INVALID_CLIENT with a challenge, whatever the body holds', (_, header) => {
    const result = read(header, `client_id=key_alpha&client_secret=${SECRET}`)
    expect(result).toMatchObject({
      ok: false,
      usedBasic: true,
      refusal: { code: 'INVALID_CLIENT', headers: { 'www-authenticate': 'Basic realm="sandgate"' } },
    })
  })

  it('splits at the first colon', () => {
    const partner: Partner = { ...alpha, keys: [{ id: 'key_alpha', sha256: hashSecret('a:b:c') }] }
    expect(proves(`Basic ${base64('key_alpha:a:b:c')}`, createRegistry([partner]))).toBe('key_alpha')
  })

  it('may be repeated in the body, in whole or in part', () => {
    const bodies = [
      'client_id=key_alpha',
      `client_secret=${SECRET}`,
      `client_id=key_alpha&client_secret=${SECRET}`,
    ]
    for (const body of bodies) expect(proves(`Basic ${pair}`, registry, body)).toBe('key_alpha')
  })

  it('stands beside an empty body of any label', () => {
    const input = { contentType: 'application/json', authorization: `Basic ${pair}`, body: Buffer.alloc(0) }
    expect(readTokenRequest(input, parseJson)).toMatchObject({ ok: true, request: { usedBasic: true } })
  })

  it('asks for two proofs whether or not the first one succeeds or there is a second reading', () => {
    const counted = (header: string) => {
      let proofs = 0
      const counting: Registry = {
        ...registry,
        prove: (clientId, secret) => {
          proofs += 1
          return registry.prove(clientId, secret)
        },
      }
      proves(header, counting)
      return proofs
    }
    expect(counted(`Basic ${pair}`)).toBe(2)
    expect(counted(`Basic ${base64('key_alpha:wrong')}`)).toBe(2)
    expect(counted(`Basic ${base64('key%5Falpha:a+b')}`)).toBe(2)
    expect(counted(`Basic ${base64('key_alpha:%zz')}`)).toBe(2)
  })

  it('may be longer than the bound before it is decoded, not after', () => {
    const encoded = ENCODINGS['every character (oauth4webapi)']
    const header = (length: number) => `Basic ${base64(`key_alpha:${encoded?.('x'.repeat(length))}`)}`
    expect(read(header(512))).toMatchObject({ ok: true })
    expect(read(header(513))).toMatchObject({ ok: false, refusal: { code: 'INVALID_REQUEST' } })
  })
})
