import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { DOCUMENT_REQUESTS } from '../support/effort.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { get, type Reply, token, transmit } from '../support/http.ts'
import {
  type DocumentedOperation,
  encoded,
  type Json,
  type OpenApi,
  type Part,
  readOpenApi,
} from '../support/openapi.ts'
import { partner } from '../support/partners.ts'

const PLENTY = 1_000_000
const client = partner('generated')
let gateway: Gateway
let openApi: OpenApi
let bearer = ''

beforeAll(async () => {
  const groups =
    'token accounts.open kyc.submit payments.fund payments.cashout credit.simulate credit.apply other'
  gateway = await startGateway({
    runs: 'here',
    partners: [client],
    config: {
      rateLimits: { groups: Object.fromEntries(groups.split(' ').map((group) => [group, PLENTY])) },
      tokens: { failuresPerIp: PLENTY },
    },
  })
  openApi = readOpenApi((await get(gateway, '/openapi.json', { token: null })).json)
  bearer = await token(gateway)
  return async () => void (await gateway.stop())
})

/** A JSON number as it is written: what a parser makes of it is less than it says. */
class Written {
  readonly digits: string
  constructor(digits: string) {
    this.digits = digits
  }
}

/** Whether a JSON number is a whole one that JavaScript holds exactly, by its text alone. */
function isExact({ digits }: Written): boolean {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(digits) ?? []
  const power = Number(exponent) - fraction.length
  const all = BigInt(whole + fraction)
  if (all === 0n) return true
  if (Math.abs(power) > 400) return false
  const scale = 10n ** BigInt(Math.abs(power))
  if (power < 0 && all % scale !== 0n) return false
  const value = power < 0 ? all / scale : all * scale
  return (sign ? -value : value) <= BigInt(Number.MAX_SAFE_INTEGER)
}

const written = fc
  .oneof(
    fc.constantFrom(
      ...['9007199254740991', '9007199254740992', '9007199254740991.0', '9007199254740991.4'],
      ...['9007199254740990.5', '9007199254740993', '9.007199254740991e15', '90071992547409910e-1'],
      ...[
        '90071992547409911e-1',
        '1000.0',
        '1e3',
        '1.5e1',
        '15e-1',
        '10e-1',
        '0.1e1',
        '1E+2',
        '1e-0',
        '1e400',
      ],
      ...[
        '1.0000000000000000001',
        '99999999999999999999',
        '-0',
        '-1',
        '0',
        '0.0',
        '1e-400',
        '60.0',
        '61',
        '6e1',
      ],
    ),
    fc
      .tuple(fc.nat({ max: 2 ** 31 }), fc.nat({ max: 3 }), fc.integer({ min: -4, max: 14 }))
      .map(([digits, zeros, exponent]) => `${digits}.${'0'.repeat(zeros)}1e${exponent}`),
    fc.bigInt({ min: 2n ** 53n - 40n, max: 2n ** 53n + 40n }).map(String),
  )
  .map((digits) => new Written(digits))

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom<unknown>(
    '',
    '\u0000',
    'a\u0000b',
    0,
    1,
    -1,
    0.5,
    1e21,
    2 ** 53 - 1,
    2 ** 53,
    true,
    null,
    [],
    {},
  ),
  fc.constantFrom<unknown>(
    '2999-01-01',
    '1990-02-30',
    '1990-04-12',
    'CI',
    'XX',
    'http://a.example',
    'ftp://a.example',
  ),
  fc.constantFrom<unknown>(
    'https://u:p@a.example',
    'javascript:alert(1)',
    '+225',
    '+2250700000009',
    'BUS-009',
    '*',
  ),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  written,
  // Around today, and dates that no calendar has.
  fc
    .integer({ min: -3, max: 3 })
    .map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)),
  fc
    .tuple(fc.nat({ max: 9999 }), fc.nat({ max: 13 }), fc.nat({ max: 32 }))
    .map(([year, month, day]) =>
      [String(year).padStart(4, '0'), ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-'),
    ),
)

/** The example of the document with some of its properties left out, replaced or added. */
function bodies({ part }: DocumentedOperation): fc.Arbitrary<Json | undefined> {
  const [media] = Object.values((part.requestBody?.content ?? {}) as Json) as Part[]
  if (!media) return fc.constant(undefined)
  const shown = (Object.values(media.examples)[0] as Part).value as Json
  const own = { client_id: client.keyId, client_secret: client.secret }
  const example = 'client_id' in shown ? { ...shown, ...own } : shown
  const [schema] = openApi.resolved(media.schema, '')
  const names = [...Object.keys(schema.properties ?? {}), 'unknown']
  const change = fc.record({
    name: fc.constantFrom(...names),
    value: fc.option(anything, { nil: undefined }),
  })
  const number = fc.record({
    name: fc.constantFrom(...names.filter((name) => name === 'amount' || name === 'termMonths'), 'amount'),
    value: written,
  })
  const changes_ = fc.oneof(
    { arbitrary: change, weight: 4 },
    { arbitrary: number, weight: names.includes('amount') ? 2 : 0 },
  )
  return fc.array(changes_, { maxLength: 2 }).map((changes) => {
    const body = { ...example }
    for (const { name, value } of changes) {
      if (value === undefined) delete body[name]
      else body[name] = value
    }
    return body
  })
}

type Generated = { path: string; query: Json; body: Json | undefined; headers: Record<string, string> }

function requests(operation: DocumentedOperation): fc.Arbitrary<Generated> {
  const parameters = (operation.part.parameters as Part[]).map((each) => openApi.resolved(each, '')[0])
  const inQuery: Part[] = parameters.filter((each) => each.in === 'query')
  const value = (each: Part) =>
    fc.oneof(
      fc.constant(each.example ?? each.schema?.examples?.[0] ?? '1'),
      fc.constantFrom(...['0', '1', '60', '61', 'x', '-1', '99', '', '6e1', '60.0', '+60', ' 60', '٦']),
      fc.constantFrom('9007199254740991', '9007199254740992', '9007199254740990', '99999999999999999999'),
    )
  const query = fc
    .record(
      Object.fromEntries(
        inQuery.map((each) => [
          each.name,
          each.required ? value(each) : fc.option(value(each), { nil: undefined }),
        ]),
      ) as Record<string, fc.Arbitrary<string | undefined>>,
    )
    .map((each) => Object.fromEntries(Object.entries(each).filter(([, text]) => text !== undefined)))
  const id = fc.constantFrom('acc_0', 'kws_x', 'wh_y', 'nothing', '%20', 'a'.repeat(200))
  const often = { maxDepth: 0, weight: 6 }
  const basic = (secret: string) => `Basic ${Buffer.from(`${client.keyId}:${secret}`).toString('base64')}`
  const authorization =
    operation.id === 'auth.token'
      ? fc.constantFrom(undefined, undefined, undefined, basic(client.secret), basic('wrong'), 'Basic x')
      : fc.oneof(
          { arbitrary: fc.constant<string | undefined>(`Bearer ${bearer}`), weight: often.weight },
          { arbitrary: fc.constantFrom(undefined, 'Bearer x', 'Basic x'), weight: 1 },
        )
  const key = fc.oneof(
    { arbitrary: fc.uuid({ version: 4 }).map((uuid): string | undefined => uuid), weight: often.weight },
    { arbitrary: fc.constantFrom(undefined, 'x'), weight: 1 },
  )
  const tenant = fc.constantFrom(undefined, undefined, undefined, 'tn_sandbox_generated', 'tn_sandbox_other')
  return fc
    .record({ body: bodies(operation), query, id, authorization, key, tenant })
    .map(({ body, query, id, authorization, key, tenant }) => ({
      path: operation.path.replaceAll(/\{[A-Za-z]+\}/g, id),
      query,
      body,
      headers: Object.fromEntries(
        Object.entries({ authorization, 'idempotency-key': key, 'x-tenant-id': tenant }).filter(
          (pair): pair is [string, string] => pair[1] !== undefined,
        ),
      ),
    }))
}

const isForm = (operation: DocumentedOperation, body: Json | undefined, key: string | undefined) =>
  operation.id === 'auth.token' && body !== undefined && key === 'x'

/** The body as JSON, with numbers as they are written. */
function jsonText(body: Json): string {
  const numbers: string[] = []
  const text = JSON.stringify(body, (_, value) => {
    if (!(value instanceof Written)) return value
    numbers.push(value.digits)
    return `\u0001${numbers.length - 1}\u0001`
  })
  return text.replaceAll(/"\\u0001([0-9]+)\\u0001"/g, (_, index) => numbers[Number(index)] ?? '')
}

async function ask(
  operation: DocumentedOperation,
  { path, query, body, headers }: Generated,
): Promise<Reply> {
  const search = new URLSearchParams(query as Record<string, string>).toString()
  const form = isForm(operation, body, headers['idempotency-key'])
  const text = form ? new URLSearchParams(body as Record<string, string>).toString() : body && jsonText(body)
  return transmit(
    gateway,
    operation.method,
    path + (search && `?${search}`),
    text === undefined ? null : Buffer.from(text),
    {
      ...(text !== undefined && {
        'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
      }),
      ...headers,
    },
  )
}

/** Whether the schema of the body allows what was sent: of a form, its texts. */
function isBodyAllowed(operation: DocumentedOperation, { body, headers }: Generated): boolean {
  if (body === undefined) return true
  const form = isForm(operation, body, headers['idempotency-key'])
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
  const check = openApi.validator(`${operation.pointer}/requestBody/content/${encoded(type)}/schema`)
  const sent = form
    ? Object.fromEntries(new URLSearchParams(body as Record<string, string>))
    : JSON.parse(jsonText(body))
  const inexact = Object.entries(body).some(
    ([name, value]) => INTEGERS.has(name) && value instanceof Written && !isExact(value),
  )
  return check(sent) && !inexact
}

const INTEGERS = new Set(['amount', 'termMonths'])

it('the document describes every answer, and what its schemas allow is what the gateway takes', async () => {
  const all = openApi.operations()
  const each = Math.ceil(DOCUMENT_REQUESTS / all.length)
  const wrong = new Set<string>()
  const counts = { taken: 0, refused: 0 }
  for (const operation of all) {
    const judged = async (generated: Generated) => {
      const reply = await ask(operation, generated)
      for (const problem of openApi.undescribed(operation, reply)) wrong.add(problem)
      const allowed = isBodyAllowed(operation, generated) && isQueryAllowed(operation, generated.query)
      const shown = `${operation.id} ${JSON.stringify([generated.query, generated.body && jsonText(generated.body), reply.json])}`
      if (reply.status < 300) counts.taken++
      if (reply.status < 300 && !allowed) wrong.add(`takes what the schema forbids: ${shown}`)
      if (reply.json?.code !== 'VALIDATION_FAILED' && reply.json?.code !== 'INVALID_REQUEST') return
      counts.refused++
      if (allowed && !isBeyondSchemas(generated, reply)) wrong.add(`refuses what the schema allows: ${shown}`)
    }
    const sample = fc.sample(requests(operation), each)
    for (let at = 0; at < sample.length; at += 32) await Promise.all(sample.slice(at, at + 32).map(judged))
  }
  expect([...wrong].slice(0, 20)).toEqual([])
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(DOCUMENT_REQUESTS / 10)
})

function isQueryAllowed({ part, pointer }: DocumentedOperation, query: Json): boolean {
  return (part.parameters as Part[]).every((parameter, index) => {
    const [described, at] = openApi.resolved(parameter, `${pointer}/parameters/${index}`)
    const text = query[described.name]
    if (described.in !== 'query' || text === undefined) return true
    const [schema] = openApi.resolved(described.schema, '')
    const isNumber = schema.type === 'integer' && /^(?:0|-?[1-9][0-9]*)$/.test(String(text))
    if (isNumber && !isExact(new Written(String(text)))) return false
    return openApi.validator(`${at}/schema`)(isNumber ? Number(text) : text)
  })
}

/**
 * That a date is over, that a cursor is one that the gateway has given, that credentials are there once, and what a loan
 * comes to, is more than a schema can say.
 */
function isBeyondSchemas({ body, query, headers }: Generated, { json }: Reply): boolean {
  if (json.code === 'INVALID_REQUEST') return headers.authorization?.startsWith('Basic ') ?? false
  const today = new Date().toISOString().slice(0, 10)
  return (json.errors as { pointer?: string; parameter?: string; detail: string }[]).every(
    ({ pointer, parameter, detail }) =>
      parameter === 'cursor' ||
      (pointer === '#/dateOfBirth' && String(body?.dateOfBirth) >= today) ||
      (/repaid/.test(detail) && Number(query.amount) * 1.05 > Number.MAX_SAFE_INTEGER),
  )
}

it('a replay and a challenge have the headers that only they have', async () => {
  const fund = openApi.operations().find(({ id }) => id === 'payments.fund')
  if (!fund) throw new Error('the document has no payments.fund')
  const once: Generated = {
    path: fund.path,
    query: {},
    body: { amount: 5077 },
    headers: { authorization: `Bearer ${bearer}`, 'idempotency-key': randomUUID() },
  }
  const replies = [await ask(fund, once), await ask(fund, once), await ask(fund, { ...once, headers: {} })]
  expect(replies.flatMap((reply) => openApi.undescribed(fund, reply))).toEqual([])
  expect(replies.map(({ headers }) => headers['idempotency-replayed'])).toEqual([
    undefined,
    'true',
    undefined,
  ])
})
