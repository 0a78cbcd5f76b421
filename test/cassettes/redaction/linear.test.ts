import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { CONTRACT_FIELDS } from '../../../src/cassettes/redaction/contract.ts'
import { createSecrets } from '../../../src/cassettes/redaction/secrets/secrets.ts'
import { EFFORT } from '../../support/effort.ts'
import { bodyText, exchange, redactor } from '../recording-fixtures.ts'

const KB = 1024
const SIZE = (EFFORT === 'soak' ? 16 : 4) * KB
const fill = (piece: string) => (size: number) => piece.repeat(Math.ceil(size / piece.length))
const list = (item: (i: number) => string) => (size: number) => {
  const items: string[] = []
  for (let length = 0; length < size; length += (items.at(-1)?.length ?? 0) + 1)
    items.push(item(items.length))
  return `[${items.join(',')}]`
}

/** Bodies that have held up a reader that looks at something more than once, by media type. */
const BODIES: readonly (readonly [name: string, type: string, make: (size: number) => string])[] = [
  ['heads of parts', 'multipart/form-data', fill('content-disposition: form-data; name=a')],
  ['lines of a head', 'multipart/form-data', fill('content-disposition: form-data; name=a\r\n')],
  ['parts', 'multipart/form-data', fill('--b\r\ncontent-disposition: form-data; name=a\r\n\r\nx\r\n')],
  ['open objects', 'application/json', fill('{"a":')],
  ['quotes', 'application/json', fill('"')],
  ['one name again and again', 'application/json', (size) => `{${fill('"firstName":"Awa",')(size)}"a":1}`],
  ['people', 'application/json', list((i) => `{"email":"a@b${i}.c"}`)],
  [
    'secrets that begin alike',
    'application/json',
    list((i) => `{"password":"${'a'.repeat(8 + (i % 900))}"}`),
  ],
  ['numbers', 'application/json', list(String)],
  ['beginnings of tokens', 'text/plain', fill('eyJ')],
  ['parts of tokens', 'text/plain', fill('eyJaaaaaaaaaaaaa.')],
  ['names without values', 'application/x-www-form-urlencoded', fill('a&')],
  ['pins', 'application/x-www-form-urlencoded', fill('pin=1234&')],
  ['open inputs', 'text/html', fill('<input ')],
  ['open quotes', 'text/html', fill(`<input name="a" value='>`)],
  ['elements', 'application/xml', (size) => `<r>${fill('<a>1</a>')(size)}`],
  ['encoded signs', 'text/plain', fill('%2525')],
  ['escapes', 'text/plain', fill('\\u005c')],
  ['entities', 'text/plain', fill('&amp;')],
  ['labels', 'text/plain', fill('key:')],
  ['assignments', 'text/plain', fill('token="')],
  ['keys in base64', 'text/plain', fill('c2tfc2FuZGJveF8')],
  ['private keys', 'text/plain', fill('-----BEGIN PRIVATE KEY-----')],
  ['pairs', 'application/json', list(() => '{"name":"pin","value":"1234"}')],
  ['names beside nothing', 'application/json', list((i) => `{"name":"a${i}"}`)],
  [
    'JSON in a text',
    'application/json',
    (size) => `{"a":${JSON.stringify(`[${fill('{"phone":"+2250712345678"},')(size)}1]`)}}`,
  ],
  ['phones', 'text/plain', fill('phone: +2250712345678 ')],
  ['rows', 'text/csv', (size) => `phone,pin\n${fill('+2250712345678,1234\n')(size)}`],
  ['open cells', 'text/csv', (size) => `a,b\n${fill('"a,')(size)}`],
  ['lines of base64', 'text/plain', fill(`${'QUJD'.repeat(19)}\r\n`)],
  ['runs that are too short', 'text/plain', fill('abcdefghijklmno.')],
  ['flags', 'text/plain', fill(' --token x')],
  ['quotes', 'text/plain', fill(`key=""`)],
  ['white space', 'text/plain', fill(`bearer ${' '.repeat(1000)}`)],
]

/** Milliseconds of CPU. */
function cpuMs(type: string, body: Buffer): number {
  const headers = [['Content-Type', type]] as const
  const { redact } = redactor({ secrets: createSecrets(CONTRACT_FIELDS.words) })
  const before = process.cpuUsage()
  redact(exchange({ target: '/v1/x', headers, body, replyHeaders: headers, reply: body }))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** A square would be sixteen times, beside what little the smallest takes. */
const isSteep = (short: number, long: number) => long >= 10 * Math.max(short, 10)
const TRIES = 4

describe('a body of four times the size takes about four times as long', () => {
  it.each(BODIES)('%s', (_, type, make) => {
    const small = Buffer.from(make(SIZE), 'latin1')
    const large = Buffer.from(make(4 * SIZE), 'latin1')
    const short = cpuMs(type, small)
    let long = cpuMs(type, large)
    // The collector runs when it likes, and a machine with other work does not always count alike.
    for (let tries = 1; tries < TRIES && isSteep(short, long); tries++)
      long = Math.min(long, cpuMs(type, large))
    expect(isSteep(short, long), `${short} ms, and ${long} ms of four times as much`).toBe(false)
  })
})

describe('a body beyond what is looked through', () => {
  const bombs = (inner: Buffer, layers: number): Buffer =>
    layers === 0 ? inner : bombs(gzipSync(inner), layers - 1)
  it.each([
    ['that is nested deeper', Buffer.from('{"a":'.repeat(12_000)), 'beyond too-deep'],
    ['with more fields', Buffer.from(`[${'1,'.repeat(260_000)}1]`), 'beyond too-many-fields'],
    [
      'with more people',
      Buffer.from(`[${'{"phone":"+2250712345678"},'.repeat(10_001)}1]`),
      'beyond too-many-secrets',
    ],
    ['that unpacks to more', gzipSync(Buffer.alloc(17 * KB * KB)), 'beyond unpacks-too-far'],
    ['that is packed in more layers', bombs(Buffer.from('{"a":1}'), 8), 'beyond unpacks-too-far'],
    [
      'in a packing that nobody here knows',
      Buffer.from('\x28\xb5\x2f\xfd\x04\x00', 'latin1'),
      'beyond unknown-packing',
    ],
    ['that is longer', Buffer.alloc(16 * KB * KB + 1, 'a'), 'beyond too-long'],
    ['that is too much for the platform', Buffer.from('pin:1234,'.repeat(150_000)), 'beyond too-m'],
  ])('%s is its length and a digest as a request, and no answer as a reply', (_, body, rule) => {
    const { redact } = redactor()
    const one = redact(exchange({ target: '/v1/x', body, reply: body }))
    expect(bodyText(one.exchange.request)).toMatch(/^a body of \d+ bytes, scrypt [\w-]{32}$/)
    expect(one.redactions).toMatchObject([{ rule: expect.stringContaining(rule) }])
    expect(one.exchange).toMatchObject({ reply: undefined, noReply: 'beyond-bound' })
    // The same bytes are the same request, in another run as well; others are not.
    const again = (bytes: Buffer) =>
      bodyText(redactor().redact(exchange({ target: '/v1/x', body: bytes })).exchange.request)
    const same = again(body)
    expect(same).toBe(bodyText(one.exchange.request))
    // This process remembers the last ones; of the shortest body it is known what another one has made of it.
    if (body.length === 6) expect(same).toBe('a body of 6 bytes, scrypt U5dq8jpBunfEImdYTGTDCmDMSjVwL0Na')
    const other = Buffer.from(body)
    other[other.length - 1] = (other[other.length - 1] ?? 0) ^ 1
    expect(again(other)).not.toBe(same)
  })
})
