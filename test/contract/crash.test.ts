import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GATEWAY_KILLS as KILLS } from '../support/effort.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { callerFor, get, post, type Reply } from '../support/http.ts'
import { partner, type TestPartner } from '../support/partners.ts'

const CONCURRENCY = 12
/** The longest life. */
const LIFE_MS = 4000
/** The tight cap is met in the middle of the test, the loose ones never are. */
const TIGHT = 40_000
const LOOSE = 9_000_000_000

const month = (product: string, unit: string, limit: number) => ({ product, period: 'month', unit, limit })
const loose = partner('loose', {
  caps: [
    month('payments.fund', 'amount', LOOSE),
    month('payments.cashout', 'amount', LOOSE),
    month('payments.cashout', 'calls', LOOSE),
    month('accounts', 'calls', LOOSE),
  ],
})
const tight = partner('tight', { caps: [month('payments.fund', 'amount', TIGHT)] })

const config = {
  log: { requests: false },
  rateLimits: { groups: { 'payments.fund': 1e6, 'payments.cashout': 1e6, 'accounts.open': 1e6, other: 1e6 } },
  caps: [],
}

/** What was asked under a key, and the answer that was acknowledged, if one was. */
type Attempt = {
  readonly partner: TestPartner
  readonly path: string
  readonly body: string
  answer: Reply | undefined
  /** Whether an answer of it came that was no replay. */
  wasExecuted: boolean
}

const attempts = new Map<string, Attempt>()
/** What contradicts the guarantee; collected, so that a failure shows all of it. */
const faults: string[] = []
const dataDir = temporaryDirectory('crash')
let kills = 0
let gateway: Gateway

function newAttempt(): [string, Attempt] {
  const one = Math.random()
  const amount = (Math.floor(Math.random() * 40) + 1) * 100 + (Math.random() < 0.25 ? 0 : 77)
  const person = { customerRef: 'C', phone: '+2250700000001', firstName: 'A', lastName: 'B' }
  const [partner, path, body] =
    one < 0.3
      ? [loose, '/v1/payments/fund', { amount }]
      : one < 0.5
        ? [tight, '/v1/payments/fund', { amount }]
        : one < 0.75
          ? [loose, '/v1/payments/cashout', { amount }]
          : [loose, '/v1/accounts/open', person]
  const attempt = { partner, path, body: JSON.stringify(body), answer: undefined, wasExecuted: false }
  const key = randomUUID()
  attempts.set(key, attempt)
  return [key, attempt]
}

/** Mostly fresh keys; some that have been acknowledged or whose answer got lost, possibly in an earlier life. */
function choose(): [string, Attempt] {
  if (Math.random() < 0.6 || attempts.size === 0) return newAttempt()
  const known = [...attempts]
  return known[Math.floor(Math.random() * known.length)] ?? newAttempt()
}

async function attemptOnce([key, attempt]: [string, Attempt]): Promise<Reply | undefined> {
  const { partner, path, body } = attempt
  const wasAcknowledged = attempt.answer !== undefined
  let reply: Reply
  try {
    reply = await post(callers.get(partner) ?? gateway, path, body, { key })
  } catch {
    // Killed in the middle: whether it was executed is found out later.
    return undefined
  }
  judge(key, attempt, reply, wasAcknowledged)
  return reply
}

/** `wasAcknowledged`: before it was sent. Of two that are sent at once, the second may be heard of first. */
function judge(key: string, attempt: Attempt, reply: Reply, wasAcknowledged: boolean): void {
  const { status, json, headers } = reply
  if (status === 409 && json.code === 'IDEMPOTENCY_IN_PROGRESS') return
  if (status === 400 && json.code === 'PARTNER_LIMIT_EXCEEDED' && attempt.partner === tight) {
    if (attempt.answer) faults.push(`${key}: an acknowledged payment is refused by its cap`)
    return
  }
  if (status !== 200 && status !== 201) {
    faults.push(`${key}: ${status} ${reply.bytes}`)
    return
  }
  const { answer } = attempt
  if (answer === undefined) attempt.answer = reply
  else if (!reply.bytes.equals(answer.bytes) || status !== answer.status) {
    faults.push(`${key}: ${answer.bytes} became ${reply.bytes}`)
  }
  if (headers['idempotency-replayed'] === 'true') return
  if (wasAcknowledged) faults.push(`${key}: an acknowledged answer came again, and not as a replay`)
  else if (attempt.wasExecuted) faults.push(`${key}: two answers, and neither as a replay`)
  attempt.wasExecuted = true
}

const callers = new Map<TestPartner, ReturnType<typeof callerFor>>()

async function start(): Promise<void> {
  gateway = await startGateway({ config, partners: [loose, tight], dataDir })
  for (const each of [loose, tight]) callers.set(each, callerFor(gateway, each))
}

/** Loads the gateway and kills it at a random moment, with requests in every phase. */
async function life(): Promise<void> {
  await start()
  // Counted in answers, so that a busy machine is not killed before it has done anything.
  let awaited = Math.floor(30 + Math.random() * 80)
  let alive = true
  let enough = () => {}
  const moment = new Promise<void>((resolve) => {
    enough = resolve
    setTimeout(resolve, LIFE_MS)
  })
  const worker = async () => {
    while (alive) {
      if ((await attemptOnce(choose())) === undefined) return
      if (--awaited <= 0) enough()
    }
  }
  const workers = Array.from({ length: CONCURRENCY }, worker)
  await moment
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
  const killed = gateway.kill()
  alive = false
  await Promise.all([killed, ...workers])
  kills++
}

const usage = async (who: TestPartner, product: string, unit: string) => {
  const { caps } = (await get(callers.get(who) ?? gateway, '/portal/usage')).json
  return caps.find((cap: { product: string; unit: string }) => cap.product === product && cap.unit === unit)
}

/** The executed attempts of a kind. */
function executed(who: TestPartner, path: string): Reply[] {
  return [...attempts.values()].flatMap(({ partner, path: own, answer }) =>
    partner === who && own === path && answer ? [answer] : [],
  )
}

const moved = (answers: readonly Reply[]) =>
  answers.filter(({ json }) => json.outcome === 'success').reduce((sum, { json }) => sum + json.amount, 0)

describe(`after ${KILLS} kills in the middle of a load`, () => {
  let acknowledged = 0
  let lost = 0

  beforeAll(async () => {
    while (kills < KILLS) await life()
    acknowledged = [...attempts.values()].filter(({ answer }) => answer).length
    lost = attempts.size - acknowledged
    await start()
    // Every key once more: what was acknowledged has to come back, what was lost is found out.
    const all = [...attempts]
    const worker = async () => {
      for (let next = all.pop(); next; next = all.pop()) await attemptOnce(next)
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  })

  afterAll(() => console.info(`${acknowledged} acknowledged, ${lost} lost or refused, ${kills} kills`))

  it('enough was acknowledged and enough was lost for this to mean something', () => {
    expect(kills).toBe(KILLS)
    expect(acknowledged).toBeGreaterThan(100)
    expect(lost).toBeGreaterThan(KILLS)
  })

  it('every acknowledged request is answered identically under its key', () => {
    expect(faults).toEqual([])
  })

  it('no key was executed twice: each has one payment, and no two share one', () => {
    for (const path of ['/v1/payments/fund', '/v1/payments/cashout']) {
      const ids = [...executed(loose, path), ...executed(tight, path)].map(({ json }) => json.paymentId)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })

  it('as many accounts exist as were opened, and no more', async () => {
    const opened = new Set(executed(loose, '/v1/accounts/open').map(({ json }) => json.accountId))
    const listed: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { json } = await get(callers.get(loose) ?? gateway, `/v1/accounts?limit=100${query}`)
      listed.push(...json.items.map(({ accountId }: { accountId: string }) => accountId))
      cursor = json.nextCursor
    }
    expect(listed.length).toBe(opened.size)
    expect(new Set(listed)).toEqual(opened)
    expect((await usage(loose, 'accounts', 'calls')).used).toBe(opened.size)
  })

  it.each([
    [loose, 'payments.fund', '/v1/payments/fund'],
    [loose, 'payments.cashout', '/v1/payments/cashout'],
    [tight, 'payments.fund', '/v1/payments/fund'],
  ] as const)('the cap of $id for %s is used by exactly what was executed', async (who, product, path) => {
    const cap = await usage(who, product, 'amount')
    expect(cap).toMatchObject({ used: moved(executed(who, path)), reserved: 0 })
    expect(cap.used).toBeLessThanOrEqual(cap.limit)
    expect(cap.used).toBeGreaterThan(0)
  })

  it('a cap of calls is used by exactly as many decisions as were made', async () => {
    const { used } = await usage(loose, 'payments.cashout', 'calls')
    expect(used).toBe(executed(loose, '/v1/payments/cashout').length)
  })
})
