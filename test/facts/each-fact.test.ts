import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { exitCode, type Ledger } from '../../src/cassettes/tape/ledger.ts'
import type { HeaderLine } from '../../src/http/header-lines.ts'
import { replay } from '../../src/sandgate.ts'
import { EFFORT } from '../support/effort.ts'
import type { Got, Sent } from './send.ts'
import { CLIENTS, LENIENT, STRICT, type Target, targetAt, WAYS, type Way } from './ways.ts'

const [one] = CLIENTS

type Login = (scope?: string, secret?: string) => Promise<string>

/** One payment, with everything that it needs; each fact changes one thing. */
type Payment = {
  readonly token: string | undefined
  readonly headers: readonly HeaderLine[]
  readonly body: string | Uint8Array
}

const BODY = JSON.stringify({ amount: 5077 })
const JSON_TYPE: HeaderLine = ['content-type', 'application/json']
const plain = async (login: Login): Promise<Payment> => ({
  token: await login(),
  headers: [JSON_TYPE, ['idempotency-key', randomUUID()]],
  body: BODY,
})

const FACTS: Readonly<Record<string, (login: Login) => Promise<Payment>>> = {
  'no token': async (login) => ({ ...(await plain(login)), token: undefined }),
  'a token that nobody has granted': async (login) => ({
    ...(await plain(login)),
    token: `made-up-${randomUUID()}`,
  }),
  'a narrow scope': async (login) => ({ ...(await plain(login)), token: await login('accounts:read') }),
  'no Idempotency-Key': async (login) => ({ ...(await plain(login)), headers: [JSON_TYPE] }),
  'an Idempotency-Key that is no UUID': async (login) => ({
    ...(await plain(login)),
    headers: [JSON_TYPE, ['idempotency-key', `order-${randomUUID().slice(0, 8)}`]],
  }),
  'its own tenant': async (login) => {
    const payment = await plain(login)
    return { ...payment, headers: [...payment.headers, ['x-tenant-id', one.tenant]] }
  },
  'another tenant': async (login) => {
    const payment = await plain(login)
    return { ...payment, headers: [...payment.headers, ['x-tenant-id', 'tn_sandbox_somebody_else']] }
  },
  'a content coding': async (login) => {
    const payment = await plain(login)
    return { ...payment, headers: [...payment.headers, ['content-encoding', 'gzip']], body: gzipSync(BODY) }
  },
}

function loginOf(target: Target): Login {
  const known = new Map<string, string>()
  return async (scope = '', secret = one.secret) => {
    const token = known.get(scope)
    if (token !== undefined) return token
    const form = new URLSearchParams({ client_id: one.keyId, client_secret: secret, ...(scope && { scope }) })
    const got = await target.send({
      method: 'POST',
      path: '/auth/token',
      headers: [['content-type', 'application/x-www-form-urlencoded']],
      body: form.toString(),
    })
    const granted = String(got.json.access_token)
    known.set(scope, granted)
    return granted
  }
}

function requestOf({ token, headers, body }: Payment): Sent {
  const own: readonly HeaderLine[] = token === undefined ? [] : [['authorization', `Bearer ${token}`]]
  return { method: 'POST', path: '/v1/payments/fund', headers: [...headers, ...own], body }
}

const said = ({ status, json }: Got) => ({ status, code: json.code ?? null, facts: json.facts ?? null })

type Make = (login: Login) => Promise<Payment>

/** Asks in this order; what each was answered. */
async function asked(target: Target, order: readonly Make[]): Promise<object[]> {
  const login = loginOf(target)
  const answers: object[] = []
  for (const make of order) answers.push(said(await target.send(requestOf(await make(login)))))
  return answers
}

type Orders = readonly [readonly Make[], ...(readonly Make[])[]]

/** The first order as clients come, each other one in a lane of its own, which finds the recording as nobody has used it. */
async function replayed(
  file: string,
  [first, ...others]: Orders,
): Promise<{ answers: object[][]; ledger: Ledger }> {
  const tape = await replay(file)
  const answers = [await asked(targetAt(tape.url), first)]
  for (const [i, order] of others.entries())
    answers.push(await asked(targetAt(`${tape.url}/_lane/order-${i}`), order))
  return { answers, ledger: await tape.close() }
}

/** A token that is sent is judged live, with its scopes, whatever a sandbox has let pass. */
const OF_TOKENS: Readonly<
  Record<string, { readonly code: string; readonly status: number; readonly facts: null }>
> = {
  'a token that nobody has granted': { status: 401, code: 'TOKEN_INVALID', facts: null },
  'a narrow scope': { status: 403, code: 'INSUFFICIENT_SCOPE', facts: null },
}

const isSoak = EFFORT === 'soak'
const ORDERS = isSoak ? [true, false] : [true]

/** Every fact by the front door and of a strict sandbox; of the other ways every second one, turn and turn about. */
function factsOf(way: Way): [string, Make][] {
  const at = WAYS.indexOf(way)
  const isWhole = isSoak || at === 0 || way === STRICT
  return Object.entries(FACTS).filter((_, i) => isWhole || (i + at) % 2 === 0)
}

describe.each(WAYS)('a recording by $name', (way) => {
  it.each(factsOf(way))('keeps a payment with %s and one without apart', async (fact, make) => {
    for (const isPlainFirst of ORDERS) {
      const order = isPlainFirst ? [plain, make] : [make, plain]
      let told: object[] = []
      const file = await way.record(async (target) => {
        told = await asked(target, order)
      })
      const isLive = way === LENIENT && OF_TOKENS[fact] !== undefined
      const of = (which: Make) => (which === make && isLive ? OF_TOKENS[fact] : told[order.indexOf(which)])
      // The first one of either order is as good as alone.
      const others = [[...order].reverse(), ...(isSoak ? [[make], [plain]] : [])]
      const orders: Orders = [order, ...others]
      const { answers, ledger } = await replayed(file, orders)
      expect(answers).toEqual(orders.map((each) => each.map(of)))
      expect(ledger).toMatchObject({ missed: 0, repeated: 0 })
      if (isLive)
        expect(ledger.refused).toMatchObject(
          orders.filter((each) => each.includes(make)).map(() => ({ code: OF_TOKENS[fact]?.code })),
        )
      else expect(exitCode(ledger, { failUnused: true })).toBe(0)
    }
  })
})

describe('a request with other facts than the recorded ones', () => {
  const facts = Object.entries(FACTS)

  /** Where a report says that the two differ. */
  const PLACES: Readonly<Record<string, string>> = {
    'no token': 'request-header /authorization',
    'a token that nobody has granted': 'request-header /authorization',
    'a narrow scope': 'request-header /authorization',
    'no Idempotency-Key': 'request-header /idempotency-key',
    'an Idempotency-Key that is no UUID': 'request-header /idempotency-key',
    'its own tenant': 'request-header /x-tenant-id',
    'another tenant': 'request-header /x-tenant-id',
    'a content coding': 'request-header /content-encoding',
  }

  it.each(facts)('misses where only %s was recorded, and the miss names it', async (fact, make) => {
    const file = await STRICT.record(async (target) => {
      await asked(target, [make])
    })
    const tape = await replay(file)
    const target = targetAt(tape.url)
    const answers = await asked(target, [plain])
    const [report] = tape.misses()
    await tape.close()
    expect(answers).toMatchObject([{ status: 424, code: 'CASSETTE_MISS' }])
    expect(report?.closest[0]?.reasons.map(({ at }) => at)).toContain(PLACES[fact])
  })
})
