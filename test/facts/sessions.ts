import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { HeaderLine } from '../../src/http/header-lines.ts'
import type { TestPartner } from '../support/partners.ts'
import type { Got } from './send.ts'
import { CLIENTS, type Target } from './ways.ts'

/** One step of a test, as data, so that a failed property can be read. */
export type Step =
  | {
      readonly do: 'login'
      readonly secret: 'right' | 'wrong'
      readonly scope: 'all' | 'narrow'
      readonly by: 'form' | 'basic'
    }
  | {
      readonly do: 'pay'
      readonly token: 'own' | 'none' | 'made up'
      readonly key: 'uuid' | 'none' | 'odd' | 'same again'
      readonly tenant: 'none' | 'own' | 'another'
      readonly coding: 'none' | 'gzip'
      readonly amount: number | string
      readonly more: boolean
    }
  | { readonly do: 'open' }
  | { readonly do: 'score'; readonly of: 'own' | 'seeded' | 'nobody' }
  | { readonly do: 'kyc'; readonly phone: string }
  | { readonly do: 'page'; readonly language: 'en' | 'fr' | 'none' }

/** A test of its own: a client, and what it does. */
export type Script = { readonly client: 0 | 1; readonly steps: readonly Step[] }

const login = fc.record({
  do: fc.constant('login' as const),
  secret: fc.constantFrom('right' as const, 'wrong' as const),
  scope: fc.constantFrom('all' as const, 'narrow' as const),
  by: fc.constantFrom('form' as const, 'basic' as const),
})

const pay = fc.record({
  do: fc.constant('pay' as const),
  token: fc.constantFrom('own' as const, 'own' as const, 'own' as const, 'none' as const, 'made up' as const),
  key: fc.constantFrom(
    'uuid' as const,
    'uuid' as const,
    'none' as const,
    'odd' as const,
    'same again' as const,
  ),
  tenant: fc.constantFrom('none' as const, 'none' as const, 'own' as const, 'another' as const),
  coding: fc.constantFrom('none' as const, 'none' as const, 'none' as const, 'gzip' as const),
  amount: fc.constantFrom<number | string>(5000, 5077, 4001, 'many'),
  more: fc.boolean(),
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: login },
  { weight: 6, arbitrary: pay },
  { weight: 2, arbitrary: fc.constant({ do: 'open' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('score' as const),
      of: fc.constantFrom('own' as const, 'seeded' as const, 'nobody' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('kyc' as const),
      phone: fc.constantFrom('+2250000000009', '+2250000000001', '+2250712345678', 'none'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('page' as const),
      language: fc.constantFrom('en' as const, 'fr' as const, 'none' as const),
    }),
  },
)

export const anyStep = step

export const scripts: fc.Arbitrary<Script[]> = fc.array(
  fc.record({
    client: fc.constantFrom(0 as const, 1 as const),
    steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 4 },
)

/** `language`: of a page. */
export type Said = {
  readonly status: number
  readonly json: object
  readonly language: string | undefined
}

const MADE = /(?:Id|At|^url|_token|instance|requestId|expires_in|liveKeyMinted)$/

/** An answer without what a server makes up anew. */
function said({ status, json, text: page }: Got, reference: string): Said {
  const kept = Object.entries(json).filter(([name]) => !MADE.test(name) && name !== 'type')
  const text = JSON.stringify(Object.fromEntries(kept)).replaceAll(reference, 'THE-REFERENCE')
  return { status, json: JSON.parse(text), language: /<html lang="([a-z]+)"/.exec(page)?.[1] }
}

type State = {
  readonly client: TestPartner
  readonly reference: string
  token: string | undefined
  /** Its reference is there: what nobody has made is compared, and the seeded one is asked for instead. */
  isOpened: boolean
  last: { readonly key: string; readonly body: string; readonly headers: readonly HeaderLine[] } | undefined
}

/** Runs one test until it is enough; what it was answered. Whatever it makes up is new in every run. */
export async function run(
  target: Target,
  { client, steps }: Script,
  isEnough: (said: Said, step: number) => boolean = () => false,
): Promise<readonly Said[]> {
  const state: State = {
    client: CLIENTS[client],
    reference: `CUS-${randomUUID().slice(0, 13)}`,
    token: undefined,
    isOpened: false,
    last: undefined,
  }
  const answers: Said[] = []
  // Every test signs in, as a partner's test does.
  for (const [i, one] of [SIGN_IN, ...steps].entries()) {
    const answer = said(await perform(target, one, state), state.reference)
    answers.push(answer)
    if (isEnough(answer, i)) break
  }
  return answers
}

const SIGN_IN: Step = { do: 'login', secret: 'right', scope: 'all', by: 'form' }
const JSON_TYPE: HeaderLine = ['content-type', 'application/json']

async function perform(target: Target, one: Step, state: State): Promise<Got> {
  const bearer: readonly HeaderLine[] =
    state.token === undefined ? [] : [['authorization', `Bearer ${state.token}`]]
  switch (one.do) {
    case 'login':
      return exchange(target, one, state)
    case 'pay':
      return payment(target, one, state)
    case 'open': {
      const person = { phone: '+2250712345678', firstName: 'Awa', lastName: 'Koné' }
      const opened = await post(
        target,
        '/v1/accounts/open',
        { customerRef: state.reference, ...person },
        bearer,
      )
      state.isOpened ||= opened.status === 201
      return opened
    }
    case 'score': {
      const reference = {
        own: state.isOpened ? state.reference : 'CUS-0002',
        seeded: 'CUS-0001',
        nobody: 'CUS-NOBODY',
      }[one.of]
      return target.send({ method: 'GET', path: `/v1/score?customerRef=${reference}`, headers: bearer })
    }
    case 'page': {
      // Two sessions that nothing tells apart belong to lanes of their own: what was asked first is answered first.
      const metadata = { language: one.language }
      const session = await post(target, '/v1/kyc/widget/session', { metadata }, bearer)
      if (typeof session.json.url !== 'string') return session
      const { pathname } = new URL(session.json.url)
      const headers: HeaderLine[] = one.language === 'none' ? [] : [['accept-language', one.language]]
      return target.send({ method: 'GET', path: pathname, headers: [...headers, ['accept', 'text/html']] })
    }
    case 'kyc':
      return post(target, '/v1/kyc/submit', one.phone === 'none' ? {} : { phone: one.phone }, bearer)
  }
}

function post(target: Target, path: string, body: object, bearer: readonly HeaderLine[]): Promise<Got> {
  const headers: readonly HeaderLine[] = [JSON_TYPE, ['idempotency-key', randomUUID()], ...bearer]
  return target.send({ method: 'POST', path, headers, body: JSON.stringify(body) })
}

async function exchange(target: Target, one: Step & { do: 'login' }, state: State): Promise<Got> {
  const { keyId, secret } = state.client
  const sent = one.secret === 'right' ? secret : `${secret}-mistyped`
  const form = new URLSearchParams(one.scope === 'narrow' ? { scope: 'accounts:read' } : {})
  const headers: HeaderLine[] = [['content-type', 'application/x-www-form-urlencoded']]
  if (one.by === 'basic')
    headers.push(['authorization', `Basic ${Buffer.from(`${keyId}:${sent}`).toString('base64')}`])
  else {
    form.set('client_id', keyId)
    form.set('client_secret', sent)
  }
  const got = await target.send({ method: 'POST', path: '/auth/token', headers, body: form.toString() })
  if (typeof got.json.access_token === 'string') state.token = got.json.access_token
  return got
}

function payment(target: Target, one: Step & { do: 'pay' }, state: State): Promise<Got> {
  const text = JSON.stringify({ amount: one.amount, ...(one.more && { surprise: true }) })
  const again = one.key === 'same again' ? state.last : undefined
  const key =
    again?.key ??
    { uuid: randomUUID(), odd: `order-${randomUUID()}`, none: '', 'same again': randomUUID() }[one.key]
  const own: HeaderLine[] = [JSON_TYPE]
  if (one.tenant !== 'none')
    own.push(['x-tenant-id', one.tenant === 'own' ? state.client.tenant : 'tn_sandbox_somebody_else'])
  if (one.coding === 'gzip') own.push(['content-encoding', 'gzip'])
  const headers = again?.headers ?? own
  const body = again?.body ?? text
  if (key !== '' && one.key !== 'odd') state.last = { key, body, headers }
  const token =
    one.token === 'own' ? state.token : one.token === 'made up' ? `made-up-${randomUUID()}` : undefined
  const lines: HeaderLine[] = [...headers]
  if (key !== '') lines.push(['idempotency-key', key])
  if (token !== undefined) lines.push(['authorization', `Bearer ${token}`])
  const isPacked = headers.some(([name]) => name === 'content-encoding')
  return target.send({
    method: 'POST',
    path: '/v1/payments/fund',
    headers: lines,
    body: isPacked ? gzipSync(body) : body,
  })
}
