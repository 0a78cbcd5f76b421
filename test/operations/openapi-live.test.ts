import { randomUUID } from 'node:crypto'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { DOCUMENT_REQUESTS } from '../support/effort.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { get, type Reply, token, transmit } from '../support/http.ts'
import { partner } from '../support/partners.ts'

type Json = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes, read by its own pointers
type Part = any

const PLENTY = 1_000_000
let gateway: Gateway
let document: Part
let ajv: Ajv2020
let bearer = ''

beforeAll(async () => {
  const groups =
    'token accounts.open kyc.submit payments.fund payments.cashout credit.simulate credit.apply other'
  gateway = await startGateway({
    partners: [partner('generated')],
    config: {
      rateLimits: { groups: Object.fromEntries(groups.split(' ').map((group) => [group, PLENTY])) },
      tokens: { failuresPerIp: PLENTY },
    },
  })
  document = (await get(gateway, '/openapi.json', { token: null })).json
  bearer = await token(gateway)
  ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
  formats.default(ajv)
  ajv.addSchema(document, 'openapi')
  return async () => void (await gateway.stop())
})

const compiled = new Map<string, ValidateFunction>()
function validator(pointer: string): ValidateFunction {
  const known = compiled.get(pointer)
  if (known) return known
  const made = ajv.compile({ $ref: `openapi#/${pointer}` })
  compiled.set(pointer, made)
  return made
}

/** What a reference leads to, with the pointer of where it stands. */
function resolved(part: Part, pointer: string): [Part, string] {
  if (part?.$ref === undefined) return [part, pointer]
  const at = String(part.$ref).slice(2)
  const found = at.split('/').reduce((before: Part, step) => before[decoded(step)], document)
  return [found, at]
}

const encoded = (step: string) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))
const decoded = (step: string) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')

type Operation = { id: string; method: string; path: string; part: Part; pointer: string }

function operations(): Operation[] {
  return Object.entries(document.paths as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, part]) => ({
      id: (part as Part).operationId,
      method: method.toUpperCase(),
      path,
      part,
      pointer: `paths/${encoded(path)}/${method}`,
    })),
  )
}

/** Everything that the document does not say about an answer; empty for one that it describes. */
function undescribed({ id, part, pointer }: Operation, reply: Reply): string[] {
  const found = part.responses[reply.status]
  if (!found) return [`${id}: the document knows no ${reply.status} (${reply.json?.code})`]
  const [response, at] = resolved(found, `${pointer}/responses/${reply.status}`)
  const wrong: string[] = []
  for (const [name, header] of Object.entries(response.headers as Json)) {
    const [described, place] = resolved(header, '')
    const value = reply.headers[name.toLowerCase()]
    if (value === undefined && described.required) wrong.push(`${name} is missing`)
    if (value === undefined) continue
    const typed = described.schema.type === 'integer' ? Number(value) : value
    if (!validator(`${place}/schema`)(typed)) wrong.push(`${name}: ${value}`)
  }
  for (const name of [
    'retry-after',
    'www-authenticate',
    'location',
    'x-sandbox-rule',
    'idempotency-replayed',
  ])
    if (
      reply.headers[name] !== undefined &&
      !Object.keys(response.headers).some((each) => each.toLowerCase() === name)
    )
      wrong.push(`${name} is not described`)
  const [type = '', media] = Object.entries((response.content ?? {}) as Json)[0] ?? []
  if (reply.bytes.length > 0 || media) {
    if (reply.headers['content-type'] !== type)
      wrong.push(`it is ${reply.headers['content-type']}, not ${type}`)
    const check = validator(`${at}/content/${encoded(type)}/schema`)
    if (!check(reply.json)) wrong.push(ajv.errorsText(check.errors))
  }
  return wrong.map((each) => `${id} ${reply.status} ${reply.json?.code ?? ''}: ${each}`)
}

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
)

/** The example of the document with some of its properties left out, replaced or added. */
function bodies({ part }: Operation): fc.Arbitrary<Json | undefined> {
  const [media] = Object.values((part.requestBody?.content ?? {}) as Json) as Part[]
  if (!media) return fc.constant(undefined)
  const example = (Object.values(media.examples)[0] as Part).value as Json
  const [schema] = resolved(media.schema, '')
  const names = [...Object.keys(schema.properties ?? {}), 'unknown']
  const change = fc.record({
    name: fc.constantFrom(...names),
    value: fc.option(anything, { nil: undefined }),
  })
  return fc.array(change, { maxLength: 2 }).map((changes) => {
    const body = { ...example }
    for (const { name, value } of changes) {
      if (value === undefined) delete body[name]
      else body[name] = value
    }
    return body
  })
}

type Generated = { path: string; query: Json; body: Json | undefined; headers: Record<string, string> }

function requests(operation: Operation): fc.Arbitrary<Generated> {
  const parameters = (operation.part.parameters as Part[]).map((each) => resolved(each, '')[0])
  const inQuery: Part[] = parameters.filter((each) => each.in === 'query')
  const value = (each: Part) =>
    fc.oneof(
      fc.constant(each.example ?? each.schema?.examples?.[0] ?? '1'),
      fc.constantFrom('0', '60', '61', 'x', '-1', '99'),
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
  const authorization = fc.oneof(
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

async function ask({ method, id }: Operation, { path, query, body, headers }: Generated): Promise<Reply> {
  const search = new URLSearchParams(query as Record<string, string>).toString()
  const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body))
  const { authorization, ...rest } = headers
  return transmit(gateway, method, path + (search && `?${search}`), bytes, {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(id === 'auth.token' ? rest : headers),
  })
}

it('the document describes every answer, and what its schemas allow is what the gateway takes', async () => {
  const all = operations()
  const each = Math.ceil(DOCUMENT_REQUESTS / all.length)
  const wrong = new Set<string>()
  for (const operation of all) {
    const media = Object.keys((operation.part.requestBody?.content ?? {}) as Json).find((type) =>
      type.endsWith('json'),
    )
    const check = media && validator(`${operation.pointer}/requestBody/content/${encoded(media)}/schema`)
    const sample = fc.sample(requests(operation), each)
    const judged = async (generated: Generated) => {
      const reply = await ask(operation, generated)
      for (const problem of undescribed(operation, reply)) wrong.add(problem)
      if (operation.id === 'auth.token') return
      const allowed = (!check || check(generated.body)) && isQueryAllowed(operation, generated.query)
      const refused = reply.json?.code === 'VALIDATION_FAILED'
      if (reply.status < 300 && !allowed)
        wrong.add(
          `${operation.id} takes what the schema forbids: ${JSON.stringify([generated.query, generated.body])}`,
        )
      if (refused && allowed && !isBeyondSchemas(reply))
        wrong.add(
          `${operation.id} refuses what the schema allows: ${JSON.stringify([generated.query, generated.body, reply.json.errors])}`,
        )
    }
    for (let at = 0; at < sample.length; at += 32) await Promise.all(sample.slice(at, at + 32).map(judged))
  }
  expect([...wrong].slice(0, 20)).toEqual([])
})

function isQueryAllowed({ part, pointer }: Operation, query: Json): boolean {
  return (part.parameters as Part[]).every((parameter, index) => {
    const [described, at] = resolved(parameter, `${pointer}/parameters/${index}`)
    const text = query[described.name]
    if (described.in !== 'query' || text === undefined) return true
    const [schema] = resolved(described.schema, '')
    const isNumber = schema.type === 'integer' && /^-?[0-9]+$/.test(String(text))
    return validator(`${at}/schema`)(isNumber ? Number(text) : text)
  })
}

/** That a date is over, and that a cursor is one that the gateway has given, is more than a schema can say. */
function isBeyondSchemas({ json }: Reply): boolean {
  return (json.errors as { pointer?: string; parameter?: string }[]).every(
    ({ pointer, parameter }) => pointer === '#/dateOfBirth' || parameter === 'cursor',
  )
}

it('a replay and a challenge have the headers that only they have', async () => {
  const fund = operations().find(({ id }) => id === 'payments.fund')
  if (!fund) throw new Error('the document has no payments.fund')
  const once: Generated = {
    path: fund.path,
    query: {},
    body: { amount: 5077 },
    headers: { authorization: `Bearer ${bearer}`, 'idempotency-key': randomUUID() },
  }
  const replies = [await ask(fund, once), await ask(fund, once), await ask(fund, { ...once, headers: {} })]
  expect(replies.flatMap((reply) => undescribed(fund, reply))).toEqual([])
  expect(replies.map(({ headers }) => headers['idempotency-replayed'])).toEqual([
    undefined,
    'true',
    undefined,
  ])
})
