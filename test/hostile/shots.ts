import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { OperationRow } from '../../src/operations/operation.ts'
import { ROWS } from '../../src/operations/operations.ts'
import { secretOf } from '../support/partners.ts'
import { fragments } from './fragments.ts'
import {
  authorization,
  contentType,
  idempotencyKey,
  type Line,
  line,
  oddHeaders,
  type Who,
} from './header-lines.ts'
import { bodyDamage, extraName, HUSH, hostileQuery, hostileSegment, rawValue } from './values.ts'

/** One thing to throw at the gateway. `{…}` in its text is filled in by what is known when it is thrown. */
export type Shot = {
  readonly who: Who
  readonly method: string
  /** The operation whose path and method it has, for what a success must look like. */
  readonly operation: string | undefined
  /** Head and body as they go on the wire, with places to fill in. */
  readonly head: string
  readonly body: Buffer
  /** Needs a connection of its own: it may close it, or is not framed as HTTP is. */
  readonly alone: boolean
}

/** What is put into the places of a head. */
export type Known = {
  readonly host: string
  readonly tokens: { readonly a: string; readonly b: string }
  readonly accountOfA: string
  readonly webhookOfA: string
  readonly sessionOfA: string
}

export function wire(shot: Shot, known: Known): Buffer {
  const head = shot.head.replace(/\{([a-zA-Z.]+)\}/g, (place, name: string) => {
    if (name === 'uuid') return randomUUID()
    const [outer, inner] = name.split('.') as [keyof Known, 'a' | 'b']
    const value = known[outer] ?? place
    return typeof value === 'string' ? value : value[inner]
  })
  return Buffer.concat([Buffer.from(head, 'latin1'), shot.body])
}

/** A body of an operation: its example with some fields replaced, some added, some twice. */
function bodyOf(row: OperationRow, who: Who): fc.Arbitrary<Buffer> {
  const valid = Object.entries({ ...row.exampleBody, ...(who === 'a' ? canaries(row) : {}) })
  const entries = valid.map(([name, value]) => [name, JSON.stringify(value)] as const)
  const names = row.body && 'properties' in row.body ? Object.keys(row.body.properties as object) : ['x']
  const render = (list: readonly (readonly [string, string])[]) =>
    Buffer.from(`{${list.map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join(',')}}`)
  const entry = fc.tuple(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, extraName), rawValue)
  const hostile = fc
    .tuple(fc.subarray(entries), fc.array(entry, { maxLength: 3 }), fc.boolean(), bodyDamage)
    .map(([kept, more, twice, damage]) => {
      const named = new Set(more.map(([name]) => name))
      return damage(render([...(twice ? kept : kept.filter(([name]) => !named.has(name))), ...more]))
    })
  return fc.oneof({ weight: 2, arbitrary: fc.constant(render(entries)) }, { weight: 3, arbitrary: hostile })
}

/** What A tells about its customers, and nobody else may ever see. */
export const CANARY = 'canary-a-4f19c2'
export const CANARY_PHONE = '+22507419283'
export const SIGNING_SECRET = 'whsec_canary-signing-secret-77d1'

function canaries(row: OperationRow): Record<string, unknown> {
  if (row.id === 'accounts.open')
    return { customerRef: CANARY, phone: CANARY_PHONE, firstName: CANARY, metadata: { note: CANARY } }
  if (row.id === 'webhooks.register')
    return { url: `https://${CANARY}.example/hook`, signingSecret: SIGNING_SECRET }
  if (row.id === 'kyc.submit' || row.id === 'kyc.widget.session')
    return { phone: CANARY_PHONE, customerRef: CANARY }
  return 'exampleBody' in row && row.exampleBody && 'customerRef' in row.exampleBody
    ? { customerRef: CANARY }
    : {}
}

const exchangeOf = (keyId: string) =>
  `grant_type=client_credentials&client_id=${keyId}&client_secret=${secretOf(keyId)}`
const badExchanges = [
  '',
  'grant_type=client_credentials',
  'client_id=key_canary-a&client_secret=wrong',
  `client_id=${HUSH}&client_secret=${HUSH}`,
  'client_id=key_canary-a&client_id=x&client_secret=y',
  '{"client_id":"key_canary-a","client_secret":["x"]}',
  '{"__proto__":{}}',
  'grant_type=password&username=x',
  'scope=%ff',
  'client_id=%00&client_secret=%00',
  '{"client_id":',
  'a=b=c&&&=',
  'x'.repeat(5000),
]

function tokenBody(each: Who): fc.Arbitrary<Buffer> {
  const right = { a: exchangeOf('key_canary-a'), b: exchangeOf('key_plain-b'), nobody: '' }[each]
  return fc.constantFrom(right, ...badExchanges).map((text) => Buffer.from(text))
}

const pages = [
  '/.well-known/jwks.json',
  '/.well-known/oauth-authorization-server',
  '/openapi.json',
  '/docs',
  '/docs/errors/RATE_LIMITED',
  '/docs/errors/__proto__',
  '/docs/errors/x',
  '/kyc/widget/{sessionOfA}',
  '/kyc/widget/kws_x',
  '/docs/',
  '/docs/errors',
  '/portal',
  '/portal/',
  '/portal/sign-in',
  '/portal/sign-out',
  '/portal/usage?lang=fr&history=days&request=%22%3E%3Cscript%3E',
  '/',
  '/favicon.ico',
  '/metrics',
  '/livez',
  '/readyz',
  '/clock',
  '/admin',
  '/.git/config',
  '/v1',
  '/V1/accounts',
  '/v1/accounts/',
  '//v1/accounts',
  '/v1//accounts',
  '/v1/%61ccounts',
  '/v1/accounts;a=1',
  '/v1/./accounts',
  'http://evil.example/v1/accounts',
  '*',
  '/%',
  '/x'.repeat(700),
]
const METHODS = [
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'PROPFIND',
]

function assemble(
  who: Who,
  wanted: string,
  target: string,
  operation: string | undefined,
  lines: readonly Line[],
  body: Buffer,
): Shot {
  const alone =
    lines.some((each) => each.alone) ||
    body.length > 60_000 ||
    target.length > 8000 ||
    !/^[!-~]+$/.test(target)
  // What the parser refuses is answered with a body, whether it was a HEAD or not: nobody can know.
  const method = alone && wanted === 'HEAD' ? 'GET' : wanted
  const written = lines.map(({ text }) => text).filter((text) => text !== '')
  const length = body.length > 0 || method === 'POST' ? [`Content-Length: ${body.length}`] : []
  const head = [`${method} ${target} HTTP/1.1`, 'Host: {host}', ...written, ...length, '', ''].join('\r\n')
  return { who, method, operation, head, body, alone }
}

const who = fc.constantFrom<Who>('a', 'b', 'b', 'nobody')
const oddities = (each: Who) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Line[]>([]) },
    { weight: 2, arbitrary: fc.array(oddHeaders(each), { minLength: 1, maxLength: 2 }) },
  )

function targetOf(row: OperationRow): fc.Arbitrary<string> {
  const ids: Record<string, string> = {
    accountId: '{accountOfA}',
    webhookId: '{webhookOfA}',
    sessionId: '{sessionOfA}',
  }
  const segment = (name: string) => fc.oneof(fc.constant(ids[name] ?? 'x'), hostileSegment)
  const name = /\{([A-Za-z]+)\}/.exec(row.path)?.[1]
  const path =
    name === undefined
      ? fc.constant(row.path)
      : segment(name).map((text) => row.path.replace(`{${name}}`, () => text))
  const valid = row.exampleQuery
    ? `?${new URLSearchParams(Object.entries(row.exampleQuery).map(([key, value]): [string, string] => [key, String(value)]))}`
    : ''
  const query = fc.oneof(
    { weight: 3, arbitrary: fc.constant(valid) },
    { weight: row.query ? 3 : 1, arbitrary: hostileQuery },
  )
  return fc.tuple(path, query).map((parts) => parts.join(''))
}

/** What A has is looked for in every answer, so A itself deletes nothing. */
const deleter = (each: Who, method: string): Who => (method === 'DELETE' && each === 'a' ? 'b' : each)

const operationShot: fc.Arbitrary<Shot> = fc.tuple(fc.constantFrom(...ROWS), who).chain(([row, chosen]) => {
  const each = deleter(chosen, row.method)
  const isToken = row.id === 'auth.token'
  // Signing is the dearest thing that the gateway does; most exchanges here fail.
  const body = isToken
    ? tokenBody(each)
    : row.method === 'POST'
      ? bodyOf(row, each)
      : fc.constant(Buffer.alloc(0))
  const type =
    row.method === 'POST' ? contentType.map((text) => line(`Content-Type: ${text}`)) : fc.constant(line(''))
  const login = isToken ? fc.constant(line('')) : authorization(each)
  return fc
    .tuple(targetOf(row), login, type, idempotencyKey(row.method), oddities(each), body)
    .map(([target, auth, typed, key, odd, bytes]) =>
      assemble(each, row.method, target, row.id, [auth, typed, key, ...odd], bytes),
    )
})

const strayShot: fc.Arbitrary<Shot> = fc.tuple(who, fc.constantFrom(...METHODS)).chain(([chosen, method]) => {
  const each = deleter(chosen, method)
  return fc
    .tuple(
      fc.constantFrom(...pages, ...ROWS.map(({ path }) => path)),
      hostileQuery,
      authorization(each),
      oddities(each),
      fc.boolean(),
    )
    .map(([path, query, auth, odd, form]) => {
      const body = method === 'POST' && form ? Buffer.from(`phone=%2B22507&x=${HUSH}`) : Buffer.alloc(0)
      return assemble(each, method, `${path}${query}`, undefined, [auth, ...odd], body)
    })
})

const rawShot: fc.Arbitrary<Shot> = fc
  .oneof(
    fc.constantFrom(...fragments),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  )
  .map((head) => ({
    who: head.includes('tokens.b') ? 'b' : 'nobody',
    method: 'RAW',
    operation: undefined,
    head,
    body: Buffer.alloc(0),
    alone: true,
  }))

export const shot: fc.Arbitrary<Shot> = fc.oneof(
  { weight: 12, arbitrary: operationShot },
  { weight: 5, arbitrary: strayShot },
  { weight: 1, arbitrary: rawShot },
)
