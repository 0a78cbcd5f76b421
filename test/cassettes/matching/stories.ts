import fc from 'fast-check'
import type { Answer, Client, Json } from './client.ts'

/** One test of a partner: what it sends depends on its own answers and on values that it makes up. */
export type Story = (client: Client) => Promise<readonly Answer[]>

type State = {
  answers: Answer[]
  customerRef: string
  phone: string
  accountId?: unknown
  sessionId?: unknown
}
export type Step = (client: Client, state: State) => Promise<Answer | undefined>

const open: Step = async (client, state) => {
  const { customerRef, phone } = state
  const answer = await client.post('/v1/accounts/open', {
    customerRef,
    phone,
    firstName: 'Awa',
    lastName: 'Koné',
  })
  state.accountId = answer.body.accountId
  return answer
}

const pay =
  (direction: string, amount: number): Step =>
  (client, { accountId }) => {
    const body: Json = { amount, reference: client.fresh('INV'), description: 'School fees' }
    return client.post(`/v1/payments/${direction}`, accountId === undefined ? body : { ...body, accountId })
  }

const read: Step = async (client, { accountId }) =>
  accountId === undefined ? undefined : client.get(`/v1/accounts/${accountId}`)

/** A reference that this test has made, else one that nobody ever makes. */
const score: Step = (client, { customerRef, accountId }) =>
  client.get(`/v1/score?customerRef=${accountId === undefined ? 'CUS-NOBODY' : customerRef}`)

const simulate =
  (amount: number): Step =>
  (client, { customerRef }) =>
    client.get(`/v1/credit/simulate?amount=${amount}&customerRef=${customerRef}`)

const session: Step = async (client, state) => {
  const { customerRef, phone } = state
  const answer = await client.post('/v1/kyc/widget/session', { customerRef, phone })
  state.sessionId = answer.body.sessionId
  return answer
}

const readSession: Step = async (client, { sessionId }) =>
  sessionId === undefined ? undefined : client.get(`/v1/kyc/widget/session/${sessionId}`)

const kyc =
  (phone?: string): Step =>
  (client, state) => {
    const { sessionId } = state
    const body: Json = { phone: phone ?? state.phone, customerRef: state.customerRef }
    return client.post('/v1/kyc/submit', sessionId === undefined ? body : { ...body, sessionId })
  }

const webhook: Step = async (client) => {
  const made = await client.post('/v1/webhooks', { url: 'https://partner.example.com/hook', events: ['*'] })
  return client.get(`/v1/webhooks/${made.body.webhookId}`)
}

/** The steps by name, so that a failed property can be read. */
export const STEPS: Readonly<Record<string, Step>> = {
  open,
  fund: pay('fund', 5077),
  fundFailing: pay('fund', 5000),
  fundSmall: pay('fund', 4001),
  cashout: pay('cashout', 5077),
  read,
  score,
  simulate: simulate(50011),
  simulateMuch: simulate(50099),
  session,
  readSession,
  kyc: kyc(),
  kycRejected: kyc('+22500000009'),
  webhook,
}

export type StepNames = readonly string[]

const namesOf = (steps: readonly string[]): fc.Arbitrary<StepNames> =>
  fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 7 })

export const stepNames = namesOf(Object.keys(STEPS))

/** Steps whose answers follow from what the test itself has done; a score follows from a reference. */
export const ownStepNames = namesOf(Object.keys(STEPS).filter((name) => name !== 'score'))

/** With a `name` the test begins with a request that says which one it is. */
export function story(names: StepNames, name?: string): Story {
  return async (client) => {
    const state: State = { answers: [], customerRef: client.fresh('CUS'), phone: client.phone() }
    if (name !== undefined) {
      const { customerRef, phone } = state
      state.answers.push(
        await client.post('/v1/kyc/submit', { phone, customerRef, metadata: { test: name } }),
      )
    }
    for (const step of names) {
      const answer = await STEPS[step]?.(client, state)
      if (answer) state.answers.push(answer)
    }
    return state.answers
  }
}

/** An answer without what the server makes up or works out, to compare two sandboxes by. */
export function comparable(answers: readonly Answer[]): unknown {
  return answers.map(({ status, body, header }) => ({
    status,
    rule: header('x-sandbox-rule'),
    replayed: header('idempotency-replayed'),
    body: withoutMade(body),
  }))
}

function withoutMade(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMade)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) =>
      /(?:Id|At|^url|^instance|ursor|^score|^band)$/.test(name)
        ? [name, typeof each]
        : [name, withoutMade(each)],
    ),
  )
}
