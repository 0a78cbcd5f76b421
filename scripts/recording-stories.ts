import { DEMO_KEY } from '../src/config/sandbox-keys.ts'

/**
 * The stories behind recordings/: what a partner's program says to the sandbox. They run against a gateway that
 * records them, and in the tests against one that replays them.
 */
export type Teller = {
  readonly url: string
  /** Moves the sandbox's clock; at replay the tape has what came of it. */
  readonly advance: (seconds: number) => void
}

export type Told = { readonly status: number; readonly body: Record<string, unknown> }

export type Story = {
  readonly name: string
  /** Settings of the gateway that records it, over the defaults. */
  readonly settings?: string
  readonly tell: (teller: Teller) => Promise<readonly Told[]>
}

/** A program with its own UUIDs, the same in every run, so that recording again changes nothing. */
function program({ url }: Teller, seed: number) {
  const told: Told[] = []
  let token = ''
  let keys = 0
  const newKey = () => `${String(seed).padStart(8, '0')}-0000-4000-8000-${String(++keys).padStart(12, '0')}`
  const send = async (
    method: string,
    path: string,
    init: { body?: unknown; headers?: Record<string, string> },
  ) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
        ...init.headers,
      },
      ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
    })
    const one = { status: response.status, body: (await response.json()) as Record<string, unknown> }
    told.push(one)
    return one.body
  }
  return {
    told,
    newKey,
    get: (path: string, headers: Record<string, string> = {}) => send('GET', path, { headers }),
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      send('POST', path, { body, headers: { 'idempotency-key': newKey(), ...headers } }),
    postWithoutKey: (path: string, body: unknown) => send('POST', path, { body }),
    login: async () => {
      const response = await fetch(`${url}/auth/token`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: 'key_demo', client_secret: DEMO_KEY }),
      })
      const body = (await response.json()) as Record<string, unknown>
      token = String(body.access_token)
      told.push({ status: response.status, body })
    },
  }
}

const PERSON = { phone: '+2250700000021', firstName: 'Awa', lastName: 'Koné', country: 'CI' }

const accountToPayment: Story = {
  name: 'account-to-payment',
  tell: async (teller) => {
    const { told, get, post, login } = program(teller, 1)
    await login()
    const account = await post('/v1/accounts/open', { customerRef: 'CUS-1001', ...PERSON })
    await post('/v1/kyc/submit', { customerRef: 'CUS-1001', ...PERSON })
    await get('/v1/score?customerRef=CUS-1001')
    await get('/v1/credit/simulate?amount=50011&termMonths=6')
    await post('/v1/payments/fund', {
      amount: 25077,
      accountId: account.accountId,
      reference: 'INV-2026-0042',
    })
    await post('/v1/payments/cashout', { amount: 5077, accountId: account.accountId })
    await get(`/v1/accounts/${account.accountId}`)
    await get('/portal/usage')
    return told
  },
}

const refusals: Story = {
  name: 'refusals',
  settings: `
rateLimits: { groups: { credit.apply: 2 } }
caps:
  - { product: payments.cashout, period: day, unit: amount, limit: 10000 }
`,
  tell: async (teller) => {
    const { told, get, post, postWithoutKey, login } = program(teller, 2)
    await login()
    await postWithoutKey('/v1/payments/fund', { amount: 5077 })
    await get('/v1/score?customerRef=CUS-0001', { 'x-tenant-id': 'tn_sandbox_somebody_else' })
    await post('/v1/payments/cashout', { amount: 10077 })
    await get('/v1/score?customerRef=CUS-UNKNOWN')
    await post('/v1/kyb/submit', { businessRef: 'BUS-009' })
    await post('/v1/kyc/submit', { phone: '+2250000000009' })
    await post('/v1/payments/fund', { amount: 5000 })
    await get('/v1/credit/simulate?amount=50099')
    for (let i = 0; i < 3; i++) await post('/v1/credit/apply', { customerRef: 'CUS-0001', amount: 50011 })
    const session = await post('/v1/kyc/widget/session', {})
    teller.advance(15 * 60)
    await get(`/v1/kyc/widget/session/${session.sessionId}`)
    teller.advance(45 * 60)
    await get('/v1/accounts')
    return told
  },
}

const idempotentRetries: Story = {
  name: 'idempotent-retries',
  tell: async (teller) => {
    const { told, post, newKey, login } = program(teller, 3)
    await login()
    const key = { 'idempotency-key': newKey() }
    await post('/v1/payments/fund', { amount: 5077 }, key)
    await post('/v1/payments/fund', { amount: 5077 }, key)
    await post('/v1/payments/fund', { amount: 6077 }, key)
    await post('/v1/payments/fund', { amount: 7000 })
    await post('/v1/payments/fund', { amount: 7077 })
    return told
  },
}

const widgetSession: Story = {
  name: 'widget-session',
  tell: async (teller) => {
    const { told, get, post, login } = program(teller, 4)
    await login()
    const session = await post('/v1/kyc/widget/session', { customerRef: 'CUS-1004' })
    await get(`/v1/kyc/widget/session/${session.sessionId}`)
    await post('/v1/kyc/submit', { sessionId: session.sessionId, ...PERSON })
    await get(`/v1/kyc/widget/session/${session.sessionId}`)
    return told
  },
}

const paging: Story = {
  name: 'paging',
  tell: async (teller) => {
    const { told, get, post, login } = program(teller, 5)
    await login()
    for (let i = 1; i <= 5; i++) await post('/v1/accounts/open', { ...PERSON, customerRef: `CUS-20${i}` })
    let page = await get('/v1/accounts?limit=2')
    while (page.nextCursor) page = await get(`/v1/accounts?limit=2&cursor=${page.nextCursor}`)
    return told
  },
}

export const STORIES: readonly Story[] = [
  accountToPayment,
  refusals,
  idempotentRetries,
  widgetSession,
  paging,
]
